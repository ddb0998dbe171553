import { randomUUID } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Table } from '../../shared/table/connection/client.ts';
import { COUNTER, setPartition } from '../../shared/table/keys.ts';
import { marksOf } from '../../shared/table/lists/periods.ts';
import { entity } from '../../shared/table/repository/entity.ts';
import { TTL_ATTRIBUTE } from '../../shared/table/schema.ts';
import { itemsIn, recordsIn } from '../support/audit.ts';
import { clockAt } from '../support/clock.ts';
import { freshTable } from '../support/dynamodb.ts';
import { byExtent } from '../support/extent.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';

/** Lists whose records expire, against what is stored and not yet expired, while days pass and DynamoDB's TTL deletes when it likes. */

interface Line {
  id: string;
  level: string;
}

const linesKeptFor = (retentionDays: number) => entity<Line>('LINE', { filters: ['level'], retentionDays });
const LEVELS = ['info', 'error'];
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Today, and not a fixed day: DynamoDB Local deletes by its own clock what has expired for it. */
const TODAY = Math.floor(Date.now() / DAY) * DAY;
const START = TODAY + 21.5 * HOUR;
const RETENTION = 2;

let table: Table;
beforeAll(async () => {
  table = tableAt(await freshTable());
});

const linesOf = (org: string, now: number, retentionDays = RETENTION) =>
  openTenant(table, org, clockAt(now)).records(linesKeptFor(retentionDays));

const write = (org: string, now: number, level: string, retentionDays = RETENTION) =>
  doIn(openTenant(table, org, clockAt(now)), (tenant) => tenant.records(linesKeptFor(retentionDays)).create({ level }));

const itemsOf = async (org: string) =>
  (await recordsIn(table, `ORG#${org}#LINE`)).map((item) => ({
    key: { PK: item.PK, SK: item.SK },
    id: String(item.id),
    level: String(item.level),
    expiry: Number(item[TTL_ATTRIBUTE]) * 1000,
  }));

/** What DynamoDB's TTL does: deletes some of the expired items, in its own time. */
async function expire(org: string, now: number, share: number): Promise<void> {
  const expired = (await itemsOf(org)).filter(({ expiry }) => expiry <= now);
  for (const { key } of expired.slice(0, Math.ceil(expired.length * share))) {
    await table.client.send(new DeleteCommand({ TableName: table.name, Key: key }));
  }
}

const PAGE_SIZE = 8;

async function read(org: string, now: number, level?: string, retentionDays = RETENTION) {
  const pages = await Promise.all(
    [1, 2, 3, 4].map((page) =>
      linesOf(org, now, retentionDays).page({ page, page_size: PAGE_SIZE, sort: 'created_at', filter: { level } }),
    ),
  );
  return {
    totals: [...new Set(pages.map(({ total }) => total))],
    ids: pages.flatMap(({ records }) => records.map(({ record }) => record.id)),
  };
}

/** Of what is written and not expired, every list shows all, and nothing else. */
async function check(org: string, now: number, retentionDays = RETENTION): Promise<void> {
  const live = (await itemsOf(org)).filter(({ expiry }) => expiry > now);
  for (const level of [undefined, ...LEVELS]) {
    const ids = live.filter((line) => level === undefined || line.level === level).map(({ id }) => id);
    expect(await read(org, now, level, retentionDays)).toEqual({ totals: [ids.length], ids });
  }
}

const level = fc.constantFrom(...LEVELS);
const wait = fc.record({ does: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 60 }) });
const ttl = fc.record({ does: fc.constant('expire' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) });
const runs = { numRuns: byExtent({ sample: 6, extended: 12, nightly: 100 }) };

