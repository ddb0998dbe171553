import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { ids } from '@custodia/counted-lists';
import { isOverdue, settledUpTo } from '@custodia/counted-lists/maintenance';
import { describe, expect, it } from 'vitest';
import { entity } from '#table';
import { noonOfToday } from '../support/clock.ts';
import { PausingHandler } from '../support/pauses.ts';
import { NO_FAULTS, TestList, useTable } from './test-list.ts';

/** When readers treat a number as lost, also in a busy list, and with wrong clocks. */

interface Job {
  readonly id: string;
  readonly created_at: string;
}

const NOW = noonOfToday();
const STEP = 1_500;
const DAY = 86_400_000;

const table = useTable(NOW);
const jobs = new TestList(table, entity<Job>('JOB'), { created_at: new Date(NOW).toISOString() });
const createAt = (at: number, over?: PausingHandler) =>
  jobs.createId({ created_at: new Date(at).toISOString() }, { at, over });

/** The totals and records of every page of five, one after another. */
async function walk(at: number, sort: 'created_at' | '-created_at') {
  const ids: string[] = [];
  const totals = new Set<number>();
  for (let page = 1; page === 1 || ids.length < Math.max(...totals); page++) {
    const read = await jobs.read({ page, page_size: 5, sort }, { at });
    totals.add(read.total);
    if (read.ids.length === 0) break;
    ids.push(...read.ids);
  }
  return { ids, totals: [...totals] };
}

describe('a number that is lost in a list that is never quiet', () => {
  it.each(['created_at', '-created_at'] as const)(
    'is closed by the first walk after five seconds, and every later walk is right: %s',
    async (sort) => {
      const created: string[] = [];
      for (let count = 0; count < 7; count++) created.push(await createAt(NOW));
      await jobs.lose();
      const wrong: number[] = [];
      for (let time = NOW + STEP; time < NOW + 12 * STEP; time += STEP) {
        created.push(await createAt(time));
        const { ids, totals } = await walk(time, sort);
        const expected = sort === 'created_at' ? created : created.toReversed();
        if (totals.join() !== String(created.length) || ids.join() !== expected.join()) wrong.push(time - NOW);
      }
      // 5 seconds for the writer, a step until a walk sees a record that old, and the walk that closes it.
      expect(wrong.filter((after) => after > 5_000 + 2 * STEP)).toEqual([]);
      expect(await jobs.gaps()).toEqual([7]);
    },
  );

  it('is closed where it is the last on its page, by the record after it', async () => {
    for (let count = 0; count < 4; count++) await createAt(NOW);
    await jobs.lose();
    for (let count = 0; count < 5; count++) await createAt(NOW + 1_000);
    await createAt(NOW + 6_000);
    expect((await jobs.read({ page: 2, page_size: 5, sort: '-created_at' }, { at: NOW + 6_500 })).total).toBe(10);
    expect(await jobs.gaps()).toEqual([4]);
  });

  it('is closed by a repair, and left to readers by a verification for a day', async () => {
    await createAt(NOW);
    await jobs.lose();
    await createAt(NOW + 1_000);
    await createAt(NOW + 5_500);
    const found = async (repair: boolean, after: number) =>
      (await jobs.verify(repair, { at: NOW + after })).differences.map(({ kind, repaired }) => [kind, repaired]);
    expect([await found(false, 6_500), await found(true, 5_700), await found(false, DAY)]).toEqual([[], [], []]);
    expect(await found(false, 1_000 + DAY)).toEqual([['lost-number', false]]);
    expect(await found(true, 6_500)).toEqual([['lost-number', true]]);
    expect(await jobs.gaps()).toEqual([1]);
  });

  it('is closed by a reader meanwhile, of whom a verification finds nothing', async () => {
    await createAt(NOW);
    await jobs.lose();
    await createAt(NOW + 1_000);
    // A reader who ended between its two writes, and one who came later.
    const tombstone = { PK: jobs.partition, SK: ids.sortKeyOf(1), TOMBSTONE: true, AT: NOW + 6_500 };
    await table.table.client.send(new PutCommand({ TableName: table.table.name, Item: tombstone }));
    expect((await jobs.verify(false, { at: NOW + 6_600 })).differences).toEqual([]);
    expect((await jobs.read({}, { at: NOW + 7_000 })).total).toBe(2);
    expect([await jobs.gaps(), (await jobs.verify(false, { at: NOW + 2 * DAY })).differences]).toEqual([[1], []]);
  });
});

describe('a record of a clock that is wrong', () => {
  it.each([-60 * DAY, 60 * DAY])('costs a writer its number at worst, by %i ms', async (error) => {
    const handler = new PausingHandler();
    const paused = handler.pauseBefore('PutItem');
    const writing = createAt(NOW, handler);
    await Promise.race([paused.reached, writing]);
    const other = await createAt(NOW + error);
    await createAt(NOW);
    expect(await jobs.gaps()).toEqual([]);
    expect((await jobs.read({ page_size: 5 }, { at: NOW + 100 })).total).toBe(2);
    expect(await jobs.gaps()).toEqual([0]);
    paused.release();
    const id = await writing;
    const { ids, totals } = await walk(NOW + 200, 'created_at');
    expect([totals, ids[0], ids.at(-1)]).toEqual([[3], other, id]);
    expect(await jobs.audit()).toEqual(NO_FAULTS);
  });
});

describe('the time of a writer', () => {
  const at = (time: number) => ({ created_at: new Date(time).toISOString() });

  it('is over once a later record or tombstone is five seconds old, or many later numbers are allocated', () => {
    const counter = { AT: NOW, NEXT: 20 };
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
    expect([6, 7, 8].map((number) => isOverdue(counter, number, NOW, settled))).toEqual([true, false, false]);
    expect([5_000, 5_010].map((NEXT) => isOverdue({ ...counter, NEXT }, 8, NOW, settled))).toEqual([false, true]);
  });

  it('is not over for what has no time', () => {
    const timeless = [{}, { created_at: null }, { TOMBSTONE: true }];
    expect(
      settledUpTo(
        timeless.map((item, index) => [3 + index, item]),
        'created_at',
        NOW,
      ),
    ).toBe(-1);
  });
});
