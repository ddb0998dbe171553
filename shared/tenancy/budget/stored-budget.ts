import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type Item, type Key, schema } from '@custodia/counted-lists';
import type { Tenant } from '#table';
import { tenantKey } from '#table';
import { CLOCKS_DIFFER_MS } from '../../clock.ts';
import { BUDGET_OF } from '../keys.ts';
import { type Counted, KEPT_SECONDS, NOTHING_COUNTED, surplusIn, updateOf } from './request-counts.ts';

/**
 * The bucket of an integration's or a whole tenant's request budget that all containers share: one item with the time
 * at which it will be full again (`shared/tenancy/budget/bucket.ts`), and the writer's time `AT`. Both are by the
 * last writer's clock, which may be wrong: if `AT` is in the future, only the difference of the two counts
 * (`docs/decisions/0160-clocks.md`). An integration's item also counts its requests by day (`request-counts.ts`).
 */

/** The window of a budget, in milliseconds. */
export const BUDGET_WINDOW = {
  /** Time in which an empty bucket refills. */
  refillMs: 60_000,
  /** The largest stored spent part. Beyond `refillMs` it is debt. */
  mostSpentMs: 300_000,
} as const;

/**
 * No writer stores more than this: one charge of `mostSpentMs` on top of as much. A larger value comes from a wrong
 * clock.
 */
const BELIEVED_MS = 2 * BUDGET_WINDOW.mostSpentMs;

/** The key of a caller's bucket, or, for null, of the whole tenant's. */
const keyOf = ({ id }: Tenant, owner: string | null): Key => tenantKey(id, 'BUDGET', owner ?? BUDGET_OF.all);

/** How long a tenant's unused bucket is kept, in seconds: longer than it takes to refill. */
const KEPT = 3_600;
/** Longest time for flushing, in milliseconds: the response waits for it. */
const TIMEOUT_MS = 1_000;
/** Number of tries in competition with other containers, each of one or two calls. */
const TRIES = 2;

/** A bucket after a flush. */
interface Flushed {
  /** When it will be full again, in epoch milliseconds. */
  readonly fullAt: number;
  /** Days that the next flush is to remove. */
  readonly surplus: Counted['surplus'];
}

/** What else a flush takes. */
interface Besides {
  readonly counted?: Counted;
  /** Whether the bucket is full, as far as the container knows. */
  readonly seemsFull?: boolean;
}

/**
 * Moves the time at which a bucket of the tenant will be full forward by `cost` milliseconds, from now or from where it
 * is, whichever is later, and adds the number of requests by day. One `UpdateItem`; two where the bucket is not as it
 * seems, or where its last writer's clock differs from this one, but never for a cost of 0. A retry after a lost reply
 * finds the id of its own write and adds nothing, unless another container has written meanwhile.
 * @param owner whose bucket; null: that of the whole tenant
 * @param cost at most `mostSpentMs` of {@link BUDGET_WINDOW}; 0 for the number of requests alone
 */
export async function flushBudget(
  tenant: Tenant,
  owner: string | null,
  cost: number,
  { counted = NOTHING_COUNTED, seemsFull = false }: Besides = {},
): Promise<Flushed> {
  const now = tenant.session.clock();
  const update = updater(tenant, owner, now, counted);
  if (cost === 0) {
    const { item } = await update(STAY);
    return { fullAt: now + spentIn(item, now), surplus: surplusIn(item) };
  }
  for (let tries = 0; tries < TRIES; tries++) {
    const { item: found, isDone } = await update(seemsFull && tries === 0 ? begin(cost, now) : move(cost, now));
    if (isDone) return flushed(found);
    const replaced = await update(
      replace(found, now + Math.min(spentIn(found, now) + cost, BUDGET_WINDOW.mostSpentMs)),
    );
    if (replaced.isDone) return flushed(replaced.item);
  }
  return { fullAt: now + cost, surplus: [] };
}

const flushed = (item: Item): Flushed => ({ fullAt: Number(item.FULL_AT), surplus: surplusIn(item) });

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

/** A change of a bucket: an expression for `FULL_AT`, a condition, and their values. */
interface Change {
  readonly full: string;
  readonly condition: string;
  readonly values: Readonly<Record<string, number>>;
}

/** The change of a bucket that is full, or not there. */
const begin = (cost: number, now: number): Change => ({
  full: ':full',
  condition: '(attribute_not_exists(#full) OR #full < :now)',
  values: { ':full': now + cost },
});

/** The change of a plausible bucket that is not full. */
const move = (cost: number, now: number): Change => ({
  full: '#full + :cost',
  condition: '#full BETWEEN :now AND :most AND (attribute_not_exists(#at) OR #at <= :latest)',
  values: { ':cost': cost, ':most': now + BUDGET_WINDOW.mostSpentMs, ':latest': now + CLOCKS_DIFFER_MS },
});

/** The change of a bucket as read, unless another container has changed it since. */
const replace = ({ FULL_AT: fullAt, AT: at }: Bucket, full: number): Change => ({
  full: ':full',
  condition: [
    fullAt === undefined ? 'attribute_not_exists(#full)' : '#full = :foundFull',
    at === undefined ? 'attribute_not_exists(#at)' : '#at = :foundAt',
  ].join(' AND '),
  values: {
    ':full': full,
    ...(fullAt === undefined ? {} : { ':foundFull': fullAt }),
    ...(at === undefined ? {} : { ':foundAt': at }),
  },
});

/** The bucket stays as it is. */
const STAY = undefined;

interface Updated {
  /** The item: as changed, or as it did not meet the condition. */
  readonly item: Item;
  readonly isDone: boolean;
}

function updater(
  tenant: Tenant,
  owner: string | null,
  now: number,
  counted: Counted,
): (change: Change | undefined) => Promise<Updated> {
  const table = tenant.session.tables.of(tenant.id);
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  const writeId = randomUUID();
  const counting = updateOf(counted);
  const kept = owner === null ? KEPT : KEPT_SECONDS;
  return async (change) => {
    const ofBucket = change === undefined ? '' : `, #full = ${change.full}, #at = :now`;
    const ofContent = change === undefined ? '' : ` AND ${change.condition}`;
    const command = new UpdateCommand({
      TableName: table.name,
      Key: { ...keyOf(tenant, owner) },
      UpdateExpression: `SET #ttl = :expires, #by = :by${ofBucket} ${counting.expression}`.trimEnd(),
      ConditionExpression: `(attribute_not_exists(#by) OR #by <> :by)${ofContent}`,
      ExpressionAttributeNames: {
        '#ttl': schema.TTL,
        '#by': schema.WRITE_ID,
        ...(change === undefined ? {} : { '#full': 'FULL_AT', '#at': schema.AT }),
        ...counting.names,
      },
      ExpressionAttributeValues: {
        ':expires': Math.ceil(now / 1000) + kept,
        ':by': writeId,
        ...(change === undefined ? {} : { ':now': now, ...change.values }),
        ...counting.values,
      },
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      const { Attributes: item = {} } = await table.client.send(command, { abortSignal: deadline });
      return { item, isDone: true };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const item = unmarshall(error.Item ?? {});
      return { item, isDone: item[schema.WRITE_ID] === writeId };
    }
  };
}

/**
 * When a bucket will be full again, as all containers have flushed it, in epoch milliseconds. Eventually consistent.
 */
export async function readBudget(tenant: Tenant, owner: string | null): Promise<number> {
  const { id, session } = tenant;
  const table = session.tables.of(id);
  const { Item: item = {} } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...keyOf(tenant, owner) } }),
  );
  return session.now + spentIn(item, session.now);
}
