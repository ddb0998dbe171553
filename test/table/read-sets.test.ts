import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ListSource, schema, storedSets } from '#lists';
import { Members, STRIPES } from '#lists/maintenance';
import { BLOCK_SIZE } from '../../shared/lists/bits.ts';
import { SetSizes, sizesOf } from '../../shared/lists/set-sizes.ts';
import { readView } from '../../shared/lists/view.ts';
import { commonOf, LIST, listOf, SetsInMemory, type Words } from '../support/sets-in-memory.ts';

/** The sets of several filters, read in the order that estimates of their sizes suggest. */

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;

async function membersIn(table: SetsInMemory, source: ListSource, now = NOW): Promise<number[]> {
  const { included, excluded } = await readView(table.asTable, source, now);
  const members = new Members({ from: 0, to: Number.MAX_SAFE_INTEGER, included, excluded, absent: new Set() });
  return members.slice(0, members.total);
}

const BLOCKS = 44;
/** Few places, so that sets have members in common. */
const place = fc
  .tuple(fc.constantFrom(0, 9, 20, BLOCKS - 1), fc.constantFrom(0, 5, STRIPES - 1))
  .map((at) => at.join(' '));
const word = fc.constantFrom(0n, 1n, 0xffn, 0xffn, 6n, 1n << 99n);
const words = fc.array(word, { minLength: 1, maxLength: 2 });
/** A set with few items, and one that also has all those of neighbouring blocks. */
const sparse = fc.array(fc.tuple(place, words), { maxLength: 16 });
const dense = fc
  .tuple(fc.constantFrom(0, 9), fc.constantFrom(1, 8, 12, BLOCKS), words)
  .map(([first, blocks, bits]) =>
    Array.from({ length: STRIPES * Math.min(blocks, BLOCKS - first) }, (_, index): [string, bigint[]] => [
      `${first + Math.floor(index / STRIPES)} ${index % STRIPES}`,
      bits,
    ]),
  );
const aSet = fc
  .oneof(
    sparse,
    fc.tuple(dense, sparse).map((both) => both.flat()),
  )
  .map((items): Words => new Map(items));
const size = fc.record({
  whole: fc.constantFrom(0, 1, 19, 20, 500, 1e9, Number.POSITIVE_INFINITY),
  reach: fc.constantFrom(0, 1, 19, 20, 500, 1e9),
});
const NAMES = ['a=1', 'b=2', 'c=3', 'd=4'];
const forged = fc.dictionary(
  fc.constantFrom(...NAMES, 'b=9'),
  fc.oneof(fc.tuple(fc.double(), fc.double()), fc.anything()),
);

describe('an AND of filters', () => {
  it('is the same whatever is estimated: nothing, the truth, something else, or nonsense', async () => {
    const estimates = fc.dictionary(fc.constantFrom(...NAMES), size);
    const sets = fc.array(aSet, { minLength: 1, maxLength: 4, size: 'max' });
    // The counter item is read eventually consistent: its number may be of yesterday.
    const next = fc.constantFrom(0, 5, BLOCKS, 8 * BLOCKS).map((blocks) => blocks * BLOCK_SIZE);
    const given = fc.tuple(sets, estimates, fc.option(forged), fc.constantFrom(7, 1_200), fc.boolean(), next);
    await fc.assert(
      fc.asyncProperty(given, async ([wanted, learned, note, atOnce, leavesUnprocessed, after]) => {
        const table = new SetsInMemory(atOnce);
        const named = new Map(wanted.map((set, index) => [NAMES[index] ?? '', set]));
        const source = listOf(table, named, after);
        table.leavesUnprocessed = leavesUnprocessed;
        if (note !== null) table.put({ PK: storedSets.partitionOfSizes(LIST), SK: 'SIZES', AT: NOW, SIZES: note });
        const sizes = sizesOf(table.asTable, LIST);
        for (const [name, estimate] of Object.entries(learned)) sizes.learn(name, estimate, NOW);
        const expected = commonOf(wanted);
        // With these estimates, with those learned from the first reading, and without any that is an hour old.
        for (const now of [NOW, NOW, NOW + 2 * HOUR]) expect(await membersIn(table, source, now)).toEqual(expected);
        // The same sets, with the members of all but the first taken out.
        const clauses = source.clauses.map((clause, index) => ({ ...clause, isExcluded: index > 0 }));
        const unlike = { ...source, clauses };
        const [all = new Map(), ...out] = wanted;
        const gone = new Set(out.flatMap((set) => commonOf([set])));
        const left = commonOf([all]).filter((number) => !gone.has(number));
        for (const now of [NOW, NOW + 2 * HOUR]) expect(await membersIn(table, unlike, now)).toEqual(left);
      }),
      { numRuns: 60 },
    );
  });

  const FULL = Array<bigint>(40).fill((1n << 100n) - 1n);
  const TEN_MILLION = 79;
  const half: Words = new Map(
    Array.from({ length: TEN_MILLION * STRIPES }, (_, index) => [
      `${Math.floor(index / STRIPES)} ${index % STRIPES}`,
      FULL,
    ]),
  );
  const ten: Words = new Map(Array.from({ length: 10 }, (_, index) => [`${index * 7} ${index * 3}`, [1n]]));

  it('reads of a large set only the items in which a small one has members: 10 and half of 10 million', async () => {
    const table = new SetsInMemory();
    const source = listOf(
      table,
      new Map([
        ['owner=ana', ten],
        ['state=open', half],
      ]),
      TEN_MILLION * BLOCK_SIZE,
    );
    const costs: [number, number][] = [];
    for (let time = 0; time < 2; time++) {
      [table.units, table.roundTrips] = [0, 0];
      expect(await membersIn(table, source)).toEqual(commonOf([ten, half]));
      costs.push([table.units, table.roundTrips]);
    }
    // The first time, a look at the large set shows that it is large.
    expect(costs).toEqual([
      [1 + 53 + 8, 2],
      [1 + 10, 2],
    ]);
  });

  it('reads of a large set only the items in which all small ones have members', async () => {
    const table = new SetsInMemory();
    const three = new Map([...ten].slice(0, 3));
    const sets = new Map([
      ['owner=ana', ten],
      ['place=north', three],
      ['state=open', half],
    ]);
    const source = listOf(table, sets, TEN_MILLION * BLOCK_SIZE);
    sizesOf(table.asTable, LIST).learn('state=open', { whole: 500, reach: 500 }, NOW);
    expect(await membersIn(table, source)).toEqual(commonOf([three]));
    expect(table.units).toBe(1 + 1 + 3);
  });

  it('reads all sets in parallel where another order would save less than 20 units', async () => {
    const table = new SetsInMemory(400);
    const blocks = (count: number): Words => new Map([...half].slice(0, count * STRIPES));
    for (const [few, many] of [
      [1, 2],
      [20, 21],
    ] as const) {
      const sets = new Map([
        ['owner=ana', blocks(few)],
        ['state=open', blocks(many)],
      ]);
      const source = listOf(table, sets, many * BLOCK_SIZE);
      await membersIn(table, source);
      table.roundTrips = 0;
      await membersIn(table, source);
      // A set of more than 1 MB takes a query for each.
      expect(table.roundTrips).toBe(Math.ceil((many * STRIPES) / 400));
    }
  });
});

