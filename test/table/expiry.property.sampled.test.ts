import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { marksOf } from '@custodia/counted-lists/maintenance';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entity, set } from '#table';
import { byExtent } from '../support/extent.ts';
import { newOrganization, TestList, useTable } from './test-list.ts';

/**
 * Compares lists whose records expire with the stored, unexpired records, while days pass and DynamoDB's TTL deletes at
 * random times.
 */

interface Line {
  id: string;
  level: string;
  PK?: string;
  SK?: string;
  TTL?: number;
}

const LEVELS = ['info', 'error'];
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Today, and not a fixed day: DynamoDB Local deletes by its own clock what has expired for it. */
const TODAY = Math.floor(Date.now() / DAY) * DAY;
const START = TODAY + 21.5 * HOUR;
const RETENTION = 2;

const table = useTable();
const keptFor = (retentionDays: number) =>
  new TestList(table, entity<Line>('LINE', { indexes: [set('level')], retentionDays }), { level: 'info' });
const lines = keptFor(RETENTION);

const itemsOf = async () => (await lines.stored()).map((line) => ({ ...line, expiry: Number(line.TTL) * 1000 }));

/** What DynamoDB's TTL does: deletes some of the expired items, in its own time. */
async function expire(now: number, share: number): Promise<void> {
  const expired = (await itemsOf()).filter(({ expiry }) => expiry <= now);
  for (const { PK, SK } of expired.slice(0, Math.ceil(expired.length * share)))
    await table.table.client.send(new DeleteCommand({ TableName: table.table.name, Key: { PK, SK } }));
}

/** All pages of a list. */
async function readAll(list: typeof lines, at: number, level?: string) {
  const queries = [1, 2, 3, 4].map((page) => ({ page, page_size: 8, filter: { level } }) as object);
  const pages = await Promise.all(queries.map((query) => list.read(query, { at })));
  return { totals: [...new Set(pages.map(({ total }) => total))], ids: pages.flatMap(({ ids }) => ids) };
}

/** Every list shows exactly the written, unexpired records. */
async function check(list: typeof lines, now: number): Promise<void> {
  const live = (await itemsOf()).filter(({ expiry }) => expiry > now);
  for (const level of [undefined, ...LEVELS]) {
    const ids = live.filter((line) => level === undefined || line.level === level).map(({ id }) => id);
    expect(await readAll(list, now, level)).toEqual({ totals: [ids.length], ids });
  }
}

const does = <const N extends string, T extends object>(name: N, fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<{ does: N } & T>({ does: fc.constant(name), ...fields } as never);
const level = fc.constantFrom(...LEVELS);
const wait = does('wait', { hours: fc.integer({ min: 1, max: 60 }) });
const ttl = does('expire', { share: fc.double({ min: 0, max: 1, noNaN: true }) });
const few = { minLength: 1, maxLength: 24 };
const runs = { numRuns: byExtent({ sample: 3, extended: 6, nightly: 100 }) };

it('a list shows what has not expired, exactly, at every time, whatever is set for how long records are kept', async () => {
  const act = fc.oneof(
    { weight: 3, arbitrary: does('write', { level, error: fc.constantFrom(0, -10, 10) }) },
    { weight: 2, arbitrary: wait },
    ttl,
    does('set', { days: fc.constantFrom(1, 2, 5, 40, 100) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(act, few), async (acts) => {
      newOrganization(table);
      let now = START;
      let days = RETENTION;
      for (const what of acts) {
        if (what.does === 'wait') now += what.hours * HOUR;
        else if (what.does === 'expire') await expire(now, what.share);
        else if (what.does === 'set') days = what.days;
        else {
          const { item } = await keptFor(days).create({ level: what.level }, { at: now + what.error * MINUTE });
          expect(Number(item.TTL) * 1000).toBeGreaterThan(now + (days - 1) * DAY);
        }
        await check(keptFor(days), now);
      }
    }),
    runs,
  );
});

it('a list hides nothing that was written by a right clock, whatever wrong ones write before, between and after', async () => {
  const error = fc.constantFrom(0, 0, -10 * MINUTE, 10 * MINUTE, -60 * DAY, 60 * DAY);
  const act = fc.oneof(
    { weight: 4, arbitrary: does('write', { level, error }) },
    { weight: 1, arbitrary: does('read', { error }) },
    { weight: 1, arbitrary: wait },
    { weight: 1, arbitrary: ttl },
  );
  await fc.assert(
    // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each act, beside its model
    fc.asyncProperty(fc.array(act, few), async (acts) => {
      newOrganization(table);
      let now = START;
      const written: { readonly id: string; readonly at: number }[] = [];
      for (const what of acts) {
        if (what.does === 'wait') now += what.hours * HOUR;
        else if (what.does === 'expire') await expire(now, what.share);
        else if (what.does === 'read') await readAll(lines, now + what.error);
        else {
          const id = await lines.createId({ level: what.level }, { at: now + what.error });
          if (Math.abs(what.error) < HOUR) written.push({ id, at: now });
        }
        const due = written.filter(({ at }) => at + RETENTION * DAY > now + HOUR).map(({ id }) => id);
        const { ids } = await readAll(lines, now);
        expect(ids.filter((id) => due.includes(id))).toEqual(due);
        const stored = (await itemsOf()).map(({ id }) => id);
        expect(ids).toEqual(stored.filter((id) => ids.includes(id)));
      }
      // What was read has been repaired: the total is what the pages show.
      await readAll(lines, now + HOUR);
      const { ids, totals } = await readAll(lines, now + HOUR);
      expect(totals).toEqual([ids.length]);
    }),
    runs,
  );
});

it('a list hides nothing when a clock runs away by a day with every record that it writes', async () => {
  const list = keptFor(30);
  const create = (at: number) => list.createId({}, { at });
  const right = [await create(START), await create(START)];
  for (let days = 1; days <= 75; days++) await create(START + days * DAY);
  right.push(await create(START));
  expect(marksOf((await table.item(list.counterItem)) ?? {}).length).toBeLessThanOrEqual(65);
  const { total, ids } = await list.read({}, { at: START });
  expect([total, ids.filter((id) => right.includes(id))]).toEqual([78, right]);
});

it('a list keeps a record to the end of the last day it is kept, and not a second longer', async () => {
  const id = await lines.createId({}, { at: START });
  const end = TODAY + 3 * DAY;
  // A clock that goes on would reach the end before it is looked at.
  const at = (time: number) => lines.records({ at: () => time }).get(id);
  expect([(await at(end - 1))?.record.id, await at(end)]).toEqual([id, undefined]);
});
