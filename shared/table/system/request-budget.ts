import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { budgetKey } from '../keys.ts';
import { readPartition } from '../lists/read-partition.ts';
import { TTL_ATTRIBUTE } from '../schema.ts';
import type { Tenant } from '../tenant.ts';

/**
 * The bucket of an integration's or a whole tenant's request budget that all containers share: one item with the time at which it will be full
 * again (`shared/http/token-bucket.ts`).
 */

/** The owner of a tenant's own budget. */
export const WHOLE_TENANT = 'TENANT';

/** How long an unused bucket is kept, in seconds: longer than it takes to refill. */
const KEPT = 3_600;
/** Longest time for settling, in milliseconds: the response waits for it. */
const TIMEOUT_MS = 1_000;

const BEGIN = {
  text: 'SET #full = :begun, #ttl = :expires',
  condition: 'attribute_not_exists(#full) OR #full < :now',
} as const;
const MOVE = { text: 'SET #full = #full + :cost, #ttl = :expires', condition: '#full >= :now' } as const;

/**
 * Moves the time at which a bucket of the tenant will be full forward by `cost` milliseconds, from now or from where it is, whichever is later.
 * One `UpdateItem`; two where the bucket was full. A retry after a lost reply may count twice.
 * @param of an integration's id, or {@link WHOLE_TENANT}
 * @returns the new time, in epoch milliseconds
 */
export async function settleBudget(tenant: Tenant, of: string, cost: number): Promise<number> {
  const { now } = tenant.session;
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  // Tried in this order, and MOVE once more, for another container may use a full bucket meanwhile.
  for (const change of [MOVE, BEGIN]) {
    const fullAt = await update(tenant, of, change, { cost, now, deadline });
    if (fullAt !== undefined) return fullAt;
  }
  return (await update(tenant, of, MOVE, { cost, now, deadline })) ?? now + cost;
}

async function update(
  tenant: Tenant,
  of: string,
  change: typeof BEGIN | typeof MOVE,
  { cost, now, deadline }: { readonly cost: number; readonly now: number; readonly deadline: AbortSignal },
): Promise<number | undefined> {
  const table = tenant.session.tableOf(tenant.id);
  const command = new UpdateCommand({
    TableName: table.name,
    Key: { ...budgetKey(tenant.id, of) },
    UpdateExpression: change.text,
    ConditionExpression: change.condition,
    ExpressionAttributeNames: { '#full': 'FULL_AT', '#ttl': TTL_ATTRIBUTE },
    ExpressionAttributeValues: {
      ':now': now,
      ':expires': Math.ceil(now / 1000) + KEPT,
      ...(change === BEGIN ? { ':begun': now + cost } : { ':cost': cost }),
    },
    ReturnValues: 'UPDATED_NEW',
  });
  try {
    const { Attributes } = await table.client.send(command, { abortSignal: deadline });
    return Number(Attributes?.FULL_AT);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

/** A bucket as all containers have settled it. */
interface Spent {
  /** Id of the integration, or {@link WHOLE_TENANT}. */
  readonly of: string;
  /** The part of a minute's requests that is spent, from 0 to about 1. */
  readonly spent: number;
}

const WINDOW_MS = 60_000;

/** All buckets of a tenant, for the operator: one query. */
export async function readBudgets({ id, session }: Tenant): Promise<readonly Spent[]> {
  const table = session.tableOf(id);
  const budgets: Spent[] = [];
  for await (const { SK, FULL_AT } of readPartition({ table, clock: session.clock }, budgetKey(id, '').PK)) {
    budgets.push({ of: String(SK), spent: Math.max(0, Number(FULL_AT) - session.now) / WINDOW_MS });
  }
  return budgets;
}
