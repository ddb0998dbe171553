import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type Key, readPartition, schema } from '#lists';
import type { Tenant } from '#table';
import { CLOCKS_DIFFER_MS } from '../clock.ts';
import { budgetKey } from './keys.ts';

/**
 * The bucket of an integration's or a whole tenant's request budget that all containers share: one item with the time
 * at which it will be full again (`shared/http/budget/token-bucket.ts`), and the writer's time `AT`. Both are by the
 * last writer's clock, which may be wrong: if `AT` is in the future, only the difference of the two counts
 * (`docs/decisions/0160-clocks.md`).
 */

/** The window of a budget, in milliseconds. */
export const BUDGET_WINDOW = {
  /** Time in which an empty bucket refills. */
  refillMs: 60_000,
  /** The largest stored spent part. Beyond `refillMs` it is debt. */
  mostSpentMs: 300_000,
} as const;

/** No writer stores more than this: one charge of `mostSpentMs` on top of as much. A larger value comes from a wrong clock. */
const BELIEVED_MS = 2 * BUDGET_WINDOW.mostSpentMs;

const WHOLE_TENANT = 'TENANT';

/** The key of an integration's bucket, or, for null, of the whole tenant's. */
const keyOf = ({ id }: Tenant, integrationId: string | null): Key => budgetKey(id, integrationId ?? WHOLE_TENANT);

/** How long an unused bucket is kept, in seconds: longer than it takes to refill. */
const KEPT = 3_600;
/** Longest time for flushing, in milliseconds: the response waits for it. */
const TIMEOUT_MS = 1_000;
/** Number of tries in competition with other containers, each of one or two calls. */
const TRIES = 2;

/**
 * Moves the time at which a bucket of the tenant will be full forward by `cost` milliseconds, from now or from where it is, whichever is later.
 * One `UpdateItem`; two where the bucket was full, or where its last writer's clock differs from this one. A retry after a lost reply may count
 * twice.
 * @param integrationId whose bucket; null: that of the whole tenant
 * @param cost at most `mostSpentMs` of {@link BUDGET_WINDOW}
 * @returns the new time, in epoch milliseconds
 */
export async function flushBudget(tenant: Tenant, integrationId: string | null, cost: number): Promise<number> {
  const now = tenant.session.clock();
  const update = updater(tenant, keyOf(tenant, integrationId), now);
  for (let tries = 0; tries < TRIES; tries++) {
    const { fullAt, found } = await update(move(cost, now));
    if (fullAt !== undefined) return fullAt;
    const replaced = await update(
      replace(found, now + Math.min(spentIn(found, now) + cost, BUDGET_WINDOW.mostSpentMs)),
    );
    if (replaced.fullAt !== undefined) return replaced.fullAt;
  }
  return now + cost;
}

/** A bucket as stored, in epoch milliseconds. Absent in items of earlier releases: `AT`. */
interface Bucket {
  readonly FULL_AT?: number;
  readonly AT?: number;
}

/** The spent part of a stored bucket, in milliseconds of the window. */
function spentIn({ FULL_AT: fullAt = 0, AT: at = 0 }: Bucket, now: number): number {
  const spent = fullAt - (at > now + CLOCKS_DIFFER_MS ? at : now);
  return spent > 0 && spent <= BELIEVED_MS ? Math.min(spent, BUDGET_WINDOW.mostSpentMs) : 0;
}

/** A part of an update: an expression for `FULL_AT`, a condition, and their values. */
type Change = Pick<UpdateCommandInput, 'ConditionExpression' | 'ExpressionAttributeValues'> & { readonly full: string };

/** The change of a plausible bucket that is not full. */
const move = (cost: number, now: number): Change => ({
  full: '#full + :cost',
  ConditionExpression: '#full BETWEEN :now AND :most AND (attribute_not_exists(#at) OR #at <= :latest)',
  ExpressionAttributeValues: {
    ':cost': cost,
    ':most': now + BUDGET_WINDOW.mostSpentMs,
    ':latest': now + CLOCKS_DIFFER_MS,
  },
});

/** The change of a bucket as read, unless another container has changed it since. */
const replace = ({ FULL_AT: fullAt, AT: at }: Bucket, full: number): Change => ({
  full: ':full',
  ConditionExpression: [
    fullAt === undefined ? 'attribute_not_exists(#full)' : '#full = :foundFull',
    at === undefined ? 'attribute_not_exists(#at)' : '#at = :foundAt',
  ].join(' AND '),
  ExpressionAttributeValues: {
    ':full': full,
    ...(fullAt === undefined ? {} : { ':foundFull': fullAt }),
    ...(at === undefined ? {} : { ':foundAt': at }),
  },
});

interface Updated {
  /** The new time; undefined where the condition did not hold. */
  readonly fullAt?: number;
  /** The bucket that did not meet the condition. */
  readonly found: Bucket;
}

function updater(tenant: Tenant, key: Key, now: number): (change: Change) => Promise<Updated> {
  const table = tenant.session.tables.of(tenant.id);
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  return async ({ full, ConditionExpression, ExpressionAttributeValues }) => {
    const command = new UpdateCommand({
      TableName: table.name,
      Key: { ...key },
      UpdateExpression: `SET #full = ${full}, #at = :now, #ttl = :expires`,
      ConditionExpression,
      ExpressionAttributeNames: { '#full': 'FULL_AT', '#at': 'AT', '#ttl': schema.TTL },
      ExpressionAttributeValues: {
        ':now': now,
        ':expires': Math.ceil(now / 1000) + KEPT,
        ...ExpressionAttributeValues,
      },
      ReturnValues: 'UPDATED_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      const { Attributes } = await table.client.send(command, { abortSignal: deadline });
      return { fullAt: Number(Attributes?.FULL_AT), found: {} };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return { found: unmarshall(error.Item ?? {}) };
    }
  };
}

/** A bucket as all containers have flushed it. */
interface Spent {
  /** Null: of the whole tenant. */
  readonly integrationId: string | null;
  /** The part of a minute's requests that is spent; beyond 1 it is debt. */
  readonly spent: number;
}

/** All buckets of a tenant, for the operator: one query. */
export async function readBudgets(tenant: Tenant): Promise<readonly Spent[]> {
  const { id, session } = tenant;
  const table = session.tables.of(id);
  const budgets: Spent[] = [];
  for await (const item of readPartition({ table, clock: session.clock }, keyOf(tenant, null).PK)) {
    const integrationId = item.SK === WHOLE_TENANT ? null : String(item.SK);
    budgets.push({ integrationId, spent: spentIn(item, session.now) / BUDGET_WINDOW.refillMs });
  }
  return budgets;
}
