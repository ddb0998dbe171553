import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { refusalsKey } from '../keys.ts';
import { TTL_ATTRIBUTE } from '../schema.ts';
import type { Tenant } from '../tenant.ts';

/** How long a day's count is kept, in seconds. */
const KEPT = 2 * 86_400;

/**
 * Counts a refused login or signature of an integration with one `ADD`, so that concurrent refusals all count. A retry after a lost reply may
 * count twice.
 * @returns the number of today (UTC)
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
