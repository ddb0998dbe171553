import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Table } from '../../shared/table/connection/client.ts';
import { setPartition } from '../../shared/table/keys.ts';
import { isOverdue, settledUpTo } from '../../shared/table/lists/grace-period.ts';
import { entity } from '../../shared/table/repository/entity.ts';
import { kind } from '../../shared/table/verify/kinds.ts';
import { verify } from '../../shared/table/verify/verify.ts';
import { auditOf, numbersIn } from '../support/audit.ts';
import { clockAt } from '../support/clock.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import { PausingHandler } from '../support/pauses.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';

/** When readers take a number for lost: also in a list that is never quiet, and whatever clocks say. */

interface Job {
  readonly id: string;
  readonly created_at: string;
}

const jobs = entity<Job>('JOB');
const NOW = Date.parse('2026-11-20T12:00:00Z');
const STEP = 1_500;
const DAY = 86_400_000;

let fresh: FreshTable;
let table: Table;
let org: string;
beforeAll(async () => {
  fresh = await freshTable();
  table = tableAt(fresh);
});
beforeEach(() => {
  org = randomUUID();
});

const create = (time: number, through = table) =>
  doIn(openTenant(through, org, clockAt(time)), (tenant) =>
    tenant.records(jobs).create({ created_at: new Date(time).toISOString() }),
  );
const lose = (time: number) =>
  openTenant(table, org, clockAt(time))
    .records(jobs)
    .create({ created_at: new Date(time).toISOString() });
const read = (time: number, page: number, sort: 'created_at' | '-created_at') =>
  openTenant(table, org, clockAt(time)).records(jobs).page({ page, page_size: 5, sort });
const partition = () => `ORG#${org}#JOB`;
const gaps = () => numbersIn(table, setPartition(partition()));

/** Every page of the list, one after another. */
async function walk(time: number, sort: 'created_at' | '-created_at') {
  const ids: string[] = [];
  const totals = new Set<number>();
  for (let page = 1; page === 1 || ids.length < Math.max(...totals); page++) {
    const { records, total } = await read(time, page, sort);
    totals.add(total);
    if (records.length === 0) break;
    ids.push(...records.map(({ record }) => record.id));
  }
  return { ids, totals: [...totals] };
}

describe('a number that is lost in a list that is never quiet', () => {
  it.each(['created_at', '-created_at'] as const)(
    'is closed by the first walk after five seconds, and every later walk is right: %s',
    async (sort) => {
      const created: string[] = [];
      let time = NOW;
      for (let count = 0; count < 12; count++) created.push((await create(time)).record.id);
      await lose(time);
      const wrong: number[] = [];
      for (let step = 0; step < 50; step++) {
        time += STEP;
        created.push((await create(time)).record.id);
        const { ids, totals } = await walk(time, sort);
        const expected = sort === 'created_at' ? created : created.toReversed();
        if (totals.join() !== String(created.length) || ids.join() !== expected.join()) wrong.push(time - NOW);
      }
      // 5 seconds for the writer, a step until a walk sees a record that old, and the walk that closes it.
      expect(wrong.filter((after) => after > 5_000 + 2 * STEP)).toEqual([]);
      expect(await gaps()).toEqual([12]);
    },
  );

  it('is closed where it is the last on its page, by the record after it', async () => {
    for (let count = 0; count < 4; count++) await create(NOW);
    await lose(NOW);
    for (let count = 0; count < 5; count++) await create(NOW + 1_000);
    await create(NOW + 6_000);
    expect((await read(NOW + 6_500, 2, '-created_at')).total).toBe(10);
    expect(await gaps()).toEqual([4]);
  });

  it('is reported and closed by a verification', async () => {
    await create(NOW);
    await lose(NOW);
    await create(NOW + 1_000);
    const look = async (time: number, repair: boolean) =>
      (await verify(openTenant(table, org, clockAt(time)), [kind(jobs)], { repair })).differences;
    await create(NOW + 5_500);
    expect(await look(NOW + 5_700, false)).toEqual([]);
    expect(await look(NOW + 6_500, true)).toMatchObject([{ kind: 'lost-number', repaired: true }]);
    expect(await gaps()).toEqual([1]);
  });
});

describe('a record of a clock that is wrong', () => {
  it.each([-60 * DAY, 60 * DAY])('costs a writer its number at worst, by %i ms', async (error) => {
    const handler = new PausingHandler();
    const paused = handler.pauseBefore('PutItem');
    const writing = create(NOW, tableAt(fresh, handler));
    await Promise.race([paused.reached, writing]);
    const other = await create(NOW + error);
    await create(NOW);
    expect(await gaps()).toEqual([]);
    expect((await read(NOW + 100, 1, 'created_at')).total).toBe(2);
    expect(await gaps()).toEqual([0]);
    paused.release();
    const { record } = await writing;
    const { ids, totals } = await walk(NOW + 200, 'created_at');
    expect([totals, ids[0], ids.at(-1)]).toEqual([[3], other.record.id, record.id]);
    expect(await auditOf(table, partition(), {})).toEqual({ lost: [], faults: [] });
  });
});

describe('the time of a writer', () => {
  const at = (time: number) => ({ created_at: new Date(time).toISOString() });
  it('is over once a later record or tombstone is five seconds old', () => {
    const head = { AT: NOW, NEXT: 20 };
    const settled = settledUpTo(
      [
        [3, at(NOW - 9_000)],
        [7, { TOMBSTONE: true, AT: NOW - 5_000 }],
        [9, at(NOW)],
      ],
      'created_at',
      NOW,
    );
    expect(settled).toBe(7);
    expect([6, 7, 8].map((number) => isOverdue(head, number, NOW, settled))).toEqual([true, false, false]);
  });

  it('is not over for what has no time', () => {
    expect(
      settledUpTo(
        [
          [3, {}],
          [4, { created_at: null }],
          [5, { TOMBSTONE: true }],
        ],
        'created_at',
        NOW,
      ),
    ).toBe(-1);
  });
});
