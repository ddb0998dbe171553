import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ListSource, storedSets } from '#lists';
import { periods, STRIPES, summary } from '#lists/maintenance';
import { entity } from '#table';
import { BLOCK_SIZE } from '../../shared/lists/bits.ts';
import { PageNumbers, type PageRange } from '../../shared/lists/page-numbers.ts';
import { itemSizeOf } from '../../shared/lists/transaction/units.ts';
import { readView } from '../../shared/lists/view.ts';
import { itemsIn } from '../support/audit.ts';
import { commonOf, listOf, SetsInMemory, type Words } from '../support/sets-in-memory.ts';
import { TestList, useTable } from './test-list.ts';

/** Sets with summaries: the counts of their blocks, by which a page reads only the blocks that it needs. */

const NOW = 1_800_000_000_000;
const FULL = Array<bigint>(40).fill((1n << 100n) - 1n);
const itemsOf = (block: number, bits: readonly bigint[], stripes = STRIPES): [string, readonly bigint[]][] =>
  Array.from({ length: stripes }, (_, stripe) => [`${block} ${stripe}`, bits]);

/** A page as read, compared with that of all members. Each of `absent` makes one of its numbers be without a record. */
async function checkPage(
  table: SetsInMemory,
  source: ListSource,
  range: PageRange,
  all: readonly number[],
  absent: number[],
) {
  const { page, pageSize, newestFirst } = range;
  const skip = (page - 1) * pageSize;
  const view = await readView(table.asTable, source, NOW, { newestFirst, skip });
  const numbers = new PageNumbers(source, view, range, NOW);
  for (const missing of [...absent, 0]) {
    const read = await numbers.read();
    const present = all.filter((number) => !numbers.absent.has(number));
    const expected = (newestFirst ? present.toReversed() : present).slice(skip, skip + pageSize);
    expect([numbers.total, newestFirst ? read.toReversed() : read]).toEqual([present.length, expected]);
    if (read.length > 0) numbers.exclude([read[missing % read.length] ?? 0]);
  }
}

