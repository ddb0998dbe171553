/**
 * The keys of records and of what belongs to them; `docs/data-model.md` lists all. The partition keys of a tenant begin
 * with `ORG#<tenant>#`, which the tenant role's policy matches (`docs/decisions/0050`).
 */

import type { Key } from '@custodia/counted-lists';

/** An organization's id, or `PLATFORM` for callers that belong to none. */
export type TenantId = string & { readonly __tenant: never };

export const PLATFORM = 'PLATFORM' as TenantId;

/** The tenant of an organization, or of the platform, whose id is null. */
export const tenantIdOf = (orgId: string | null): TenantId => (orgId === null ? PLATFORM : (orgId as TenantId));

/**
 * The partitions of a tenant that have no records, with what their sort keys are: of budgets, integrations and others
 * (`BUDGET_OF` of `shared/tenancy/keys.ts`); pending cascade deletes, partitions of deleted records; credentials, app
 * codes; wrapped data keys, years; keys of identity providers, their ids; how far deliveries are, webhook endpoints;
 * what may happen only once (`ONCE#EVENT#<integration id>`, `ONCE#TOKEN`), ids; quotas, counted kinds; counts of a day
 * (`shared/tenancy/daily-counts.ts`); announced attachments (`functions/tickets/attachments/state/`); what users may
 * do, their ids (`shared/tenancy/user-access.ts`); and alerts, integrations with digests (`functions/alerts/state/`).
 */
type OwnPartition =
  | 'ALERT'
  | 'BUDGET'
  | 'CASCADE_DELETE'
  | 'CREDENTIALS'
  | 'DATA_KEY'
  | 'DELIVERY'
  | `ONCE#${string}`
  | 'PROVIDER_KEYS'
  | 'QUOTA'
  | 'READS'
  | 'REFUSALS'
  | 'TRASH'
  | 'UPLOAD'
  | 'USER_ACCESS';

/**
 * A partition of a tenant: of the records of an entity, of those below one record, or one without records.
 * @example tenantPartition(tenant, 'TICKET', ticketId, 'MESSAGE') // ORG#<tenant>#TICKET#<ticket id>#MESSAGE
 */
export const tenantPartition = (tenant: TenantId, ...names: readonly [string, ...string[]]): string =>
  `ORG#${tenant}#${names.join('#')}`;

/** The key of an item in a partition without records. Most sessions of a tenant do not reach its `CREDENTIALS`. */
export const tenantKey = (tenant: TenantId, partition: OwnPartition, sortKey: string): Key => ({
  PK: tenantPartition(tenant, partition),
  SK: sortKey,
});

/** The values that callers have chosen for the filters of a list: `ORG#<tenant>#CLIENT#VALUES`. */
export const valuesPartition = (partition: string): string => `${partition}#VALUES`;

/** One such value: `status=lost`. The values that contracts allow fit into a sort key. */
export const valueKey = (partition: string, field: string, value: string): Key => ({
  PK: valuesPartition(partition),
  SK: `${field}=${value}`,
});

/** Field and value of such a key. */
export function valueIn({ SK }: Pick<Key, 'SK'>): readonly [field: string, value: string] {
  const end = SK.indexOf('=');
  return [SK.slice(0, end), SK.slice(end + 1)];
}

/** Claims a unique value of a tenant: `ORG#<tenant>#UNIQUE#CLIENT#slug`. */
export const uniqueKey = (tenant: TenantId, entity: string, field: string, value: string): Key => ({
  PK: tenantPartition(tenant, 'UNIQUE', entity, field),
  SK: value,
});

/** What an integration may do once: send an event, use an idempotency key. */
export const DEDUPLICATED = ['EVENT', 'REQUEST'] as const;

/** Whether a key is one of credentials, whose partitions alone may have such a name. */
export const isOfCredentials = ({ PK }: Key): boolean => PK.endsWith('#CREDENTIALS');

/** Keys without an item. The health check reads one, and functions read the other at their start. */
export const EMPTY_KEYS: { readonly health: Key; readonly warmStart: Key } = {
  health: { PK: 'HEALTH', SK: 'CHECK' },
  warmStart: { PK: 'WARM#', SK: 'START' },
};
