import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, retry, schema } from '@custodia/counted-lists';
import { StaleRead, type Tenant, tenantKey } from '#table';
import { BUDGET_OF } from '#tenancy';
import { LONGEST_WAIT_MS, timeIn, WORKERS_DIFFER_MS } from './lease.ts';

/** How many pings and replays a tenant may have: all of its endpoints together, whatever requests do at once. */

const HOUR_MS = 3_600_000;
const HOUR_S = HOUR_MS / 1_000;
const MINUTE_MS = 60_000;

/**
 * Stages that a tenant has one ping more in this hour (UTC), of at most so many.
 * @returns 0; or in how many seconds there may be one more: then nothing is staged
 */
export async function stagePingCount(tenant: Tenant, most: number): Promise<number> {
  const now = Math.floor(timeIn(tenant) / 1_000);
  const hour = Math.floor(now / HOUR_S);
  const key = tenantKey(tenant.id, 'QUOTA', `PING#${hour}`);
  const { USED: used = 0 } = await read(tenant, key);
  if (Number(used) >= most) return (hour + 1) * HOUR_S - now;
  tenant.session.changes.of(tenant.id).update(key, {
    set: { [schema.TTL]: (hour + 2) * HOUR_S },
    add: { USED: 1 },
    condition: { atMost: { USED: most - 1 } },
    onConditionFailed: () => new StaleRead('other pings were asked for'),
  });
  return 0;
}

/** One replay a minute begins, and so many an hour, because each may deliver the events of 30 days once more. */
const REPLAYS_AN_HOUR = 10;

/**
 * Stages the time at which another replay of the tenant begins.
 * @returns that time, in epoch milliseconds by the clock of DynamoDB. Where it is further away than
 *   {@link LONGEST_WAIT_MS}, nothing is staged: there are too many
 */
export async function stageReplayTime(tenant: Tenant): Promise<number> {
  const key = tenantKey(tenant.id, 'BUDGET', BUDGET_OF.replays);
  const { BEGINS: stored = [], LAST: latest } = await read(tenant, key);
  const now = timeIn(tenant);
  // Later ones are of a wrong clock.
  const begun = (stored as readonly number[]).filter((at) => at <= now + LONGEST_WAIT_MS + WORKERS_DIFFER_MS);
  const [last = 0, tenth = 0] = [begun.at(-1), begun.at(-REPLAYS_AN_HOUR)];
  const begins = Math.max(now, last + MINUTE_MS, tenth + HOUR_MS);
  if (begins > now + LONGEST_WAIT_MS) return begins;
  tenant.session.changes.of(tenant.id).update(key, {
    set: {
      BEGINS: [...begun, begins].slice(-REPLAYS_AN_HOUR),
      LAST: begins,
      [schema.TTL]: Math.ceil((begins + 2 * HOUR_MS) / 1_000),
    },
    condition: { equals: { LAST: latest } },
    onConditionFailed: () => new StaleRead('the times of replays'),
  });
  return begins;
}

async function read({ id, session }: Tenant, key: Key): Promise<Item> {
  const { client, name } = session.tables.of(id);
  const command = new GetCommand({ TableName: name, Key: { ...key }, ConsistentRead: true });
  const { Item: item = {} } = await retry(() => client.send(command), session);
  return item;
}
