import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { UnitOfWork } from '@custodia/counted-lists';
import { StaleRead, type Tenant, tenantKey, tenantPartition } from '#table';

/**
 * The tenant's cache in the table: one wrapped data key for each year and purpose (`docs/decisions/0011`). It is
 * written immediately, because it is valid even if the request's transaction fails. For a new organization it is
 * written in the transaction that creates it, which may fail.
 */
export function dataKeyCache(tenant: Tenant, { purpose, name = nameOf(tenant, purpose) }: Chosen = {}) {
  const { session } = tenant;
  const table = session.tables.of(tenant.id);
  const key = tenantKey(tenant.id, 'DATA_KEY', name);

  const recall = async (): Promise<string | undefined> => {
    const { Item: item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: { ...key }, ConsistentRead: true }),
    );
    return item?.wrapped as string | undefined;
  };

  const keep = async (wrapped: string): Promise<string> => {
    const onConditionFailed = () => new StaleRead('another container has stored a data key');
    if (isNew(tenant)) {
      session.changes.of(tenant.id).put({ ...key, wrapped }, onConditionFailed);
      return wrapped;
    }
    try {
      const work = new UnitOfWork();
      work.put({ ...key, wrapped }, onConditionFailed);
      await work.commit(table, session);
      return wrapped;
    } catch (error) {
      const kept = error instanceof StaleRead ? await recall() : undefined;
      if (kept === undefined) throw error;
      return kept;
    }
  };

  return {
    /** The name by which texts without their wrapped key refer to it; no `.` in it. */
    name,
    recall,
    /** Stores a wrapped key unless there is one, and returns the one that is stored. */
    keep,
  };
}

interface Chosen {
  readonly purpose?: string;
  /** By default that of the current year. */
  readonly name?: string;
}

/** `2026`, `webhook-endpoints-2026` */
function nameOf({ session }: Tenant, purpose: string | undefined): string {
  const year = String(new Date(session.now).getUTCFullYear());
  return purpose === undefined ? year : `${purpose}-${year}`;
}

/** Whether the organization is made by the request itself. */
const isNew = ({ id, session }: Tenant): boolean =>
  session.changes.pendingWrites.some(({ kind, key }) => kind === 'put' && key.PK === tenantPartition(id, 'ORG'));
