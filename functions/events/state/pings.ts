import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { retry, schema } from '#lists';
import { StaleRead, type Tenant } from '#table';
import { quotaKey } from '#tenancy/keys';
import { timeIn } from './lease.ts';

const HOUR = 3_600;

/**
 * Stages that a tenant has one ping more in this hour (UTC), of at most so many. Concurrent requests cannot pass that
 * together.
 * @returns 0; or in how many seconds there may be one more: then nothing is staged
 */
export async function stagePingCount(tenant: Tenant, most: number): Promise<number> {
  const { session, id } = tenant;
  const table = session.tables.of(id);
  const now = Math.floor(timeIn(tenant) / 1_000);
  const hour = Math.floor(now / HOUR);
  const key = quotaKey(id, `PING#${hour}`);
  const command = new GetCommand({ TableName: table.name, Key: { ...key }, ConsistentRead: true });
  const { Item: counted } = await retry(() => table.client.send(command), session);
  if (Number(counted?.USED ?? 0) >= most) return (hour + 1) * HOUR - now;
  session.changes.of(id).update(key, {
    set: { [schema.TTL]: (hour + 2) * HOUR },
    add: { USED: 1 },
    condition: { atMost: { USED: most - 1 } },
    onConditionFailed: () => new StaleRead('other pings were asked for'),
  });
  return 0;
}
