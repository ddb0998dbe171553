import { Problem } from '#contract';
import type { Caller } from '#identity';
import { type RequestSession, Tenant } from '#table';
import { increment, logger, workBegun } from '#telemetry';
import { USERS } from '../keys.ts';
import { type Bucket, knownOf, type RequestCount, takeReserve } from './bucket.ts';
import { BUDGET_WINDOW, flushBudget, readBudget } from './stored-budget.ts';

/**
 * The request budgets of a caller and of its tenant, so that no tenant can starve the others, however many keys or
 * users it has (`docs/decisions/0081`). Requests are admitted or refused without a call to the table; some of them also
 * flush the budget to it, in parallel to their own work.
 */

type ChargeTo = 'own' | 'own-and-tenant';

/**
 * A request with as many repeated calls of DynamoDB flushes its budgets however little that is. Where requests wait for
 * the table, they spread over hundreds of containers, each with too few for a batch.
 */
const RETRIES_TO_FLUSH = 2;

/** Units of DynamoDB that cost one request of a budget. */
export const UNITS_A_REQUEST = 100;

/** The number of budget requests that these read and write units cost. */
export const requestsFor = (units: number): number => Math.max(1, Math.ceil(units / UNITS_A_REQUEST));

/**
 * Charges one request to the budgets of its caller: 1 at first, more before it reads or writes many large records, and
 * the rest when its work is done.
 */
export class RequestBudget {
  readonly #session: RequestSession;
  #budgets: readonly Budget[] = [];
  #charged = 0;
  /** Set for a request that is served from the reserve. */
  #refusal: Refusal | undefined;
  #flushing: Promise<unknown> = Promise.resolve();
  /** What the operation has read. */
  #reported: readonly Limit[] | undefined;

  constructor(session: RequestSession) {
    this.#session = session;
    // Named first: V8 puts a function that is written where it is assigned to a property into the old generation.
    const expectUnits = (units: number): void => this.#expect(units);
    session.expectUnits = expectUnits;
  }

