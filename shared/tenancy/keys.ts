import type { Key } from '@custodia/counted-lists';
import type { TenantId } from '#table';

/** The keys of what the service stores about a tenant itself, and of what it knows before the tenant. */

/** The tenant of an app code. Put once, with the credentials, and never changed (`docs/decisions/0012`). */
export const appKey = (appCode: string): Key => ({ PK: `APP#${appCode}`, SK: 'TENANT' });

/**
 * The suspension of an organization. It is outside of the tenant's own keys, so that its sessions can read it but not
 * lift it (`docs/decisions/0096`).
 */
export const suspensionKey = (tenant: TenantId): Key => ({ PK: `SUSPENDED#${tenant}`, SK: 'STATE' });

/** Failed logins with one app code from one network, by the digest of both. */
export const loginFailureKey = (digest: string): Key => ({ PK: `LOGIN_FAILURE#${digest}`, SK: 'FAILURES' });

/** The number of records of a kind with a quota: `ORG#<tenant>#QUOTA` / `INTEGRATION`. */
export const quotaKey = (tenant: TenantId, counted: string): Key => ({ PK: `ORG#${tenant}#QUOTA`, SK: counted });

/**
 * Sort keys of a tenant's budgets that are of no integration: of all together, of deliveries, and of when replays
 * begin.
 */
export const BUDGET_OF = { all: 'TENANT', deliveries: 'DELIVERIES', replays: 'REPLAYS' } as const;

/**
 * The shared bucket of a request budget, with the number of requests by day: an integration's, by its id, or one of
 * {@link BUDGET_OF}.
 */
export const budgetKey = (tenant: TenantId, of: string): Key => ({ PK: `ORG#${tenant}#BUDGET`, SK: of });

/** The wrapped data key that a tenant's credentials are encrypted with in a year: `ORG#<tenant>#DATA_KEY` / `2026`. */
export const dataKeyKey = (tenant: TenantId, year: string): Key => ({
  PK: `ORG#${tenant}#DATA_KEY`,
  SK: year,
});

/**
 * How often something was counted of an integration in one day: `ORG#<tenant>#REFUSALS` / `<what>#<integration
 * id>#2026-11-20` for refused logins, signatures and escalations; `ORG#<tenant>#READS` / `Service#<integration
 * id>#2026-11-20` for reads of credentials, by type of record.
 */
export const dailyCountKey = (
  tenant: TenantId,
  counted: 'REFUSALS' | 'READS',
  what: string,
  integrationId: string,
  day: string,
): Key => ({ PK: `ORG#${tenant}#${counted}`, SK: `${what}#${integrationId}#${day}` });

/**
 * The register of active webhook endpoints, of all tenants in one partition: `DELIVERIES` / `<tenant>#<endpoint id>`.
 * It is outside of the tenants' own keys, so that what wakes deliveries reads no key of a tenant, and a tenant's
 * session can only add to it.
 */
export const registerKey = (tenant: TenantId, endpointId: string): Key => ({
  PK: 'DELIVERIES',
  SK: `${tenant}#${endpointId}`,
});

/** How far the deliveries of a webhook endpoint are: `ORG#<tenant>#DELIVERY` / endpoint id. */
export const deliveryStateKey = (tenant: TenantId, endpointId: string): Key => ({
  PK: `ORG#${tenant}#DELIVERY`,
  SK: endpointId,
});
