import { Logger } from '@aws-lambda-powertools/logger';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Caller } from '../auth/caller.ts';
import { Problem } from '../contract/problem.ts';
import { settleBudget } from '../table/budget.ts';
import type { Session } from '../table/session.ts';
import { Tenant } from '../table/tenant.ts';
import { problemOf } from './problems.ts';
import { Bucket, type Quota, WINDOW_MS } from './rate-limit-bucket.ts';

/**
 * The request budget of an integration, so that no tenant takes the service from the others (`docs/decisions/0081`). A request is
 * let through or refused without asking the table; now and then one settles with it, beside its own work.
 */

/** Requests a minute of an integration that has no limit of its own, where `RATE_LIMIT` sets none for the stage. */
const STANDARD_LIMIT = 600;

const logger = new Logger({ serviceName: 'custodia' });

/** By integration, the one not used for longest first. */
const buckets = new Map<string, Bucket>();
const KEPT_BUCKETS = 10_000;

/**
 * Does a request's work, if the caller has budget left. Its answer says what is left, also when it is a problem.
 * @throws Problem `too-many-requests`, or what the work throws as a problem
 */
export async function withinBudget(
  caller: Caller,
  session: Session,
  work: () => Promise<APIGatewayProxyResult>,
): Promise<APIGatewayProxyResult> {
  const limit = caller.rateLimit ?? stageLimit();
  const bucket = bucketOf(caller.integrationId);
  const quota = bucket.spend(limit, session.now);
  const headers = rateLimitHeaders(limit, quota);
  if (quota.wait > 0) throw tooManyRequests(limit, quota, headers);
  const settling = settle(bucket, limit, caller, session);
  try {
    const answer = await work();
    return { ...answer, headers: { ...answer.headers, ...headers } };
  } catch (error) {
    throw withHeaders(problemOf(error), headers, error);
  } finally {
    // A container may be frozen once the answer is given.
    await settling;
  }
}

/** Requests a minute. */
const stageLimit = (): number => {
  const limit = process.env.RATE_LIMIT ?? '';
  return /^[1-9]\d{0,8}$/.test(limit) ? Number(limit) : STANDARD_LIMIT;
};

function bucketOf(integrationId: string): Bucket {
  const bucket = buckets.get(integrationId) ?? new Bucket();
  buckets.delete(integrationId);
  buckets.set(integrationId, bucket);
  for (const longestUnused of buckets.keys()) {
    if (buckets.size <= KEPT_BUCKETS) break;
    buckets.delete(longestUnused);
  }
  return bucket;
}

/** Fails open: a budget that cannot be settled is no reason to refuse anybody. */
async function settle(bucket: Bucket, limit: number, caller: Caller, session: Session): Promise<void> {
  const batch = bucket.takeBatch(limit, session.now);
  if (batch === 0) return;
  try {
    const cost = (batch * WINDOW_MS) / limit;
    bucket.learn(await settleBudget(Tenant.of(caller, session), caller.integrationId, cost), limit);
  } catch (error) {
    logger.warn('a request budget could not be settled', { error: error as Error });
  }
}

/** draft-ietf-httpapi-ratelimit-headers-11: the limit and its window, what is left of it, and when all of it is back, in seconds. */
const rateLimitHeaders = (limit: number, { remaining, reset }: Quota) => ({
  'RateLimit-Policy': `"default";q=${limit};w=${WINDOW_MS / 1000}`,
  RateLimit: `"default";r=${remaining};t=${reset}`,
});

const tooManyRequests = (limit: number, { wait }: Quota, headers: Readonly<Record<string, string>>): Problem =>
  new Problem('too-many-requests', {
    detail: `This integration may send ${limit} requests a minute.`,
    headers: { ...headers, 'Retry-After': String(wait) },
  });

const withHeaders = (problem: Problem, headers: Readonly<Record<string, string>>, cause: unknown): Problem =>
  new Problem(problem.type, {
    ...(problem.detail === undefined ? {} : { detail: problem.detail }),
    errors: problem.errors,
    headers: { ...problem.headers, ...headers },
    cause,
  });