  /**
   * Charges the request to its caller and the caller's tenant. Further calls do nothing. `chargeTo`: `own` for an
   * inactive caller, whose requests must not be charged to its tenant. `hasReserve`: where a budget is spent, the
   * request is served from the reserve of its token instead.
   * @throws Problem `too-many-requests` when any of these budgets is spent, and the reserve where there is one; then
   *   none is charged
   */
  charge(caller: Caller, chargeTo: ChargeTo = 'own-and-tenant', hasReserve = false): void {
    if (this.#charged > 0 || this.#refusal !== undefined) return;
    const [own, ofTenant] = budgetsOf(caller, Tenant.of(caller, this.#session));
    const budgets = chargeTo === 'own' ? [own] : [own, ofTenant];
    const now = this.#session.clock();
    const refusal = refusalBeyond(budgets, now);
    if (refusal === undefined) {
      own.count.add(now);
      this.#budgets = budgets;
      this.#take(1);
    } else if (hasReserve && takeReserve(caller, now)) this.#refusal = refusal;
    else throw counted(refusal.problem);
  }

  /** @throws Problem `too-many-requests` where the budget is spent */
  require(): void {
    if (this.#refusal !== undefined) throw counted(this.#refusal.problem);
  }

  /** Charges the work that goes beyond what was charged before, or returns what was not used. */
  chargeWork(): void {
    const { units, retries } = workBegun();
    const rest = requestsFor(units) - this.#charged;
    if (this.#charged > 0 && rest !== 0) this.#take(rest);
    if (retries >= RETRIES_TO_FLUSH) this.#flush(this.#session.clock(), true);
  }

  /** The `RateLimit` headers; none before the request is charged. */
  get headers(): Readonly<Record<string, string>> {
    if (this.#charged === 0) return this.#refusal?.budgetHeaders ?? {};
    return rateLimitHeaders(leastOf(this.#reported ?? this.#limits(), ({ remaining }) => remaining));
  }

  /**
   * Reads what is left of each budget, as all containers have flushed it: one read for each, in parallel. The headers
   * then say the same.
   */
  async readLimits(): Promise<readonly Limit[]> {
    const now = this.#session.clock();
    const reading = this.#budgets.map(async ({ bucket, tenant, owner }) =>
      bucket.learn(await readBudget(tenant, owner), now),
    );
    await Promise.all(reading);
    this.#reported = this.#limits();
    return this.#reported;
  }

  /** Resolves when the writes to the table are done. */
  get flushed(): Promise<unknown> {
    return this.#flushing;
  }

  /**
   * Charges work that is about to begin.
   * @throws Problem `too-many-requests` where a budget that it would fit into has no room for it
   */
  #expect(units: number): void {
    const more = requestsFor(workBegun().units + units) - this.#charged;
    if (this.#charged === 0 || more <= 0) return;
    const refusal = refusalBeyond(this.#budgets, this.#session.clock(), { more, charged: this.#charged });
    if (refusal !== undefined) throw counted(refusal.problem);
    this.#take(more);
  }

  #take(requests: number): void {
    const now = this.#session.clock();
    for (const { bucket, limit } of this.#budgets) bucket.take(limit, now, requests);
    this.#charged += requests;
    this.#flush(now);
  }

  #limits(): readonly Limit[] {
    const now = this.#session.clock();
    return this.#budgets.map((budget) => limitOf(budget, now));
  }

  #flush(now: number, isUrgent = false): void {
    this.#flushing = Promise.all([this.#flushing, ...this.#budgets.map((budget) => flush(budget, now, isUrgent))]);
  }
}

function counted(problem: Problem): Problem {
  increment('BudgetRefusals');
  return problem;
}

interface Refusal {
  readonly problem: Problem;
  readonly budgetHeaders: Readonly<Record<string, string>>;
}

/**
 * The refusal by the budget with the longest wait; undefined where all budgets have room for so many more requests, or
 * were full before this one.
 */
function refusalBeyond(
  budgets: readonly Budget[],
  now: number,
  { more, charged } = { more: 1, charged: 0 },
): Refusal | undefined {
  const waitOf = ({ bucket, limit }: Budget): number => bucket.wait(limit, now, Math.min(more, limit - charged));
  const last = leastOf(budgets, (budget) => -waitOf(budget));
  const wait = waitOf(last);
  if (wait === 0) return undefined;
  const budgetHeaders = rateLimitHeaders(limitOf(last, now));
  const work = charged === 0 ? '' : ` This one takes as much as ${more + charged}.`;
  const problem = new Problem('too-many-requests', {
    detail: `${CHARGED_TO[chargedTo(last)]} may send ${last.limit} requests a minute.${work}`,
    headers: { ...budgetHeaders, 'Retry-After': String(wait) },
  });
  return { problem, budgetHeaders };
}

const CHARGED_TO = {
  integration: 'This integration',
  user: 'This user',
  tenant: 'All integrations and users of this tenant together',
} as const;

const chargedTo = ({ owner }: Budget): keyof typeof CHARGED_TO => {
  if (owner === null) return 'tenant';
  return owner.startsWith(USERS) ? 'user' : 'integration';
};

const leastOf = <T>(all: readonly T[], by: (one: T) => number): T =>
  all.reduce((least, one) => (by(one) < by(least) ? one : least));

/** Flushes a budget where that is worth a write. Best effort: a failed flush must not fail the request. */
export async function flush(
  { bucket, count, limit, tenant, owner }: Omit<Budget, 'policy'>,
  now: number,
  isUrgent = false,
): Promise<void> {
  const batch = bucket.takeBatch(limit, now, isUrgent);
  if (batch === 0 && !count.isDue(now)) return;
  try {
    const besides = { counted: count.take(now), seemsFull: bucket.seemsFullBefore(batch, now) };
    const { fullAt, surplus } = await flushBudget(tenant, owner, batch, besides);
    bucket.learn(fullAt, now, batch);
    count.learn(surplus);
  } catch (error) {
    logger.warn('a request budget could not be settled', { error: error as Error });
  }
}

/** The budgets that a caller's requests are charged to, their limits, and how they are reported. */

/** Requests a minute of an integration that has no limit of its own, where `RATE_LIMIT` sets none for the stage. */
export const STANDARD_LIMIT = 600;
/** A tenant's limit, as a multiple of an integration's, where `TENANT_RATE_LIMIT` sets none. */
export const STANDARD_SHARE = 10;

/** One of the budgets that a request is charged to. */
export interface Budget {
  /** Its name in the headers. */
  readonly policy: 'default' | 'tenant';
  readonly tenant: Tenant;
  /** Id of the integration, or of the user after {@link USERS}. Null: of the whole tenant. */
  readonly owner: string | null;
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

/** The caller's own budget, and the one that all callers of its tenant share. */
export function budgetsOf({ type, id, rateLimit }: Caller, tenant: Tenant): readonly [own: Budget, ofTenant: Budget] {
  const owner = type === 'user' ? `${USERS}${id}` : id;
  const limit = rateLimit ?? stageLimit();
  // A tenant's limit is never below that of one of its integrations.
  const tenantLimit = Math.max(stageTenantLimit(), rateLimit ?? 0);
  return [
    { policy: 'default', tenant, owner, limit, ...knownOf(tenant, owner) },
    { policy: 'tenant', tenant, owner: null, limit: tenantLimit, ...knownOf(tenant, null) },
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
