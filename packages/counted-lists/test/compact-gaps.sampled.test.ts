import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { ids, listErrors, schema, storedSets, type Table } from '@custodia/counted-lists';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK_SIZE, itemsWith, WORD_NAMES } from '../../../test/support/bits.ts';
import { byExtent } from '../../../test/support/extent.ts';
import { tableSending } from '../../../test/support/table-sending.ts';
import { bitPlace } from '../src/bits.ts';
import { COUNTER } from '../src/counter-item.ts';
import { COMPRESSED, compressed, compressedWithout, regionKey } from '../src/gap-regions.ts';
import { Members, NumberSet } from '../src/number-set.ts';
import { MemoryPartition, type Turn } from './memory-partition.ts';
import { LIST, readPage as readAnyPage } from './read-page.ts';

/** Gaps in words, in compressed bits and in both are the same gaps, whoever writes, deletes, reads and compacts meanwhile. */

type Item = Readonly<Record<string, unknown>>;

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-20T12:00:00Z');
const GAPS = storedSets.partitionOf(LIST);

/** Reads the newest records of the list, fences what has no record, and compacts its gaps. */
const readPage = (table: Table, now = NOW, query = {}) =>
  readAnyPage(table, { page_size: 20, sort: '-created_at', ...query }, { now });

const between = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

describe('the item of a region', () => {
  const REGION = 8 * BLOCK_SIZE;
  const some = fc.uniqueArray(fc.oneof(fc.nat(300), fc.nat(REGION - 1)), { minLength: 1, maxLength: 40 });

  it('has its numbers, and has one number less where that is taken out', () => {
    fc.assert(
      fc.property(some, fc.nat(3), (places, region) => {
        const numbers = places.map((place) => place + region * REGION);
        const SK = regionKey(region);
        const { groups } = NumberSet.ofItems(itemsWith([...numbers, (region + 1) * REGION]));
        const item = { SK, [COMPRESSED]: compressed(region, groups) };
        expect(members(NumberSet.ofItems([item]))).toEqual(numbers.toSorted((one, other) => one - other));
        const [taken = 0, ...left] = numbers;
        const without = { SK, [COMPRESSED]: compressedWithout(item, taken) };
        expect(members(NumberSet.ofItems([without]))).toEqual(left.toSorted((one, other) => one - other));
      }),
    );
  });

  it('takes a few bytes for each record that was not deleted', () => {
    const sizeOf = (kept: readonly number[]) => {
      const { groups } = NumberSet.ofItems([
        ...itemsWith(between(0, BLOCK_SIZE).filter((number) => !kept.includes(number))),
      ]);
      return compressed(0, groups).length;
    };
    expect(sizeOf([])).toBeLessThan(300);
    expect(sizeOf(between(0, 400).map((index) => (index * 7_919) % BLOCK_SIZE))).toBeLessThan(400 * 4);
  });
});

/**
 * Numbers at the begin of two blocks: gaps with a bit in each of their items, and records behind them. At the end there are more of them than a
 * reader looks at who finds numbers without a record: what is before them has none here, and is no gap.
 */
const STARTS = [0, BLOCK_SIZE];
const GONE = STARTS.flatMap((start) => between(start, start + 64));
const LIVE = STARTS.flatMap((start) => between(start + 64, start + (start === 0 ? 90 : 190)));
/** The first number that nobody has taken. */
const FIRST = Math.max(...LIVE) + 1;
/** Where a query may be held up. */
const CUTS = ['B#', bitPlace(16).sortKey, bitPlace(BLOCK_SIZE).sortKey, COUNTER, regionKey(0)];

/** A list in memory, and which of its numbers are gaps, by the writes of those who make them. */
class ModelList {
  readonly partition = new MemoryPartition();
  readonly gaps = new Map<string, Set<number>>();
  /** Numbers that never get a record any more. */
  readonly closed = new Set(GONE);
  /** What was wrong after a write: a compaction ignores its failures. */
  readonly faults: string[] = [];
  next = FIRST;

  constructor() {
    for (const number of LIVE) this.#putRecord(number);
    this.partition.onWrite = (sortKey, item) => this.#check(sortKey, item);
    for (const item of itemsWith(GONE)) this.partition.set(String(item.SK), { PK: GAPS, ...item });
    this.#allocated();
  }

