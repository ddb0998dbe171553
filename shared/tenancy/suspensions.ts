import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#lists';
import type { Tenant, TenantId } from '#table';
import { suspensionKey, tenantIdOf } from '#table/storage';

/**
 * Suspended organizations (`docs/decisions/0096-suspending-exporting-erasing.md`): one item each, which exists while an
 * organization is suspended, and stays after an erasure. Only the operator's commands write it (`suspend.ts`).
 */
export interface Suspension {
  /** `erasing` and `erased` cannot be lifted. */
  readonly state: 'suspended' | 'erasing' | 'erased';
  /** A timestamp as in records. */
  readonly since: string;
  /** Its data is being restored, and may be half old and half new: the suspension cannot be lifted meanwhile. */
  readonly restoring?: Restoring;
}

export interface Restoring {
  /** Name of the table that it is restored from. */
  readonly from: string;
  /** The lowest version of restored records: higher than any in an entity tag that a caller holds. */
  readonly version: number;
}

/**
 * Whether an organization is suspended: one `GetItem`, by default eventually consistent, because every request makes it.
 * @returns undefined where it is not
 */
export const readSuspension = ({ id, session }: Tenant, isConsistent = false): Promise<Suspension | undefined> =>
  read(session.tables.of(id), id, isConsistent);

/** The same with the function's own rights. */
export const readSuspensionOf = (table: Table, orgId: string): Promise<Suspension | undefined> =>
  read(table, tenantIdOf(orgId), false);

async function read(table: Table, tenant: TenantId, isConsistent: boolean): Promise<Suspension | undefined> {
  const { Item: item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...suspensionKey(tenant) }, ConsistentRead: isConsistent }),
  );
  return item as Suspension | undefined;
}
