import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK_SIZE } from '../../../test/support/bits.ts';
import { STRIPES } from '../src/bits.ts';
import { commonOf, listOf, membersIn, SetsInMemory, type Words } from './sets-in-memory.ts';

/** Lists by several filters: of large sets only what the others need is read. */

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
const NAMES = ['a=1', 'b=true', 'c=true', 'd=true'];

describe('an AND of filters', () => {
  it('has the records that are in all sets, whatever their sizes', async () => {
    const sets = fc.array(aSet, { minLength: 1, maxLength: 4, size: 'max' });
    // The counter item is read eventually consistent: its number may be of yesterday.
    const next = fc.constantFrom(0, 5, BLOCKS, 8 * BLOCKS).map((blocks) => blocks * BLOCK_SIZE);
    const given = fc.tuple(sets, fc.constantFrom(7, 1_200), fc.boolean(), next);
    await fc.assert(
      fc.asyncProperty(given, async ([wanted, atOnce, leavesUnprocessed, after]) => {
        const table = new SetsInMemory(atOnce);
        const named = new Map(wanted.map((set, index) => [NAMES[index] ?? '', set]));
        const list = listOf(table, named, after);
        table.leavesUnprocessed = leavesUnprocessed;
        expect(await membersIn(list)).toEqual(commonOf(wanted));
        // The same sets, with the members of all but the first taken out.
        const filter = Object.fromEntries(Object.keys(list.filter).map((flag) => [flag, ['false']]));
        const [all = new Map(), ...out] = wanted;
        const gone = new Set(out.flatMap((set) => commonOf([set])));
        const left = commonOf([all]).filter((number) => !gone.has(number));
        expect(await membersIn({ table, filter: { ...filter, a: ['1'] } })).toEqual(left);
      }),
      { numRuns: 25 },
    );
  });

  const FULL = Array<bigint>(40).fill((1n << 100n) - 1n);
  const TEN_MILLION = 79;
  const blocks = (count: number): Words =>
    new Map(
      Array.from({ length: count * STRIPES }, (_, index) => [
        `${Math.floor(index / STRIPES)} ${index % STRIPES}`,
        FULL,
      ]),
    );
  const ten: Words = new Map(Array.from({ length: 10 }, (_, index) => [`${index * 7} ${index * 3}`, [1n]]));
  const three = new Map([...ten].slice(0, 3));

  /** Units and round trips of the sets of a list. */
  async function costOf(sets: Readonly<Record<string, Words>>, millions = TEN_MILLION): Promise<[number, number]> {
    const table = new SetsInMemory();
    const list = listOf(table, new Map(Object.entries(sets)), millions * BLOCK_SIZE);
    expect(await membersIn(list)).toEqual(commonOf(Object.values(sets)));
    return [table.units, table.roundTrips];
  }

  it('reads of a large set, after a first look, only the items in which the small ones have members', async () => {
    const all = blocks(TEN_MILLION);
    expect(await costOf({ 'owner=a': ten, 'state=a': all })).toEqual([1 + 53 + 8, 2]);
    expect(await costOf({ 'owner=a': ten, 'place=a': three, 'state=a': all })).toEqual([1 + 1 + 53 + 1, 2]);
    expect(await costOf({ 'owner=a': new Map(), 'state=a': all })).toEqual([1 + 53, 1]);
  });

  it('reads sets of a million numbers in one round trip', async () => {
    expect((await costOf({ 'owner=a': blocks(8), 'state=a': three }, 8))[1]).toBe(1);
  });
});