describe('the note of sizes', () => {
  const sizesWith = (count: number) => {
    const sizes = new SetSizes();
    for (let index = 0; index < count; index++) sizes.learn(`owner=${index}`, { whole: 100 + index, reach: 1 }, NOW);
    return sizes;
  };

  it('has the 16 largest values of a field, at most 1 KB, and expires', async () => {
    const table = new SetsInMemory();
    const sizes = sizesWith(30);
    await sizes.readNote(table.asTable, LIST, NOW);
    await sizes.writeNote(table.asTable, LIST, NOW);
    const [note = {}] = table.puts;
    expect(Object.keys(note.SIZES as object)).toEqual(Array.from({ length: 16 }, (_, index) => `owner=${29 - index}`));
    expect(Number(note.TTL)).toBeGreaterThan(NOW / 1_000 + 86_400);
    for (const [count, text] of [
      [10, 'x'.repeat(100)],
      [60, 'y'],
    ] as const) {
      const now = NOW + table.puts.length * HOUR;
      const size = { whole: 1e5 / 7, reach: 1e5 / 3 };
      for (let index = 0; index < count; index++) sizes.learn(`${text}${index}=a`, size, now);
      await sizes.readNote(table.asTable, LIST, now);
      await sizes.writeNote(table.asTable, LIST, now);
    }
    expect(table.puts.length).toBe(3);
    expect(table.puts.map(schema.itemSizeOf).every((bytes) => bytes < 1_024)).toBe(true);
  });

  it('is written once an hour at most, only where sizes have changed, and is read by other containers', async () => {
    const table = new SetsInMemory();
    const sizes = sizesWith(2);
    for (const [now, whole, puts] of [
      [0, 100, 1],
      [1, 300, 1],
      [HOUR, 150, 1],
      [2 * HOUR, 300, 2],
    ] as const) {
      sizes.learn('owner=0', { whole, reach: 1 }, NOW + now);
      await sizes.readNote(table.asTable, LIST, NOW + now);
      await sizes.writeNote(table.asTable, LIST, NOW + now);
      expect(table.puts.length).toBe(puts);
    }
    const other = new SetSizes();
    await other.readNote(table.asTable, LIST, NOW + 2 * HOUR);
    expect(other.get('owner=0', NOW + 2 * HOUR)).toMatchObject({ whole: 300, reach: 1 });
  });

  it('is believed for a day, and an estimate for an hour, by clocks that differ by no more', async () => {
    const table = new SetsInMemory();
    const sizes = sizesWith(1);
    const YEAR = 365 * 24 * HOUR;
    for (const away of [-YEAR, -HOUR, HOUR, YEAR]) expect(sizes.get('owner=0', NOW + away)).toBeUndefined();
    for (const away of [1 - HOUR, HOUR - 1]) expect(sizes.get('owner=0', NOW + away)).toMatchObject({ whole: 100 });
    await sizes.readNote(table.asTable, LIST, NOW);
    await sizes.writeNote(table.asTable, LIST, NOW);
    const readAt = async (now: number) => {
      const other = new SetSizes();
      await other.readNote(table.asTable, LIST, now);
      return other.get('owner=0', now)?.whole;
    };
    expect(await Promise.all([-YEAR, 1 - 24 * HOUR, 24 * HOUR - 1, YEAR].map((away) => readAt(NOW + away)))).toEqual([
      undefined,
      100,
      100,
      undefined,
    ]);
  });

  it('changes nothing where it cannot be read or written', async () => {
    const table = new SetsInMemory();
    table.refuses = (command) => command instanceof GetCommand || command instanceof PutCommand;
    const sizes = sizesWith(2);
    await sizes.readNote(table.asTable, LIST, NOW);
    await sizes.writeNote(table.asTable, LIST, NOW);
    expect(sizes.get('owner=0', NOW)).toMatchObject({ whole: 100, reach: 1 });
  });
});
