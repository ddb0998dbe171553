import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ListSource, storedSets } from '#lists';
import { bitPlace, COUNTER, gapRanges, Members, NumberSet } from '#lists/maintenance';
import { BLOCK_SIZE, WORD_NAMES } from '../../shared/lists/bits.ts';
import { compactGaps } from '../../shared/lists/compact-gaps.ts';
import { setGaps } from '../../shared/lists/gap-words.ts';
import { membersOf, readView } from '../../shared/lists/view.ts';
import { byExtent } from '../support/extent.ts';
import { MemoryPartition, type Turn } from '../support/memory-partition.ts';

/** Gaps as bits, as ranges and as both are the same gaps, whoever writes, deletes, reads and compacts meanwhile. */

type Item = Readonly<Record<string, unknown>>;

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-20T12:00:00Z');

/** The items of the gaps from `from` up to, not including, `to`, as adding their bits leaves them. */
function bitsOf(partition: string, numbers: Iterable<number>): Item[] {
  const items = new Map<string, Record<string, unknown>>();
  for (const number of numbers) {
    const { sortKey, word, bit } = bitPlace(number);
    const item = items.get(sortKey) ?? { PK: storedSets.partitionOf(partition), SK: sortKey };
    item[word] = BigInt((item[word] as bigint | undefined) ?? 0n) + bit;
    items.set(sortKey, item);
  }
  return [...items.values()];
}

const between = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

describe('the item of a region', () => {
  const REGION = gapRanges.REGION_SIZE;
  const ends = fc.uniqueArray(fc.oneof(fc.nat(300), fc.nat(REGION)), { maxLength: 40 });

  it('has its ranges, and has one number less where that is taken out', () => {
    fc.assert(
      fc.property(ends, fc.nat(3), fc.nat(300), (places, region, number) => {
        const sorted = places.toSorted((one, other) => one - other).map((place) => place + region * REGION);
        const ranges = Array.from({ length: Math.floor(sorted.length / 2) }, (_, index) => ({
          from: sorted[2 * index] ?? 0,
          to: sorted[2 * index + 1] ?? 0,
        }));
        const stored = (of: readonly gapRanges.Range[]) => ({
          SK: gapRanges.rangesKey(region),
          [gapRanges.RANGES]: gapRanges.encoded(of, region * REGION),
        });
        expect(gapRanges.rangesOf(stored(ranges))).toEqual(ranges);
        const taken = number + region * REGION;
        const set = NumberSet.ofItems([stored(gapRanges.without(ranges, taken))]);
        const isInRange = (each: number) => each !== taken && ranges.some(({ from, to }) => from <= each && each < to);
        for (const each of [taken - 1, taken, taken + 1, ...sorted, ...sorted.map((end) => end - 1)])
          expect(set.has(each)).toBe(each >= 0 && isInRange(each));
      }),
    );
  });
});

/** Numbers at the begin of two blocks: gaps with a bit in each of their items, and records behind them. */
const STARTS = [0, BLOCK_SIZE];
const GONE = STARTS.flatMap((start) => between(start, start + 64));
const LIVE = STARTS.flatMap((start) => between(start + 64, start + 90));
/** Where a query may be held up. */
const CUTS = ['B#', bitPlace(16).sortKey, bitPlace(BLOCK_SIZE).sortKey, COUNTER, gapRanges.rangesKey(0)];

/** A list in memory, and which of its numbers are gaps, by the writes of those who make them. */
class ModelList {
  readonly partition = new MemoryPartition();
  readonly source: ListSource;
  readonly gaps = new Map<string, Set<number>>();
  readonly records = new Set(LIVE);
  /** Numbers that never get a record any more. */
  readonly closed = new Set(GONE);
  /** What was wrong after a write: a compaction ignores its failures. */
  readonly faults: string[] = [];
  next = Math.max(...LIVE) + 1;

  constructor() {
    this.source = {
      partition: 'LIST',
      filters: [],
      clauses: [],
      lookups: [],
      createdAt: 'created_at',
      matches: () => true,
    };
    this.partition.onWrite = (sortKey) => this.#check(sortKey);
    for (const item of bitsOf('LIST', GONE)) this.partition.set(String(item.SK), item);
    this.#allocated();
  }

