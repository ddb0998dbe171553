/**
 * All keys of the table are made here; `docs/data-model.md` lists them.
 * The partition keys of a tenant begin with `ORG#<tenant>#`, which the tenant role's policy matches (`docs/decisions/0050`).
 */

import type { Key } from '#lists';

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

/**
 * Deduplication: the id of something that may happen only once. `ORG#<tenant>#ONCE#EVENT#<integration id>`, by event
 * id.
 */
export const deduplicationKey = (tenant: TenantId, scope: string, id: string): Key => ({
  PK: `ORG#${tenant}#ONCE#${scope}`,
  SK: id,
});

/** The wrapped data key that a tenant's credentials are encrypted with in a year: `ORG#<tenant>#DATA_KEY` / `2026`. */
export const dataKeyKey = (tenant: TenantId, year: string): Key => ({
  PK: `ORG#${tenant}#DATA_KEY`,
  SK: year,
});

/**
 * The number of refused logins and signatures of an integration in one day: `ORG#<tenant>#REFUSALS` /
 * `<what>#<integration id>#2026-11-20`.
 */
export const refusalsKey = (tenant: TenantId, what: string, integrationId: string, day: string): Key => ({
  PK: `ORG#${tenant}#REFUSALS`,
  SK: `${what}#${integrationId}#${day}`,
});

/**
 * The number of requests of an integration that could show credentials of records of a type in one day:
 * `ORG#<tenant>#READS` / `Service#<integration id>#2026-11-20`.
 */
export const readsKey = (tenant: TenantId, recordType: string, integrationId: string, day: string): Key => ({
  PK: `ORG#${tenant}#READS`,
  SK: `${recordType}#${integrationId}#${day}`,
});

/** Pending cascade deletes: partitions of deleted records that remain to be emptied. */
export const cascadeDeletePartition = (tenant: TenantId): string => `ORG#${tenant}#CASCADE_DELETE`;

/** The tenant of an app code. Put once, with the credentials, and never changed (`docs/decisions/0012`). */
export const appKey = (appCode: string): Key => ({ PK: `APP#${appCode}`, SK: 'TENANT' });

/** The app code in such a key. */
export const appCodeIn = ({ PK }: Pick<Key, 'PK'>): string => PK.slice(appKey('').PK.length);

const CREDENTIALS = 'CREDENTIALS';

/**
 * The credentials of a tenant's integrations, by app code: `ORG#<tenant>#CREDENTIALS`. Most of the tenant's sessions do not reach them
 * (`docs/decisions/0050`), so no other partition may have such a name.
 */
export const credentialsKey = (tenant: TenantId, appCode: string): Key => ({
  PK: `ORG#${tenant}#${CREDENTIALS}`,
  SK: appCode,
});

/** Whether a key is one of credentials. */
export const isOfCredentials = ({ PK }: Key): boolean => PK.endsWith(`#${CREDENTIALS}`);

/**
 * The suspension of an organization. It is outside of the tenant's own keys, so that its sessions can read it but not
 * lift it (`docs/decisions/0096`).
 */
export const suspensionKey = (tenant: TenantId): Key => ({ PK: `SUSPENDED#${tenant}`, SK: 'STATE' });

/** Failed logins with one app code from one network, by the digest of both. */
export const loginFailureKey = (digest: string): Key => ({ PK: `LOGIN_FAILURE#${digest}`, SK: 'FAILURES' });

/** The key that the health check reads; there is no such item. */
export const HEALTH_KEY: Key = { PK: 'HEALTH', SK: 'CHECK' };

/** The number of records of a kind with a quota: `ORG#<tenant>#QUOTA` / `INTEGRATION`. */
export const quotaKey = (tenant: TenantId, counted: string): Key => ({ PK: `ORG#${tenant}#QUOTA`, SK: counted });

/** The shared bucket of a request budget: an integration's, by its id, or the tenant's own. */
export const budgetKey = (tenant: TenantId, of: string): Key => ({ PK: `ORG#${tenant}#BUDGET`, SK: of });