  #allocated(): void {
    this.partition.items.set(COUNTER, { PK: GAPS, SK: COUNTER, NEXT: this.next, AT: NOW - 3_600_000 });
  }

  #putRecord(number: number): void {
    const record = { id: ids.newId(number), created_at: new Date(NOW - 3_600_000).toISOString() };
    this.partition.set(ids.sortKeyOf(number), { PK: LIST, SK: ids.sortKeyOf(number), ...record });
  }

  /** No write loses a gap, or makes one of a number that may get a record. */
  #check(sortKey: string, item: Item | undefined): void {
    if (item?.[schema.TOMBSTONE] !== undefined) this.closed.add(ids.numberIn(sortKey));
    if (!/^[BR]#/.test(sortKey)) return;
    const region = NumberSet.ofItems([this.partition.items.get(regionKey(0)) ?? {}]);
    const noted = members(region).filter((number) => !this.closed.has(number));
    this.faults.push(...noted.map((number) => `${number} is no gap`));
    for (const key of sortKey.startsWith('B#') ? [sortKey] : this.gaps.keys()) {
      const bits = NumberSet.ofItems([this.partition.items.get(key) ?? {}]);
      const before = this.gaps.get(key) ?? new Set();
      const added = members(bits).filter((number) => !before.has(number));
      this.faults.push(...added.filter((number) => !this.closed.has(number)).map((number) => `${number} is no gap`));
      const now = [...before, ...added].filter((number) => bits.has(number) || region.has(number));
      if (now.length < before.size + added.length) this.faults.push(`a gap of ${key} is lost`);
      this.gaps.set(key, new Set(now));
    }
  }

  get allGaps(): number[] {
    return [...this.gaps.values()].flatMap((each) => [...each]);
  }

  get records(): number[] {
    const items = [...this.partition.items.values()];
    return items.flatMap(({ PK, SK, id }) => (PK === LIST && id !== undefined ? [ids.numberIn(String(SK))] : []));
  }

  /** Takes a number, and writes its record if it finds no tombstone when it wakes. */
  async write(turn: Turn): Promise<void> {
    const number = this.next++;
    this.#allocated();
    await turn();
    if (!this.closed.has(number)) this.#putRecord(number);
  }

  /** One transaction: the record is gone, and its bit is added. */
  async remove(turn: Turn, number: number): Promise<void> {
    await turn();
    if (this.closed.has(number)) return;
    this.closed.add(number);
    this.partition.items.delete(ids.sortKeyOf(number));
    const { sortKey, word, bit } = bitPlace(number);
    const item = this.partition.items.get(sortKey) ?? { PK: GAPS, SK: sortKey };
    const bits = BigInt((item[word] as bigint | undefined) ?? 0n);
    if ((bits & bit) !== 0n) throw new Error(`the bit of ${number} is added twice`);
    this.partition.set(sortKey, { ...item, [word]: bits + bit });
  }

  /** Reads the list, as far as so many writers let it. */
  async read(turn: Turn, cuts: readonly string[], now: number): Promise<void> {
    const [next, gaps, before] = [this.next, this.allGaps.length, this.records];
    const page = await readPage(this.partition.tableOf(turn, cuts), now).catch((error: unknown) => {
      if (!(error instanceof listErrors.PageIncomplete)) throw error;
    });
    if (page === undefined) return;
    const { numbers } = page;
    const always = this.records.filter((number) => before.includes(number) && number > Math.min(...numbers));
    expect(numbers, 'no record is hidden').toEqual(expect.arrayContaining(always));
    expect(page.total, 'all gaps are counted').toBeLessThanOrEqual(this.next - gaps);
    // Without those whose writers are still at work.
    const written = next - this.allGaps.length - (this.next - FIRST);
    expect(page.total, 'gaps are counted once').toBeGreaterThanOrEqual(written);
  }
}

const members = (set: NumberSet): number[] => {
  const all = new Members({ from: 0, to: Number.MAX_SAFE_INTEGER, included: set, absent: new Set() });
  return all.slice(0, all.total);
};

