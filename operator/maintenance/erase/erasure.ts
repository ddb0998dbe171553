import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { schema } from '@custodia/counted-lists';
import { StaleRead, type Stored, type Tenant } from '#table';
import { type Organization, type Suspension, stageOrganizationRemoval, suspensionKey } from '#tenancy';

/**
 * The state of an erasure, in the item that keeps the organization suspended. It is all that remains after the erasure:
 * the receipt, without any data of the organization.
 */
export interface Erasure extends Suspension {
  readonly state: 'erasing' | 'erased';
  /** Records that it had when the erasure began, by type. */
  readonly records: Readonly<Record<string, number>>;
  /** When the last credentials were deleted; from then on no request begins to write. Absent: not yet. */
  readonly closed_at?: string;
  readonly erased_at?: string;
  /** Whether the whole table was scanned at the end. */
  readonly swept?: boolean;
}

/** The suspension or erasure of an organization, strongly consistent; undefined: neither. */
export async function readErasure({ id, session }: Tenant): Promise<Suspension | Erasure | undefined> {
  const table = session.tables.of(id);
  const { Item: item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...suspensionKey(id) }, ConsistentRead: true }),
  );
  if (item === undefined) return undefined;
  const { PK: _, SK: __, [schema.WRITE_ID]: ___, ...state } = item;
  return state as unknown as Suspension | Erasure;
}

/**
 * Stages the beginning of an erasure. From the commit on it cannot be cancelled, and the organization no longer exists
 * for callers of the platform, nor in any list.
 * @param suspension as read: it must be suspended first
 */
export async function stageErasure(
  tenant: Tenant,
  organization: Stored<Organization>,
  { state, since }: Suspension,
  records: Erasure['records'],
): Promise<Erasure> {
  const erasure: Erasure = { state: 'erasing', since: tenant.session.timestamp, records };
  await stageOrganizationRemoval(tenant, organization);
  stageState(tenant, erasure, { state, since });
  return erasure;
}

/** Stages the next state of an erasure as read. */
export function stageProgress(tenant: Tenant, erasure: Erasure, change: Partial<Erasure>): Erasure {
  const next = { ...erasure, ...change };
  stageState(tenant, next, { state: erasure.state, since: erasure.since });
  return next;
}

function stageState(tenant: Tenant, next: Erasure, before: Readonly<Record<string, unknown>>): void {
  tenant.session.changes
    .of(tenant.id)
    .put(
      { ...suspensionKey(tenant.id), ...next },
      () => new StaleRead('the state of the organization has changed meanwhile'),
      { equals: before },
    );
}
