import { Problem } from '../contract/problem.ts';
import type { Caller } from '../identity/caller.ts';
import { logger } from '../logger.ts';
import type { Session } from '../table/session.ts';
import { settleBudget, WHOLE_TENANT } from '../table/system/request-budget.ts';
import { Tenant } from '../table/tenant.ts';
import { Bucket, WINDOW_MS } from './token-bucket.ts';

/**
 * The request budgets of an integration and of its tenant, so that no tenant takes the service from the others, however many keys
 * it has (`docs/decisions/0081`). A request is let through or refused without asking the table; now and then one settles with it,
 * beside its own work.
 */

/** Requests a minute of an integration that has no limit of its own, where `RATE_LIMIT` sets none for the stage. */
const STANDARD_LIMIT = 600;
/** A tenant may send as much as so many such integrations, where `TENANT_RATE_LIMIT` sets nothing else. */
const STANDARD_SHARE = 10;

/** By tenant and by whose they are, the one not used for longest first. */
const buckets = new Map<string, Bucket>();
const KEPT_BUCKETS = 10_000;

/** One of the budgets that a request is charged to. */
interface Budget {
  /** Its name in the headers. */
  readonly policy: 'default' | 'tenant';
  readonly tenant: Tenant;
  /** Whose it is in the tenant. */
  readonly of: string;
  /** Requests a minute. */
  readonly limit: number;
  readonly bucket: Bucket;
}

type Payers = 'own' | 'own-and-tenant';

/** How a request is charged: {@link RequestBudget.charge}. */
export type Charge = RequestBudget['charge'];

/** What one request costs its caller. */
export class RequestBudget {
  readonly #session: Session;
  #headers: Readonly<Record<string, string>> | undefined;
  #settling: Promise<unknown> = Promise.resolve();

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Charges the request to its caller and the caller's tenant, once however often it is called. `payers`: `own` where the caller is cut off and
   * its tenant is not to pay for it.
   * @throws Problem `too-many-requests` when there is no room in all of these budgets; then it is charged to none
   */
  charge(caller: Caller, payers: Payers = 'own-and-tenant'): void {
    if (this.#headers !== undefined) return;
    const { now } = this.#session;
    const [own, ofTenant] = budgetsOf(caller, Tenant.of(caller, this.#session));
    const budgets = payers === 'own' ? [own] : [own, ofTenant];
    refuseBeyond(budgets, now);
    for (const { bucket, limit } of budgets) bucket.take(limit, now);
    const tightest = leastOf(budgets, ({ bucket, limit }) => bucket.quota(limit, now).remaining);
    this.#headers = rateLimitHeaders(tightest, now);
    this.#settling = Promise.all(budgets.map((budget) => settle(budget, now)));
  }

  /** What the answer says of what is left; nothing before the request is charged. */
  get headers(): Readonly<Record<string, string>> {
    return this.#headers ?? {};
  }

  /** Resolved once what is spent was written down, as far as it is to be. */
  get settled(): Promise<unknown> {
    return this.#settling;
  }
}

/** The integration's own budget and, beside it, the one that all integrations of its tenant have together. */
function budgetsOf({ integrationId, rateLimit }: Caller, tenant: Tenant): readonly [own: Budget, ofTenant: Budget] {
  const limit = rateLimit ?? stageLimit();
  // What the platform gave to one of its integrations a tenant may send in any case.
  const tenantLimit = Math.max(stageTenantLimit(), rateLimit ?? 0);
  return [
    { policy: 'default', tenant, of: integrationId, limit, bucket: bucketOf(tenant, integrationId) },
    { policy: 'tenant', tenant, of: WHOLE_TENANT, limit: tenantLimit, bucket: bucketOf(tenant, WHOLE_TENANT) },
  ];
}

/** @throws Problem `too-many-requests` that tells of the budget which has room last */
function refuseBeyond(budgets: readonly Budget[], now: number): void {
  const last = leastOf(budgets, ({ bucket, limit }) => -bucket.wait(limit, now));
  const wait = last.bucket.wait(last.limit, now);
  if (wait === 0) return;
  throw new Problem('too-many-requests', {
    detail: `${PAYERS[last.policy]} may send ${last.limit} requests a minute.`,
    headers: { ...rateLimitHeaders(last, now), 'Retry-After': String(wait) },
  });
}

const PAYERS = { default: 'This integration', tenant: 'All integrations of this tenant together' } as const;

/** The first of those for which `by` is least. */
const leastOf = (budgets: readonly Budget[], by: (budget: Budget) => number): Budget =>
  budgets.reduce((least, budget) => (by(budget) < by(least) ? budget : least));

/** Requests a minute. */
const stageLimit = (): number => limitIn('RATE_LIMIT') ?? STANDARD_LIMIT;
const stageTenantLimit = (): number => limitIn('TENANT_RATE_LIMIT') ?? stageLimit() * STANDARD_SHARE;

const limitIn = (variable: 'RATE_LIMIT' | 'TENANT_RATE_LIMIT'): number | undefined => {
  const limit = process.env[variable] ?? '';
  return /^[1-9]\d{0,8}$/.test(limit) ? Number(limit) : undefined;
};

function bucketOf(tenant: Tenant, of: string): Bucket {
  const name = `${tenant.id}#${of}`;
  const bucket = buckets.get(name) ?? new Bucket();
  buckets.delete(name);
  buckets.set(name, bucket);
  for (const longestUnused of buckets.keys()) {
    if (buckets.size <= KEPT_BUCKETS) break;
    buckets.delete(longestUnused);
  }
  return bucket;
}

/** Fails open: a budget that cannot be settled is no reason to refuse anybody. */
async function settle({ bucket, limit, tenant, of }: Budget, now: number): Promise<void> {
  const batch = bucket.takeBatch(limit, now);
  if (batch === 0) return;
  try {
    bucket.learn(await settleBudget(tenant, of, batch));
  } catch (error) {
    logger.warn('a request budget could not be settled', { error: error as Error });
  }
}

/** draft-ietf-httpapi-ratelimit-headers-11: the limit and its window, what is left of it, and when all of it is back, in seconds. */
function rateLimitHeaders({ policy, limit, bucket }: Budget, now: number): Record<string, string> {
  const { remaining, reset } = bucket.quota(limit, now);
  return {
    'RateLimit-Policy': `"${policy}";q=${limit};w=${WINDOW_MS / 1000}`,
    RateLimit: `"${policy}";r=${remaining};t=${reset}`,
  };
}