it('a reader that wakes late does not replace the bits that another has compressed', async () => {
  const list = new ModelList();
  const now = async (): Promise<void> => undefined;
  const table = list.partition.tableOf(now, []);
  const [noting, waking] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const send = async (command: PutCommand) => {
    if (command instanceof PutCommand && command.input.Item?.SK === regionKey(0)) {
      noting.resolve();
      await waking.promise;
    }
    return table.client.send(command);
  };
  const sleeper = readPage(tableSending(send, table.name));
  await noting.promise;
  const [removed = 0] = LIVE;
  await list.remove(now, removed);
  await readPage(table);
  waking.resolve();
  await sleeper;
  expect(NumberSet.ofItems([list.partition.items.get(regionKey(0)) ?? {}]).has(removed)).toBe(true);
});

it('what compressing would not make smaller stays words', async () => {
  const partition = new MemoryPartition();
  const word = BigInt(`0b${'01'.repeat(50)}`);
  const words = Object.fromEntries(WORD_NAMES.map((name) => [name, word]));
  for (const { SK } of itemsWith(STARTS.flatMap((start) => between(start, start + 64))))
    partition.set(String(SK), { PK: GAPS, SK, ...words });
  partition.set(COUNTER, { PK: GAPS, SK: COUNTER, NEXT: 2 * BLOCK_SIZE });
  partition.set(ids.sortKeyOf(32), { PK: LIST, SK: ids.sortKeyOf(32), id: ids.newId(32) });
  const table = partition.tableOf(async () => undefined, []);
  const { total } = await readPage(table, NOW, { page_size: 1, sort: 'created_at' });
  expect(total).toBe(BLOCK_SIZE);
  expect([...partition.items.keys()].filter((sortKey) => sortKey.startsWith('R#'))).toEqual([]);
});

class Ended extends Error {}

const actor = fc.record({
  does: fc.constantFrom('read', 'read', 'read', 'remove', 'remove', 'write'),
  which: fc.nat(9),
  cuts: fc.subarray(CUTS),
  /** In days. */
  clock: fc.constantFrom(0, 2, 60, -60),
  /** At this turn it sleeps until two waves later, or ends. */
  at: fc.oneof(fc.nat(8), fc.nat(60)),
  outcome: fc.constantFrom('goes on', 'sleeps', 'sleeps', 'ends'),
});
type Actor = typeof actor extends fc.Arbitrary<infer A> ? A : never;

describe('a list whose gaps are compacted', () => {
  it('has the same gaps at every moment, whoever writes, deletes, fences, compacts, sleeps and dies', async () => {
    const waves = fc.array(fc.array(actor, { minLength: 1, maxLength: 5 }), { minLength: 3, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), waves, async (scheduler, all) => {
        const list = new ModelList();
        const gates = Array.from({ length: all.length + 3 }, () => Promise.withResolvers<void>());
        const begin = (wave: number, { does, which, cuts, clock, at, outcome }: Actor) => {
          const asleep = Promise.withResolvers<void>();
          let turns = 0;
          const turn = async () => {
            await scheduler.schedule(Promise.resolve());
            if (turns++ !== at || outcome === 'goes on') return;
            if (outcome === 'ends') throw new Ended();
            asleep.resolve();
            await gates[wave + 2]?.promise;
          };
          const now = NOW + clock * DAY;
          const acts = {
            read: () => list.read(turn, cuts, now),
            remove: () => list.remove(turn, LIVE[which] ?? 0),
            write: () => list.write(turn),
          };
          const done = acts[does]().catch((error: unknown) => {
            if (!(error instanceof Ended)) throw error;
          });
          return { done, idle: Promise.race([done, asleep.promise]) };
        };
        const done: Promise<void>[] = [];
        for (const [wave, actors] of all.entries()) {
          gates[wave]?.resolve();
          const begun = actors.map((each) => begin(wave, each));
          done.push(...begun.map((each) => each.done));
          await scheduler.waitFor(Promise.all(begun.map(({ idle }) => idle)));
        }
        for (const gate of gates) gate.resolve();
        await scheduler.waitFor(Promise.all(done));
        await list.read(() => Promise.resolve(), [], NOW);
        expect(list.faults).toEqual([]);
      }),
      { numRuns: byExtent({ sample: 10, extended: 100, nightly: 3_000 }) },
    );
  });
});
