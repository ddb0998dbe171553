import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '@custodia/counted-lists';
import { StaleRead, type Tenant, type TenantId, tenantIdOf } from '#table';
import { suspensionKey } from './keys.ts';

/**
 * Suspended organizations (`docs/decisions/0096-suspending-exporting-erasing.md`): one item each, which exists while an
 * organization is suspended, and stays after an erasure. Only the operator's commands write it.
 */
export interface Suspension {
  /** `erasing` and `erased` cannot be lifted. */
  readonly state: 'suspended' | 'erasing' | 'erased';
  /** A timestamp as in records. */
  readonly since: string;
  /** Its data is being restored, and may be half old and half new: the suspension cannot be lifted meanwhile. */
  readonly restoring?: {
    /** Name of the table that it is restored from. */
    readonly from: string;
    /** The lowest version of restored records: higher than any in an entity tag that a caller holds. */
    readonly version: number;
  };
}

/**
 * Whether an organization is suspended: one `GetItem`, by default eventually consistent, because every request makes
 * it.
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

/**
 * Stages that an organization's suspension, as read, becomes another one; undefined: none. It leaves an audit event in
 * the organization's own audit log. The commit throws {@link StaleRead} when the suspension has changed meanwhile.
 */
export async function stageSuspension(
  tenant: Tenant,
  before: Suspension | undefined,
  after: Suspension | undefined,
): Promise<void> {
  const work = tenant.session.changes.of(tenant.id);
  const key = suspensionKey(tenant.id);
  const refusal = () => new StaleRead('the suspension has changed meanwhile');
  const asRead = before && { equals: { state: before.state, since: before.since } };
  if (after === undefined) work.delete(key, asRead ?? { exists: false }, refusal);
  else work.put({ ...key, ...after }, refusal, asRead);
  await tenant.auditLog('Organization').changed(tenant.id, [whatChanged(before, after)]);
}

/** As audit events name it. */
function whatChanged(before: Suspension | undefined, after: Suspension | undefined): string {
  if (before === undefined || after === undefined) return 'suspended';
  return after.restoring === undefined ? 'restored' : 'restoring';
}
