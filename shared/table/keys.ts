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

/** The records of an entity: `ORG#<tenant>#TICKET`. */
export const recordsPartition = (tenant: TenantId, entity: string): string => `ORG#${tenant}#${entity}`;

/** The child records of one parent: `ORG#<tenant>#TICKET#<ticket id>#MESSAGE`. */
export const childPartition = (tenant: TenantId, parent: string, parentId: string, entity: string): string =>
  `ORG#${tenant}#${parent}#${parentId}#${entity}`;

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
  PK: `ORG#${tenant}#UNIQUE#${entity}#${field}`,
  SK: value,
});

/** What an integration may do once: send an event, use an idempotency key. */
export const DEDUPLICATED = ['EVENT', 'REQUEST'] as const;

/** The owner of ids: two integrations may use the same id for different requests. */
type DeduplicationScope = `${(typeof DEDUPLICATED)[number]}#${string}`;

/**
 * Deduplication: the id of something that may happen only once. `ORG#<tenant>#ONCE#EVENT#<integration id>`, by event
 * id.
 */
export const deduplicationKey = (tenant: TenantId, scope: DeduplicationScope | '*', id: string): Key => ({
  PK: `ORG#${tenant}#ONCE#${scope}`,
  SK: id,
});

/** Pending cascade deletes: partitions of deleted records that remain to be emptied. */
export const cascadeDeletePartition = (tenant: TenantId): string => `ORG#${tenant}#CASCADE_DELETE`;

const CREDENTIALS = 'CREDENTIALS';

/**
 * The credentials of a tenant's integrations, by app code: `ORG#<tenant>#CREDENTIALS`. Most of the tenant's sessions do
 * not reach them (`docs/decisions/0050`), so no other partition may have such a name.
 */
export const credentialsKey = (tenant: TenantId, appCode: string): Key => ({
  PK: `ORG#${tenant}#${CREDENTIALS}`,
  SK: appCode,
});

/** Whether a key is one of credentials. */
export const isOfCredentials = ({ PK }: Key): boolean => PK.endsWith(`#${CREDENTIALS}`);

/** Keys without an item. The health check reads one, and functions read the other at their start. */
export const EMPTY_KEYS: { readonly health: Key; readonly warmStart: Key } = {
  health: { PK: 'HEALTH', SK: 'CHECK' },
  warmStart: { PK: 'WARM#', SK: 'START' },
};
