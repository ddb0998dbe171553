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

/**
 * Sort keys of a tenant's budgets that are of no integration: of all together, of deliveries, and of when replays
 * begin. The others are of an integration, by its id, or of a user, by its id after {@link USERS}. Each has the shared
 * bucket, with the number of requests by day.
 */
export const BUDGET_OF = { all: 'TENANT', deliveries: 'DELIVERIES', replays: 'REPLAYS' } as const;

/** Before the ids of users: it sorts them behind all ids of integrations, which are hexadecimal. */
export const USERS = 'user#';
