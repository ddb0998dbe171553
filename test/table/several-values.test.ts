import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bitPlace, Members } from '#lists/maintenance';
import { BLOCK_SIZE } from '../../shared/lists/bits.ts';
import { sizesOf } from '../../shared/lists/set-sizes.ts';
import { readView } from '../../shared/lists/view.ts';
import { commonOf, LIST, listOf, SetsInMemory, type Words } from '../support/sets-in-memory.ts';

/** Lists by several values of a field: the union of their sets, which change while they are read. */

const NOW = 1_800_000_000_000;
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
const estimates = fc.dictionary(
  fc.constantFrom(...FIELDS.a, ...FIELDS.b),
  fc.record({ whole: fc.constantFrom(0, 1, 25, 500), reach: fc.constantFrom(0, 1, 25, 500) }),
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

/** A table with these sets, and the list of those records that have any of the values of each field. */
function tableWith(sets: Numbers, atOnce: number, learned: Readonly<Record<string, { whole: number; reach: number }>>) {
  const table = new SetsInMemory(atOnce);
  const named = new Map(Array.from(sets, ([name, numbers]) => [name, wordsOf(numbers)]));
  const { clauses, ...list } = listOf(table, named, BLOCKS * BLOCK_SIZE);
  for (const [name, size] of Object.entries(learned)) sizesOf(table.asTable, LIST).learn(name, size, NOW);
  const anyOf = Map.groupBy(clauses, ({ field }) => field);
  const merged = Array.from(anyOf, ([field, all]) => ({ field, anyOf: all.flatMap((each) => each.anyOf) }));
  return { table, source: { ...list, clauses: merged } };
}

async function membersIn({ table, source }: ReturnType<typeof tableWith>): Promise<number[]> {
  const { included } = await readView(table.asTable, source, NOW);
  const members = new Members({ from: 0, to: Number.MAX_SAFE_INTEGER, included, absent: new Set() });
  return members.slice(0, members.total);
}

describe('a list by several values', () => {
  const given = fc.tuple(fieldOf(FIELDS.a), fieldOf(FIELDS.b), fc.boolean(), fc.constantFrom(2, 1_200), estimates);

  it('has the records with any of them, and with those of other fields, whatever is estimated', async () => {
    await fc.assert(
      fc.asyncProperty(given, async ([a, b, isWithB, atOnce, learned]) => {
        const read = tableWith(new Map(isWithB ? [...a, ...b] : a), atOnce, learned);
        const [inA, inB] = [a, b].map((field) => wordsOf([...field.values()].flat()));
        const expected = commonOf(isWithB ? [inA ?? new Map(), inB ?? new Map()] : [inA ?? new Map()]);
        // With these estimates, and with those learned from the first reading.
        for (const _ of [1, 2]) expect(await membersIn(read)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it('does not lose a record that moves from one of the values to another, whenever it does', async () => {
    const moving = fc.tuple(given, aNumber, fc.shuffledSubarray(FIELDS.a, { minLength: 2, maxLength: 2 }), fc.nat(12));
    let moved = 0;
    await fc.assert(
      fc.asyncProperty(moving, async ([[a, b, isWithB, atOnce, learned], number, [from = '', to = ''], call]) => {
        const others = Array.from(a, ([name, all]) => [name, all.filter((each) => each !== number)] as const);
        const withIt = new Map(others.map(([name, all]) => [name, name === from ? [...all, number] : all]));
        const inB = new Map(
          Array.from(b, ([name, all], index) => [name, index === 0 ? [...new Set([...all, number])] : all]),
        );
        const read = tableWith(new Map(isWithB ? [...withIt, ...inB] : withIt), atOnce, learned);
        let calls = 0;
        read.table.onCall = () => {
          if (calls++ === call) read.table.move(number, from, to);
        };
        expect(await membersIn(read)).toContain(number);
        if (calls > call) moved++;
      }),
      { numRuns: 300 },
    );
    expect(moved).toBeGreaterThan(100);
  });

  it('is that of one moment, where one record leaves it and another comes while it is read', async () => {
    const NOWHERE = 'c=1';
    const moving = fc.tuple(fieldOf(FIELDS.a), fc.constantFrom(2, 1_200), estimates, fc.nat(12), fc.nat(12));
    await fc.assert(
      fc.asyncProperty(moving, async ([a, atOnce, learned, call, later]) => {
        const all = [...a.values()].flat();
        const [from = '', [leaving = 0] = []] = Array.from(a).find(([, numbers]) => numbers.length > 0) ?? [];
        const coming = BLOCK_SIZE - 1;
        fc.pre(from !== '' && !all.includes(coming));
        const read = tableWith(a, atOnce, learned);
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
      { numRuns: 300 },
    );
  });

  it('reads its sets twice, a large one once, and of all no more than another field needs', async () => {
    const many = Array.from({ length: BLOCKS * 32 }, (_, index) => Math.floor(index / 32) * BLOCK_SIZE + (index % 32));
    const costOf = async (sets: Numbers, learned: Parameters<typeof tableWith>[2]) => {
      const read = tableWith(sets, 1_200, learned);
      await membersIn(read);
      return [read.table.units, read.table.roundTrips];
    };
    const small = { whole: 1, reach: 1 };
    const [few, large] = [[0, 5], many];
    const sets = new Map([
      ['a=1', few],
      ['a=2', [1]],
      ['a=3', large],
    ]);
    const alone = await costOf(new Map([['a=3', large]]), {});
    expect(alone).toEqual([alone[0], 1]);
    const of = Number(alone[0]);
    expect(await costOf(new Map([...sets].slice(0, 2)), {}), 'two small ones').toEqual([4, 2]);
    const learned = { 'a=1': small, 'a=2': small, 'a=3': { whole: 90, reach: 90 } };
    expect(await costOf(sets, learned), 'two small ones and a large one').toEqual([4 + of, 3]);
    expect(await costOf(new Map([...sets, ['b=1', [5]]]), { ...learned, 'b=1': small })).toEqual([1 + 5, 4]);
  });

  it('reads small sets that always change up to six times, and large ones twice', async () => {
    /** Reads both sets, one of which has one more record at each call. */
    const unitsOf = async (one: readonly number[], other: readonly number[]) => {
      const sets = new Map([
        ['a=1', one],
        ['a=2', other],
      ]);
      const { table, source } = tableWith(sets, 1_200, {});
      let coming = 1_000;
      table.onCall = () => table.move(coming++, 'c=1', 'a=1');
      expect(await membersIn({ table, source })).toContain(other[0]);
      return table.units;
    };
    expect(await unitsOf([0], [5])).toBe(6 * 2);
    // All items, with a bit in each of their words.
    const large = Array.from({ length: BLOCKS * 32 * 40 }, (_, index) => {
      const [place, word] = [Math.floor(index / 40), index % 40];
      return Math.floor(place / 32) * BLOCK_SIZE + (word * 100 + 99) * 32 + (place % 32);
    });
    const alone = tableWith(new Map([['a=1', large]]), 1_200, {});
    await membersIn(alone);
    expect(alone.table.units).toBeGreaterThan(50);
    expect(await unitsOf(large, large)).toBe(2 * 2 * alone.table.units);
  });
});