describe('a list whose records expire', () => {
  it('shows what has not expired, exactly, at every time, whatever is set for how long records are kept', async () => {
    const act = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ does: fc.constant('write' as const), level, error: fc.constantFrom(0, -10, 10) }),
      },
      { weight: 2, arbitrary: wait },
      ttl,
      fc.record({ does: fc.constant('set' as const), days: fc.constantFrom(1, 2, 5, 40, 100) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 24 }), async (acts) => {
        const org = randomUUID();
        let now = START;
        let days = RETENTION;
        for (const what of acts) {
          if (what.does === 'wait') now += what.hours * HOUR;
          else if (what.does === 'expire') await expire(org, now, what.share);
          else if (what.does === 'set') days = what.days;
          else {
            const { item } = await write(org, now + what.error * MINUTE, what.level, days);
            expect(Number(item[TTL_ATTRIBUTE]) * 1000).toBeGreaterThan(now + (days - 1) * DAY);
          }
          await check(org, now, days);
        }
      }),
      runs,
    );
  });

  it('hides nothing that was written by a right clock, whatever wrong ones write before, between and after', async () => {
    const error = fc.constantFrom(0, 0, -10 * MINUTE, 10 * MINUTE, -60 * DAY, 60 * DAY);
    const act = fc.oneof(
      { weight: 4, arbitrary: fc.record({ does: fc.constant('write' as const), level, error }) },
      { weight: 1, arbitrary: fc.record({ does: fc.constant('read' as const), error }) },
      { weight: 1, arbitrary: wait },
      { weight: 1, arbitrary: ttl },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 24 }), async (acts) => {
        const org = randomUUID();
        let now = START;
        const written: { readonly id: string; readonly at: number }[] = [];
        for (const what of acts) {
          if (what.does === 'wait') now += what.hours * HOUR;
          else if (what.does === 'expire') await expire(org, now, what.share);
          else if (what.does === 'read') await read(org, now + what.error);
          else {
            const { record } = await write(org, now + what.error, what.level);
            if (Math.abs(what.error) < HOUR) written.push({ id: record.id, at: now });
          }
          const due = written.filter(({ at }) => at + RETENTION * DAY > now + HOUR).map(({ id }) => id);
          const { ids } = await read(org, now);
          expect(ids.filter((id) => due.includes(id))).toEqual(due);
          const stored = (await itemsOf(org)).map(({ id }) => id);
          expect(ids).toEqual(stored.filter((id) => ids.includes(id)));
        }
        // What was read has been repaired: the total is what the pages show.
        await read(org, now + HOUR);
        const { ids, totals } = await read(org, now + HOUR);
        expect(totals).toEqual([ids.length]);
      }),
      runs,
    );
  });

  it('hides nothing when a clock runs away by a day with every record that it writes', async () => {
    const org = randomUUID();
    const right: string[] = [];
    for (let index = 0; index < 3; index++) right.push((await write(org, START, 'info', 30)).record.id);
    for (let days = 1; days <= 90; days++) await write(org, START + days * DAY, 'info', 30);
    right.push((await write(org, START, 'info', 30)).record.id);
    const head = (await itemsIn(table, setPartition(`ORG#${org}#LINE`))).find(({ SK }) => SK === COUNTER) ?? {};
    expect(marksOf(head).length).toBeLessThanOrEqual(65);
    const page = await linesOf(org, START, 30).page({ page: 1, page_size: 100, sort: 'created_at' });
    expect(page.total).toBe(94);
    expect(page.records.map(({ record }) => record.id).filter((id) => right.includes(id))).toEqual(right);
  });

  it('keeps a record to the end of the last day it is kept, and not a second longer', async () => {
    const org = randomUUID();
    const { record } = await write(org, START, 'info');
    const end = TODAY + 3 * DAY;
    // A clock that goes on would reach the end before it is looked at.
    const at = (time: number) => openTenant(table, org, () => time).records(linesKeptFor(RETENTION));
    expect((await at(end - 1).get(record.id))?.record.id).toBe(record.id);
    expect(await at(end).get(record.id)).toBeUndefined();
  });
});
