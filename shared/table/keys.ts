/**
 * Every key of the table is made here and nowhere else; `docs/data-model.md` lists them.
 * All that belongs to a tenant begins `ORG#<tenant>#`, which is what the tenant role's policy matches (`docs/decisions/0050`).
 */

/** An organization's id, or `PLATFORM` for callers that belong to none. */
export type TenantId = string & { readonly __tenant: never };

export const PLATFORM = 'PLATFORM' as TenantId;

export interface Key {
  readonly PK: string;
  readonly SK: string;
}

/** Where the records of an entity live: `ORG#<tenant>#TICKET`. */
export const recordsPartition = (tenant: TenantId, entity: string): string => `ORG#${tenant}#${entity}`;

/** Where the records below one parent live: `ORG#<tenant>#TICKET#<ticket id>#MESSAGE`. */
export const childPartition = (tenant: TenantId, parent: string, parentId: string, entity: string): string =>
  `ORG#${tenant}#${parent}#${parentId}#${entity}`;

/**
 * Where a list keeps what it knows of its numbers: its head and its gaps, `ORG#<tenant>#TICKET#SET`; of a filter's value the numbers of its
 * records, `ORG#<tenant>#TICKET#status=open#SET`.
 */
export const setPartition = (partition: string, field?: string, value?: string): string =>
  field === undefined ? `${partition}#SET` : `${partition}#${field}=${encodeURIComponent(value ?? '')}#SET`;

/** Sort key of a list's head; after every item of bits. */
export const HEAD = 'HEAD';

/** Guards that a value is used once in a tenant: `ORG#<tenant>#UNIQUE#CLIENT#slug`. */
export const uniqueKey = (tenant: TenantId, entity: string, field: string, value: string): Key => ({
  PK: `ORG#${tenant}#UNIQUE#${entity}#${field}`,
  SK: value,
});

/** Remembers that something happened: `ORG#<tenant>#ONCE#EVENT#<integration id>`, by event id. */
export const deduplicationKey = (tenant: TenantId, scope: string, id: string): Key => ({
  PK: `ORG#${tenant}#ONCE#${scope}`,
  SK: id,
});

/** The wrapped data key that a tenant's credentials are encrypted with in a year: `ORG#<tenant>#DATA_KEY` / `2026`. */
export const dataKeyKey = (tenant: TenantId, year: number): Key => ({
  PK: `ORG#${tenant}#DATA_KEY`,
  SK: String(year),
});

/** How often something was refused to whoever tried to be an integration, in one day: `ORG#<tenant>#REFUSALS` / `<what>#<integration id>#2026-11-20`. */
export const refusalsKey = (tenant: TenantId, what: string, integrationId: string, day: string): Key => ({
  PK: `ORG#${tenant}#REFUSALS`,
  SK: `${what}#${integrationId}#${day}`,
});

/** Partitions that wait to be emptied, after what they belonged to was deleted. */
export const cascadeDeletePartition = (tenant: TenantId): string => `ORG#${tenant}#SWEEP`;

/** An integration's credentials, found by app code before a tenant is known. */
export const appKey = (appCode: string): Key => ({ PK: `APP#${appCode}`, SK: 'CREDENTIALS' });

/** Failed logins of one app code from one network, by their digest. */
export const loginFailureKey = (digest: string): Key => ({ PK: `LOGIN_FAILURE#${digest}`, SK: 'FAILURES' });

/** How many records of a kind a tenant has, where it may not have any number: `ORG#<tenant>#QUOTA` / `INTEGRATION`. */
export const quotaKey = (tenant: TenantId, counted: string): Key => ({ PK: `ORG#${tenant}#QUOTA`, SK: counted });

/** What has been spent of a request budget: an integration's, by its id, or the tenant's own. */
export const budgetKey = (tenant: TenantId, of: string): Key => ({ PK: `ORG#${tenant}#BUDGET`, SK: of });
