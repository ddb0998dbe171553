import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK_SIZE } from '../../../test/support/bits.ts';
import { byExtent, sampled } from '../../../test/support/extent.ts';
import { bitPlace } from '../src/bits.ts';
import { commonOf, listOf, membersIn, SetsInMemory, type Words } from './sets-in-memory.ts';

/** Lists by several values of a field: the union of their sets, which change while they are read. */

const BLOCKS = 12;

/** Sets of the fields `a` and `b`; each number is in at most one set of a field, as a record has one value. */
const FIELDS = { a: ['a=1', 'a=2', 'a=3', 'a=4'], b: ['b=1', 'b=2', 'b=3'] };
type Numbers = ReadonlyMap<string, readonly number[]>;

/** Few places, in items that are far apart. */
const aNumber = fc
  .tuple(fc.nat(BLOCKS - 1), fc.constantFrom(0, 1, 5, 31, 3_200, 127_999))
  .map(([block, place]) => block * BLOCK_SIZE + place);
const fieldOf = (names: readonly string[]) =>
  fc
    .uniqueArray(fc.tuple(aNumber, fc.constantFrom(...names)), { selector: ([number]) => number, maxLength: 40 })
    .map(
      (placed): Numbers =>
        new Map(names.map((name) => [name, placed.flatMap(([number, at]) => (at === name ? [number] : []))])),
    );
/** Sets that are longer than a first look: they also have a number in each item. */
const longSets = fc.oneof(fc.constant([]), fc.subarray([...FIELDS.a, ...FIELDS.b], { maxLength: 3 }));
const ITEMS = Array.from({ length: BLOCKS * 32 }, (_, index) => Math.floor(index / 32) * BLOCK_SIZE + (index % 32));
const withLong = (sets: Numbers, long: readonly string[]): Numbers =>
  new Map(
    Array.from(sets, ([name, numbers], set) => [
      name,
      // A word that no other number is in.
      long.includes(name) ? [...numbers, ...ITEMS.map((first) => first + (10 + set) * 3_200)] : numbers,
    ]),
  );

function wordsOf(numbers: readonly number[]): Words {
  const words = new Map<string, bigint[]>();
  for (const number of numbers) {
    const { word, bit, sortKey } = bitPlace(number);
    const [, block, stripe] = sortKey.split('#').map(Number);
    const at = words.get(`${block} ${stripe}`) ?? Array<bigint>(40).fill(0n);
    const index = Number(word.slice(1));
    at[index] = (at[index] ?? 0n) | bit;
    words.set(`${block} ${stripe}`, at);
  }
  return words;
}

/** Runs of a property in which a record moves. */
const RUNS = byExtent({ sample: 20, extended: 300, nightly: 3_000 });

/** A table with these sets, and the list of those records that have any of the values of each field. */
const tableWith = (sets: Numbers, atOnce: number) =>
  listOf(
    new SetsInMemory(atOnce),
    new Map(Array.from(sets, ([name, numbers]) => [name, wordsOf(numbers)])),
    BLOCKS * BLOCK_SIZE,
  );

