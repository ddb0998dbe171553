import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { schema } from '#lists';
import { StaleRead, type Tenant } from '#table';
import { BUDGET_OF, budgetKey } from '#tenancy/keys';
import { LONGEST_WAIT_MS, timeIn, WORKERS_DIFFER_MS } from './lease.ts';

/**
 * When a tenant's replays begin: one a minute and {@link AN_HOUR} an hour of all its endpoints together, because each
 * may deliver the events of 30 days once more (`docs/decisions/0201-events.md`).
 */
const AN_HOUR = 10;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/**
 * Stages the time at which another replay of the tenant begins.
 * @returns epoch milliseconds by the clock of DynamoDB, which have passed where it begins at once; more than {@link
 *   LONGEST_WAIT_MS} from now where there are too many, and nothing is staged
 */
export async function stageReplayTime(tenant: Tenant): Promise<number> {
  const { id, session } = tenant;
  const { client, name } = session.tables.of(id);
  const key = budgetKey(id, BUDGET_OF.replays);
  const { Item: item = {} } = await client.send(
    new GetCommand({ TableName: name, Key: { ...key }, ConsistentRead: true }),
  );
  const now = timeIn(tenant);
  const stored = (item.BEGINS ?? []) as readonly number[];
  // Later ones are of a wrong clock.
  const begun = stored.filter((at) => at <= now + LONGEST_WAIT_MS + WORKERS_DIFFER_MS);
  const [last = 0, tenth = 0] = [begun.at(-1), begun.at(-AN_HOUR)];
  const begins = Math.max(now, last + MINUTE_MS, tenth + HOUR_MS);
  if (begins > now + LONGEST_WAIT_MS) return begins;
  session.changes.of(id).update(key, {
    set: {
      BEGINS: [...begun, begins].slice(-AN_HOUR),
      LAST: begins,
      [schema.TTL]: Math.ceil((begins + 2 * HOUR_MS) / 1_000),
    },
    condition: { equals: { LAST: item.LAST } },
    onConditionFailed: () => new StaleRead('the times of replays'),
  });
  return begins;
}
