import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { budgetKey } from '../keys.ts';
import { TTL_ATTRIBUTE } from '../schema.ts';
import type { Tenant } from '../tenant.ts';

/**
 * The bucket that all containers share of an integration's requests, or of all requests of its tenant: one item with the time at which
 * it will be full again.
 */

/** Whose budget it is, where it is not one integration's. */
export const WHOLE_TENANT = 'TENANT';

/** How long an unused bucket is kept, in seconds: long after it is full again. */
const KEPT = 3_600;
/** How long settling may take, in milliseconds: an answer waits for it. */
const TIMEOUT_MS = 1_000;

const BEGIN = {
  text: 'SET #full = :begun, #ttl = :expires',
  condition: 'attribute_not_exists(#full) OR #full < :now',
} as const;
const MOVE = { text: 'SET #full = #full + :cost, #ttl = :expires', condition: '#full >= :now' } as const;

/**
 * Moves the time at which a bucket of the tenant will be full by `cost` milliseconds, from now on or from where it is.
 * One `UpdateItem`; two where the bucket was not as expected. An attempt that is repeated may count twice.
 * @param of an integration's id, or {@link WHOLE_TENANT}
 * @returns that time, in epoch milliseconds
 */
export async function settleBudget(tenant: Tenant, of: string, cost: number): Promise<number> {
  const { now } = tenant.session;
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  // A bucket that was full a moment ago may have been begun by another container meanwhile.
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
