import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { refusalsKey } from '../keys.ts';
import { TTL_ATTRIBUTE } from '../schema.ts';
import type { Tenant } from '../tenant.ts';

/** How long a day's count is kept, in seconds: longer than the day. */
const KEPT = 2 * 86_400;

/**
 * Counts that something was refused to whoever tried to be an integration: one `UpdateItem` that adds, so that refusals made at the same
 * time all count. An attempt whose reply was lost may count twice.
 * @returns how often it was today (UTC)
 */
export async function countRefusal(tenant: Tenant, what: string, integrationId: string): Promise<number> {
  const { now } = tenant.session;
  const table = tenant.session.tableOf(tenant.id);
  const day = new Date(now).toISOString().slice(0, 10);
  const { Attributes } = await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { ...refusalsKey(tenant.id, what, integrationId, day) },
      UpdateExpression: 'SET #ttl = :expires ADD #refusals :one',
      ExpressionAttributeNames: { '#ttl': TTL_ATTRIBUTE, '#refusals': 'REFUSALS' },
      ExpressionAttributeValues: { ':expires': Math.ceil(now / 1000) + KEPT, ':one': 1 },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return Number(Attributes?.REFUSALS);
}