  #allocated(): void {
    this.partition.items.set(COUNTER, { SK: COUNTER, NEXT: this.next });
  }

  /** No write loses a gap, or makes one of a number that may get a record. */
  #check(sortKey: string): void {
    const region = NumberSet.ofItems([this.partition.items.get(gapRanges.rangesKey(0)) ?? {}]);
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

  /** Takes a number, and writes its record if it finds no tombstone when it wakes. */
  async write(turn: Turn): Promise<void> {
    const number = this.next++;
    this.#allocated();
    await turn();
    if (!this.closed.has(number)) this.records.add(number);
  }

  /** One transaction: the record is gone, and its bit is added. */
  async remove(turn: Turn, number: number): Promise<void> {
    await turn();
    if (!this.records.delete(number)) return;
    this.closed.add(number);
    const { sortKey, word, bit } = bitPlace(number);
    const item = this.partition.items.get(sortKey) ?? { SK: sortKey };
    const bits = BigInt((item[word] as bigint | undefined) ?? 0n);
    if ((bits & bit) !== 0n) throw new Error(`the bit of ${number} is added twice`);
    this.partition.set(sortKey, { ...item, [word]: bits + bit });
  }

  /** Reads the list, fences what has no record, and compacts, as a page does. */
  async read(turn: Turn, cuts: readonly string[], now: number): Promise<void> {
    const table = this.partition.tableOf(turn, cuts);
    const before = this.allGaps;
    const view = await readView(table, this.source, now);
    const list = membersOf(this.source, view, new Set(), now);
    const read = members(view.gaps);
    expect(list.total, 'gaps are counted once').toBe(Number(view.counter.NEXT) - read.length);
    for (const number of read) if (!this.closed.has(number)) throw new Error(`${number} is no gap`);
    for (const number of before) if (!view.gaps.has(number)) throw new Error(`gap ${number} is counted`);
    const { partition } = this.source;
    const compaction = compactGaps(table, { partition, ...view, runs: list.runs }, now);
    for (let number = Math.max(...LIVE) + 1; number < Number(view.counter.NEXT); number++) {
      if (view.gaps.has(number) || this.records.has(number)) continue;
      this.closed.add(number);
      await turn();
      const seen = view.gapItems.find(({ SK }) => SK === bitPlace(number).sortKey);
      await setGaps(table, [{ partition, number, expires: undefined }], seen).catch(unlessRefused);
    }
    await compaction;
  }
}

const members = (set: NumberSet): number[] => {
  const all = new Members({ from: 0, to: Number.MAX_SAFE_INTEGER, included: set, absent: new Set() });
  return all.slice(0, all.total);
};

function unlessRefused(error: unknown): void {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
}

it('a reader that wakes late does not replace the ranges that another has noted', async () => {
  const list = new ModelList();
  const now = async (): Promise<void> => undefined;
  const table = list.partition.tableOf(now, []);
  const begun = async () => {
    const view = await readView(table, list.source, NOW);
    const { runs } = membersOf(list.source, view, new Set(), NOW);
    return () => compactGaps(table, { partition: 'LIST', ...view, runs }, NOW);
  };
  const sleeper = await begun();
  const [removed = 0] = LIVE;
  await list.remove(now, removed);
  await (await begun())();
  await sleeper();
  expect(NumberSet.ofItems([list.partition.items.get(gapRanges.rangesKey(0)) ?? {}]).has(removed)).toBe(true);
});

it('what would take as much as ranges stays bits', async () => {
  const partition = new MemoryPartition();
  const word = BigInt(`0b${'01'.repeat(50)}`);
  for (const { SK } of bitsOf('LIST', between(0, 64).concat(between(BLOCK_SIZE, BLOCK_SIZE + 64))))
    partition.set(String(SK), { SK, ...Object.fromEntries(WORD_NAMES.map((name) => [name, word])) });
  partition.set(COUNTER, { SK: COUNTER, NEXT: 2 * BLOCK_SIZE });
  const table = partition.tableOf(async () => undefined, []);
  const source: ListSource = {
    partition: 'LIST',
    filters: [],
    clauses: [],
    lookups: [],
    createdAt: 'created_at',
    matches: () => true,
  };
  const view = await readView(table, source, NOW);
  const { runs } = membersOf(source, view, new Set(), NOW);
  await compactGaps(table, { partition: 'LIST', ...view, runs }, NOW);
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
      { numRuns: byExtent({ sample: 30, extended: 100, nightly: 3_000 }) },
    );
  });
});