describe('a list by several values', () => {
  const given = fc.tuple(fieldOf(FIELDS.a), fieldOf(FIELDS.b), fc.boolean(), fc.constantFrom(100, 1_200), longSets);

  it('has the records with any of them, and with those of other fields, however long its sets are', async () => {
    await fc.assert(
      fc.asyncProperty(given, async ([inA, inB, isWithB, atOnce, long]) => {
        const fields = (isWithB ? [inA, inB] : [inA]).map((field) => withLong(field, long));
        const read = tableWith(new Map(fields.flatMap((field) => [...field])), atOnce);
        expect(await membersIn(read)).toEqual(commonOf(fields.map((field) => wordsOf([...field.values()].flat()))));
      }),
      { numRuns: RUNS / 4 },
    );
  });

  it('does not lose a record that moves from one of the values to another, whenever it does', async () => {
    const moving = fc.tuple(given, aNumber, fc.shuffledSubarray(FIELDS.a, { minLength: 2, maxLength: 2 }), fc.nat(40));
    let moved = 0;
    await fc.assert(
      fc.asyncProperty(moving, async ([[a, b, isWithB, atOnce, long], number, [from = '', to = ''], call]) => {
        const others = Array.from(a, ([name, all]) => [name, all.filter((each) => each !== number)] as const);
        const withIt = new Map(others.map(([name, all]) => [name, name === from ? [...all, number] : all]));
        const inB = new Map(
          Array.from(b, ([name, all], index) => [name, index === 0 ? [...new Set([...all, number])] : all]),
        );
        const read = tableWith(withLong(new Map(isWithB ? [...withIt, ...inB] : withIt), long), atOnce);
        let calls = 0;
        read.table.onCall = () => {
          if (calls++ === call) read.table.move(number, from, to);
        };
        expect(await membersIn(read)).toContain(number);
        if (calls > call) moved++;
      }),
      { numRuns: RUNS },
    );
    expect(moved).toBeGreaterThan(RUNS / 3);
  });

  /** A record near the end of the list, which moves at a call. @returns whether the list has it; undefined where there are fewer calls */
  async function findsMoved(call: number, [from, to]: readonly string[], long: readonly string[], isRestless: boolean) {
    const number = (BLOCKS - 1) * BLOCK_SIZE + 5;
    const sets = new Map(['a=1', 'a=2', 'a=3'].map((name) => [name, name === from ? [0, number] : [1]]));
    const read = tableWith(withLong(sets, long), 1_200);
    let calls = 0;
    read.table.onCall = () => {
      if (isRestless) read.table.move(1_000 + calls, 'c=1', 'a=3');
      if (calls++ === call) read.table.move(number, from ?? '', to ?? '');
    };
    const members = await membersIn(read);
    return calls <= call ? undefined : members.includes(number);
  }

  /** Out of the long set and into it: who forgets an earlier reading of another set loses the latter alone. */
  const MOVES = [...sampled(['a=1 a=2', 'a=1 a=3'], 1), ...sampled(['a=2 a=1', 'a=3 a=1'], 1)];
  it.each([
    ['one long set', ['a=1'], false],
    ['one long set, where others come all the time', ['a=1'], true],
    ['two long sets', ['a=1', 'a=2'], false],
  ] as const)(
    'does not lose a record that moves from or to the end of %s, at any call',
    async (_, long, isRestless) => {
      for (const moved of MOVES.map((names) => names.split(' ')))
        for (let call = 0, isFound: boolean | undefined = true; isFound !== undefined; call++) {
          isFound = await findsMoved(call, moved, long, isRestless);
          expect(isFound ?? call > 3, `${moved.join(' to ')} at call ${call}`).toBe(true);
        }
    },
  );

  it('is that of one moment, where one record leaves it and another comes while it is read', async () => {
    const NOWHERE = 'c=1';
    const moving = fc.tuple(fieldOf(FIELDS.a), fc.constantFrom(2, 1_200), fc.nat(12), fc.nat(12));
    await fc.assert(
      fc.asyncProperty(moving, async ([a, atOnce, call, later]) => {
        const all = [...a.values()].flat();
        const [from = '', [leaving = 0] = []] = Array.from(a).find(([, numbers]) => numbers.length > 0) ?? [];
        const coming = BLOCK_SIZE - 1;
        fc.pre(from !== '' && !all.includes(coming));
        const read = tableWith(a, atOnce);
        let calls = 0;
        read.table.onCall = () => {
          if (calls === call) read.table.move(leaving, from, NOWHERE);
          if (calls === call + later) read.table.move(coming, NOWHERE, 'a=4');
          calls++;
        };
        const members = await membersIn(read);
        const left = all.filter((number) => number !== leaving);
        const moments = [all, left, [...left, coming]].map((numbers) => numbers.toSorted((one, other) => one - other));
        expect(moments).toContainEqual(members);
      }),
      { numRuns: RUNS },
    );
  });

  it('reads its sets twice as a whole, and of another field no more than it needs', async () => {
    const costOf = async (sets: Readonly<Record<string, readonly number[]>>) => {
      const read = tableWith(new Map(Object.entries(sets)), 1_200);
      await membersIn(read);
      return [read.table.units, read.table.roundTrips];
    };
    const small = { 'a=1': [0, 5], 'a=2': [1] };
    const [look, rest] = [15, 8];
    expect(await costOf({ 'a=3': ITEMS }), 'one value').toEqual([look + rest - 1, 1]);
    expect(await costOf(small), 'two short ones').toEqual([4, 2]);
    const whole = look + rest - 1;
    expect(await costOf({ ...small, 'a=3': ITEMS }), 'and a long one').toEqual([4 + 2 * whole, 2]);
    expect(await costOf({ 'a=1': ITEMS, 'a=2': ITEMS }), 'two long ones').toEqual([2 * 2 * whole, 2]);
    expect(await costOf({ ...small, 'b=1': ITEMS }), 'a long one of another field').toEqual([4 + look, 2]);
  });

  it('reads short sets that always change up to six times, and long ones twice', async () => {
    /** Reads both sets, one of which has one more record at each call. */
    const unitsOf = async (one: readonly number[], other: readonly number[]) => {
      const sets = new Map([
        ['a=1', one],
        ['a=2', other],
      ]);
      const read = tableWith(sets, 1_200);
      let coming = 1_000;
      read.table.onCall = () => read.table.move(coming++, 'c=1', 'a=1');
      expect(await membersIn(read)).toContain(other[0]);
      return read.table.units;
    };
    expect(await unitsOf([0], [5])).toBe(6 * 2);
    // All items, with a bit in each of their words.
    const large = Array.from({ length: BLOCKS * 32 * 40 }, (_, index) => {
      const [place, word] = [Math.floor(index / 40), index % 40];
      return Math.floor(place / 32) * BLOCK_SIZE + (word * 100 + 99) * 32 + (place % 32);
    });
    const alone = tableWith(new Map([['a=1', large]]), 1_200);
    await membersIn(alone);
    expect(alone.table.units).toBeGreaterThan(50);
    expect(await unitsOf(large, large)).toBe(2 * 2 * alone.table.units);
  });
});