describe('a page of a set with a summary', () => {
  it('is that of the set, whatever of it has expired, or has no record', async () => {
    const block = fc.record({
      at: fc.nat(230),
      stripes: fc.constantFrom(1, 7, STRIPES),
      bits: fc.array(fc.constantFrom(0n, 1n, 6n, 1n << 99n), { minLength: 1, maxLength: 2 }),
    });
    const given = fc.record({
      blocks: fc.uniqueArray(block, { minLength: 1, maxLength: 9, selector: ({ at }) => at }),
      pages: fc.array(fc.record({ page: fc.integer({ min: 1, max: 13 }), newestFirst: fc.boolean() }), {
        maxLength: 4,
      }),
      pageSize: fc.constantFrom(1, 25, 200),
      floor: fc.constantFrom(undefined, 0, 17, 3_300),
      absent: fc.array(fc.nat(5), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(given, async ({ blocks, pages, pageSize, floor, absent }) => {
        const words: Words = new Map(blocks.flatMap(({ at, bits, stripes }) => itemsOf(at, bits, stripes)));
        const table = new SetsInMemory();
        const list = listOf(table, new Map([['state=open', words]]), 300 * BLOCK_SIZE, true);
        const from = floor === undefined ? 0 : (blocks[0]?.at ?? 0) * BLOCK_SIZE + floor;
        table.mark({ [periods.markOf(20_000)]: 0, [periods.markOf(30_000)]: from });
        const source = { ...list, retentionDays: floor === undefined ? undefined : 30 };
        const all = commonOf([words]).filter((number) => number >= from);
        for (const page of pages) await checkPage(table, source, { ...page, pageSize }, all, absent);
      }),
      { numRuns: 60 },
    );
  });

  it('reads at most 20 units of the set of 10 million, which has 500', async () => {
    const blocks = 79;
    const table = new SetsInMemory();
    const words = new Map(Array.from({ length: blocks }, (_, block) => itemsOf(block, FULL)).flat());
    const total = blocks * BLOCK_SIZE;
    const source = listOf(table, new Map([['state=open', words]]), total, true);
    const last = total / 25;
    const cases = [1, 2, 5_200, last / 2, last].flatMap((page) =>
      [true, false].map((newestFirst) => ({ page, newestFirst })),
    );
    for (const { page, newestFirst } of cases) {
      [table.units, table.roundTrips] = [0, 0];
      const view = await readView(table.asTable, source, NOW, { newestFirst, skip: (page - 1) * 25 });
      const numbers = new PageNumbers(source, view, { page, pageSize: 25, newestFirst }, NOW);
      const first = newestFirst ? total - page * 25 : (page - 1) * 25;
      expect(await numbers.read()).toEqual(Array.from({ length: 25 }, (_, index) => first + index));
      expect(numbers.total).toBe(total);
      expect(table.units).toBeLessThanOrEqual(20);
      // And one for the records.
      expect(table.roundTrips).toBe(page * 25 <= 2 * BLOCK_SIZE ? 1 : 2);
    }
  });
});

const readsOf = async (table: SetsInMemory, source: ListSource, range: PageRange, isBuilt = true) => {
  if (!isBuilt) table.mark({ FILTERS: ['state'] });
  const view = await readView(table.asTable, source, NOW, { ...range, skip: (range.page - 1) * range.pageSize });
  const numbers = new PageNumbers(source, view, range, NOW);
  return { numbers: await numbers.read(), total: numbers.total };
};

describe('a set with a summary is read as a whole', () => {
  const range = { page: 5, pageSize: 25, newestFirst: false };

  it('until the summary is built', async () => {
    const words: Words = new Map(Array.from({ length: 8 }, (_, block) => itemsOf(block, FULL)).flat());
    const table = new SetsInMemory();
    const source = listOf(table, new Map([['state=open', words]]), 8 * BLOCK_SIZE, true);
    // What the repair has counted so far.
    const { sortKey, count } = summary.countPlace(5 * BLOCK_SIZE);
    table.put({ PK: storedSets.partitionOf(source.partition, 'state', 'open'), SK: sortKey, [count]: 7 });
    expect(await readsOf(table, source, range, false)).toMatchObject({ total: 8 * BLOCK_SIZE });
  });

  it('where its page has members of many blocks', async () => {
    const words: Words = new Map(Array.from({ length: 230 }, (_, block) => itemsOf(block, [1n], 1)).flat());
    const table = new SetsInMemory();
    const source = listOf(table, new Map([['state=open', words]]), 230 * BLOCK_SIZE, true);
    const numbers = Array.from({ length: 25 }, (_, index) => (100 + index) * BLOCK_SIZE);
    expect(await readsOf(table, source, range)).toEqual({ numbers, total: 230 });
    expect(table.units).toBeLessThan(15);
  });
});

interface Job {
  readonly id: string;
  readonly state: string | null;
}

const db = useTable();
const summarized = entity<Job>('JOB', { filters: ['state'], summaries: ['state'] });
const jobs = new TestList(db, summarized);
/** The previous release, which does not declare the summary. */
const before = new TestList(db, entity<Job>('JOB', { filters: ['state'] }));

const setOf = (state: string) => storedSets.partitionOf(jobs.partition, 'state', state);

/** Counts of items of bits that are not those of their bits. */
async function wrongCounts(state: string): Promise<unknown[]> {
  const compared = summary.compareCounts(await itemsIn(db.table, setOf(state)));
  expect(compared.size).toBeGreaterThan(0);
  return [...compared].filter(([, { members, counted }]) => members !== counted);
}

const differences = async (repair = false) =>
  (await jobs.verify(repair)).differences.map(({ kind, repaired }) => ({ kind, repaired }));

describe('a summary', () => {
  it('counts what is created, moved and deleted, and pages by it are what is stored', async () => {
    const ids: string[] = [];
    for (let block = 0; block < 4; block++) {
      const made = await Promise.all(Array.from({ length: STRIPES }, () => jobs.createId({ state: 'open' })));
      ids.push(...made);
      await jobs.skip(BLOCK_SIZE - STRIPES);
    }
    for (const id of ids.slice(0, 3)) await jobs.remove(id);
    for (const id of ids.slice(40, 44)) await jobs.change(id, { state: 'done' });
    await jobs.change(ids[41] ?? '', { state: null });
    await jobs.change(ids[42] ?? '', { state: 'open' });
    expect([await wrongCounts('open'), await wrongCounts('done')]).toEqual([[], []]);

    const stored = (await jobs.stored()).filter(({ state }) => state === 'open').map(({ id }) => id);
    expect(stored.length).toBe(4 * STRIPES - 6);
    for (const sort of ['created_at', '-created_at'] as const) {
      const pages = [1, 2, 3, 4, 5].map((page) =>
        jobs.read({ filter: { state: 'open' } as never, sort, page, page_size: 30 }),
      );
      const read = await Promise.all(pages);
      expect(read.map(({ total }) => total)).toEqual(Array(5).fill(stored.length));
      expect(read.flatMap((page) => page.ids)).toEqual(sort === 'created_at' ? stored : stored.toReversed());
    }
    const counted = (await itemsIn(db.table, setOf('open'))).filter(({ SK }) => String(SK).startsWith('N#'));
    expect(counted.length).toBe(STRIPES);
  });

  it('stays below 1 KB an item', () => {
    const item = Object.fromEntries(Array.from({ length: 100 }, (_, block) => [`N${block}`, 3_999]));
    const value = 'x'.repeat(100);
    expect(itemSizeOf({ PK: setOf(value), ...summary.countPlace(0), ...item, TTL: 1_800_000_000 })).toBeLessThan(1_024);
    expect(summary.countPlace(100 * BLOCK_SIZE - 1).sortKey).not.toBe(
      summary.countPlace(100 * BLOCK_SIZE + STRIPES - 1).sortKey,
    );
  });

  it('that is declared later is built by the operator; lists are served meanwhile, and the previous release keeps it', async () => {
    const old = await before.createId({ state: 'open' });
    const gone = await before.createId({ state: 'open' });
    await before.createId({ state: 'open' });
    const made = await jobs.createId({ state: 'open' });
    await jobs.change(old, { state: 'done' });
    await jobs.remove(gone);
    const open = { filter: { state: 'open' } as never };
    expect((await jobs.read(open)).total).toBe(2);
    const text = 'JOB the summaries of state are not built: 1 of 3 records are missing in them';
    expect((await jobs.verify(true)).differences).toMatchObject([{ kind: 'filter-not-built', text, repaired: true }]);
    expect(await differences()).toEqual([]);
    expect((await db.item(jobs.counterItem))?.FILTERS).toEqual(['state', 'state+']);
    // The previous release is still at work.
    await before.change(made, { state: 'done' });
    await before.createId({ state: 'open' });
    await before.remove(old);
    expect([await wrongCounts('open'), await wrongCounts('done'), await differences()]).toEqual([[], [], []]);
  });

  it('that is wrong is recounted by the operator, while others write', async () => {
    await Promise.all(Array.from({ length: 5 }, () => jobs.createId({ state: 'open' })));
    const { sortKey, count } = summary.countPlace(3);
    await db.update({ PK: setOf('open'), SK: sortKey }, `SET ${count} = :wrong`, { ':wrong': 77 });
    expect(await differences()).toEqual([{ kind: 'wrong-count', repaired: false }]);
    const [found] = await Promise.all([
      differences(true),
      ...Array.from({ length: 40 }, () => jobs.createId({ state: 'open' })),
    ]);
    expect(found).toEqual([{ kind: 'wrong-count', repaired: true }]);
    expect([await wrongCounts('open'), await differences()]).toEqual([[], []]);
  });
});
