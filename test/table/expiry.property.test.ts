import { randomUUID } from 'node:crypto';
import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../local/dynamodb/client.ts';
import { callerOf } from '../../shared/auth/caller.ts';
import { type Table, tableOf } from '../../shared/table/client.ts';
import { entity } from '../../shared/table/entity.ts';
import { Session } from '../../shared/table/session.ts';
import { Tenant } from '../../shared/table/tenant.ts';
import { clockAt } from '../support/clock.ts';
import { freshTable } from '../support/dynamodb.ts';

/** Lists whose records expire, against what is stored and not yet expired, while days pass and DynamoDB's TTL deletes when it likes. */

interface Line {
  id: string;
  level: string;
}

const lines = entity<Line>('LINE', { filters: [['level']], retentionDays: 2 });
const LEVELS = ['info', 'error'];
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Today, and not a fixed day: DynamoDB Local deletes by its own clock what has expired for it. */
const TODAY = Math.floor(Date.now() / DAY) * DAY;
const START = TODAY + 21.5 * HOUR;

const act = fc.oneof(
  fc.record({ does: fc.constant('write' as const), level: fc.constantFrom(...LEVELS) }),
  fc.record({ does: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ does: fc.constant('expire' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
);

let table: Table;
beforeAll(async () => {
  const { tableName, endpoint } = await freshTable();
  table = tableOf(tableName, { endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS });
});

function open(org: string, now: number) {
  const caller = callerOf({
    integration_id: 'i',
    app_code: 'a',
    org_id: org,
    expires_at: '9999999999',
    permissions: '*',
  });
  if (caller === undefined) throw new Error('no caller');
  const session = new Session(table, clockAt(now), now + 5_000);
  return { session, records: Tenant.of(caller, session).records(lines) };
}

async function itemsOf(org: string) {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'PK = :lines',
      ExpressionAttributeValues: { ':lines': `ORG#${org}#LINE` },
      ConsistentRead: true,
    }),
  );
  return Items.map(({ PK, SK, id, level, TTL }) => ({
    PK,
    SK,
    id: String(id),
    level: String(level),
    expiry: Number(TTL),
  }));
}

/** What DynamoDB's TTL does: deletes some of the expired items, in its own time. */
async function expire(org: string, now: number, share: number): Promise<void> {
  const expired = (await itemsOf(org)).filter(({ expiry }) => expiry * 1000 <= now);
  for (const { PK, SK } of expired.slice(0, Math.ceil(expired.length * share))) {
    await table.client.send(new DeleteCommand({ TableName: table.name, Key: { PK, SK } }));
  }
}

async function check(org: string, now: number): Promise<void> {
  const live = (await itemsOf(org)).filter(({ expiry }) => expiry * 1000 > now);
  for (const level of [undefined, ...LEVELS]) {
    const expected = live.filter((line) => level === undefined || line.level === level).map(({ id }) => id);
    const pages = await Promise.all(
      [1, 2, 3].map((page) =>
        open(org, now).records.page({ page, page_size: 8, sort: 'created_at', filter: { level } }),
      ),
    );
    expect(pages.map(({ total }) => total)).toEqual([expected.length, expected.length, expected.length]);
    expect(pages.flatMap(({ records }) => records.map(({ record }) => record.id))).toEqual(expected);
  }
}

describe('a list whose records expire', () => {
  it('shows what has not expired, exactly, at every time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 24 }), async (acts) => {
        const org = randomUUID();
        let now = START;
        for (const what of acts) {
          if (what.does === 'wait') now += what.hours * HOUR;
          else if (what.does === 'expire') await expire(org, now, what.share);
          else {
            const { session, records } = open(org, now);
            await records.create({ level: what.level });
            await session.commit();
          }
          await check(org, now);
        }
      }),
      { numRuns: Number(process.env.LIST_RUNS ?? 25) },
    );
  }, 120_000);

  it('keeps a record to the end of the last day it is kept, and not a second longer', async () => {
    const org = randomUUID();
    const { session, records } = open(org, START);
    const { record } = await records.create({ level: 'info' });
    await session.commit();
    const end = TODAY + 3 * DAY;
    expect((await open(org, end - 1).records.get(record.id))?.record.id).toBe(record.id);
    expect(await open(org, end).records.get(record.id)).toBeUndefined();
  });
});
