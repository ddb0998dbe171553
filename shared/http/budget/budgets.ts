import type { Caller } from '#identity';
import type { Tenant } from '#table';
import { BUDGET_WINDOW } from '#tenancy';
import { knownOf } from './buckets.ts';
import type { RequestCount } from './request-count.ts';
import type { Bucket } from './token-bucket.ts';

/** The budgets that a caller's requests are charged to, their limits, and what is told of them. */

/** Requests a minute of an integration that has no limit of its own, where `RATE_LIMIT` sets none for the stage. */
export const STANDARD_LIMIT = 600;
/** A tenant's limit, as a multiple of an integration's, where `TENANT_RATE_LIMIT` sets none. */
export const STANDARD_SHARE = 10;

/** One of the budgets that a request is charged to. */
export interface Budget {
  /** Its name in the headers. */
  readonly policy: 'default' | 'tenant';
  readonly tenant: Tenant;
  /** Null: of the whole tenant. */
  readonly integrationId: string | null;
  /** Requests a minute. */
  readonly limit: number;
  readonly bucket: Bucket;
  readonly count: RequestCount;
}

/** What is left of a budget. */
export interface Limit {
  readonly policy: Budget['policy'];
  /** Requests a minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the budget is whole again. */
  readonly reset: number;
}

/** The integration's own budget, and the one that all integrations of its tenant share. */
export function budgetsOf(
  { integrationId, rateLimit }: Caller,
  tenant: Tenant,
): readonly [own: Budget, ofTenant: Budget] {
  const limit = rateLimit ?? stageLimit();
  // A tenant's limit is never below that of one of its integrations.
  const tenantLimit = Math.max(stageTenantLimit(), rateLimit ?? 0);
  return [
    { policy: 'default', tenant, integrationId, limit, ...knownOf(tenant, integrationId) },
    { policy: 'tenant', tenant, integrationId: null, limit: tenantLimit, ...knownOf(tenant, null) },
  ];
}

/** Requests a minute. */
const stageLimit = (): number => limitIn('RATE_LIMIT') ?? STANDARD_LIMIT;
export const stageTenantLimit = (): number => limitIn('TENANT_RATE_LIMIT') ?? stageLimit() * STANDARD_SHARE;

const limitIn = (variable: 'RATE_LIMIT' | 'TENANT_RATE_LIMIT'): number | undefined => {
  const limit = process.env[variable] ?? '';
  return /^[1-9]\d{0,8}$/.test(limit) ? Number(limit) : undefined;
};

export const limitOf = ({ policy, limit, bucket }: Budget, now: number): Limit => ({
  policy,
  limit,
  ...bucket.quota(limit, now),
});

/**
 * draft-ietf-httpapi-ratelimit-headers-11: the limit and its window, what is left of it, and the seconds until it is
 * whole again.
 */
export function rateLimitHeaders({ policy, limit, remaining, reset }: Limit): Record<string, string> {
  return {
    'RateLimit-Policy': `"${policy}";q=${limit};w=${BUDGET_WINDOW.refillMs / 1000}`,
    RateLimit: `"${policy}";r=${remaining};t=${reset}`,
  };
}
