import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { Table } from '@custodia/counted-lists';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK_SIZE, itemsWith, WORD_NAMES } from '../../../test/support/bits.ts';
import { bitPlace, GROUP_SIZE, STRIPES } from '../src/bits.ts';
import { Members, NumberSet } from '../src/number-set.ts';

/** The items of a set that holds these numbers, as they are read. */
const itemsOf = (numbers: Iterable<number>) => itemsWith(numbers).map(asRead);

/** Numbers come back as they are read: small ones as numbers, others as bigint (`table.ts`). */
const asRead = (item: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value,
    ]),
  );

function thrownBy(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

const setOf = (numbers: Iterable<number>): NumberSet => NumberSet.ofItems(itemsOf(numbers));

/** Numbers where they are interesting: close together, at the edges of words, groups and blocks, and anywhere in some blocks. */
const TOP = 2 * BLOCK_SIZE + 2 * GROUP_SIZE;
const edge = fc
  .record({
    at: fc.constantFrom(0, STRIPES, GROUP_SIZE, 7 * GROUP_SIZE, BLOCK_SIZE, 2 * BLOCK_SIZE),
    by: fc.integer({ min: -40, max: 40 }),
  })
  .map(({ at, by }) => Math.max(0, at + by));
const anyNumber = fc.oneof(fc.integer({ min: 0, max: 200 }), edge, fc.integer({ min: 0, max: TOP - 1 }));
const run = fc
  .record({
    first: anyNumber,
    length: fc.integer({ min: 1, max: 2 * GROUP_SIZE }),
    step: fc.integer({ min: 1, max: 70 }),
  })
  .map(({ first, length, step }) =>
    Array.from({ length: Math.ceil(length / step) }, (_, index) => first + index * step),
  );
const sparse = fc.array(anyNumber, { maxLength: 60 });
/** Scattered numbers, and runs of neighbours. */
const numbers = fc
  .record({ scattered: sparse, runs: fc.array(run, { maxLength: 3 }) })
  .map(({ scattered, runs }) => new Set([...scattered, ...runs.flat()].filter((number) => number < TOP)));

describe('the place of a bit', () => {
  it('is the number’s own', () => {
    fc.assert(
      fc.property(numbers, (set) => {
        const places = Array.from(set, (number) => Object.values(bitPlace(number)).join(' '));
        expect(new Set(places).size).toBe(set.size);
      }),
      { numRuns: 30 },
    );
  });

  it('lies in another item than those of the 31 numbers before it', () => {
    fc.assert(
      fc.property(anyNumber, (first) => {
        const keys = Array.from({ length: STRIPES }, (_, index) => bitPlace(first + index).sortKey);
        expect(new Set(keys).size).toBe(STRIPES);
      }),
    );
  });

  it('lies in an item of less than 1 KB, whatever numbers the item holds', () => {
    const stripe = Array.from({ length: BLOCK_SIZE / STRIPES }, (_, index) => index * STRIPES);
    const items = itemsOf(stripe);
    expect(items).toHaveLength(1);
    const [item = {}] = items;
    const longestKey =
      'ORG#00000000-0000-4000-8000-000000000000#SERVICE_ACTION#service_id=00000000-0000-4000-8000-000000000000#SET';
    const bytes = Object.entries({ PK: longestKey, ...item, TTL: 1_800_000_000 }).reduce(
      (sum, [name, value]) => sum + name.length + sizeOf(value),
      0,
    );
    expect(bytes).toBeLessThan(1_024);
    expect(Object.keys(item).filter((name) => name !== 'SK')).toEqual([...WORD_NAMES]);
  });

  it('lies in a word that DynamoDB keeps exactly, full or not', () => {
    const full = itemsOf(Array.from({ length: GROUP_SIZE }, (_, index) => index));
    for (const item of full) expect(String(item.W0).length).toBeLessThanOrEqual(38);
  });
});

/** By DynamoDB's rule: a number has a byte for two digits, and one more. */
function sizeOf(value: unknown): number {
  const { N: digits } = marshall({ value }).value as { N?: string };
  return digits === undefined ? String(value).length : Math.ceil(digits.length / 2) + 1;
}

describe('a number of an item', () => {
  let read: (text: string) => number | bigint = Number;
  new Table('none', (readNumber) => {
    read = readNumber;
    return DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-west-1' }));
  });

  it('is read exactly if it is whole, and as a bigint only from 2^53 on', () => {
    const whole = fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n });
    const near = fc
      .tuple(fc.constantFrom(0n, 31n, 32n, 53n, 64n, 100n), fc.bigInt({ min: -2n, max: 2n }), fc.constantFrom(1n, -1n))
      .map(([power, by, sign]) => sign * (2n ** power + by));
    fc.assert(
      fc.property(fc.oneof(whole, near), (number) => {
        expect(read(String(number))).toBe(Number.isSafeInteger(Number(number)) ? Number(number) : number);
      }),
    );
  });

  it('is read as the nearest number if it is not', () => {
    fc.assert(
      fc.property(fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(read(String(number))).toBe(number);
      }),
    );
    expect(read('0.12345678901234567890123456789')).toBe(0.12345678901234568);
    expect(read('1E+100')).toBe(1e100);
  });
});

describe('a set of numbers', () => {
  it('holds what was added, and nothing else', () => {
    fc.assert(
      fc.property(numbers, fc.array(anyNumber), (members, others) => {
        const set = setOf(members);
        expect([...members].filter((number) => !set.has(number))).toEqual([]);
        for (const number of others) expect(set.has(number)).toBe(members.has(number));
      }),
      { numRuns: 50 },
    );
  });

  it('is read from items in any order, among items of other kinds', () => {
    const items = itemsOf([5, 70_000, 200_000]);
    const set = NumberSet.ofItems([{ SK: 'HEAD', NEXT: 9, W1: 3 }, ...items.toReversed(), {}]);
    expect([5, 70_000, 200_000, 3_200].map((number) => set.has(number))).toEqual([true, true, true, false]);
  });

  it('has in common with others what each of them holds', () => {
    fc.assert(
      fc.property(fc.array(numbers, { minLength: 1, maxLength: 4 }), (sets) => {
        const [first = new Set<number>(), ...others] = sets;
        const expected = [...first].filter((number) => others.every((set) => set.has(number))).sort((a, b) => a - b);
        const common = NumberSet.common(sets.map(setOf));
        const members = new Members({ from: 0, to: TOP, included: common, absent: new Set() });
        expect(members.total).toBe(expected.length);
        expect(members.slice(0, TOP)).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  it('has nothing in common with none', () => {
    expect(new Members({ from: 0, to: 10, included: NumberSet.common([]), absent: new Set() }).total).toBe(0);
  });

  const full = (1n << 100n) - 1n;
  /** Also beyond what a word can have: a bit that was added or removed twice leaves that. */
  const word = fc.oneof(
    fc.bigInt({ min: 0n, max: full }),
    fc.bigInt({ min: -full, max: full * 4n }),
    fc.bigInt({ min: 0n, max: 2n ** 54n }),
    fc
      .tuple(fc.constantFrom(0n, 31n, 32n, 53n, 64n, 96n, 99n, 100n), fc.bigInt({ min: -1n, max: 1n }))
      .map(([power, by]) => 2n ** power + by),
  );

  it('has the bits of its words, and says which words are damaged', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: WORD_NAMES.length }), (words) => {
        const item = asRead({
          SK: 'B#0000000001#03',
          ...Object.fromEntries(words.map((each, index) => [`W${index}`, each])),
        });
        const set = NumberSet.ofItems([item]);
        const members = new Members({ from: 0, to: TOP, included: set, absent: new Set() });
        const firsts = words.map((_, index) => BLOCK_SIZE + index * GROUP_SIZE + 3);
        const bits = words.map((each) => BigInt.asUintN(100, each));
        expect([...set.damaged]).toEqual(firsts.filter((_, index) => words[index] !== bits[index]));
        const expected = firsts.flatMap((first, index) =>
          Array.from({ length: 100 }, (_, bit) => first + bit * STRIPES).filter(
            (_, bit) => (((bits[index] ?? 0n) >> BigInt(bit)) & 1n) === 1n,
          ),
        );
        expect(members.total).toBe(expected.length);
        expect(members.slice(0, TOP)).toEqual(expected);
        expect([...set.numbers()].toSorted((one, other) => one - other)).toEqual(expected);
      }),
    );
  });

  it('has the words of other names nowhere', () => {
    expect(NumberSet.ofItems([{ SK: 'B#0000000000#00', W40: 1, W01: 1, TTL: 1_800_000_000 }]).groups.size).toBe(0);
  });

  it.each(['abc', 1.5, Number.NaN, null, { N: '1' }])('is not read from a word that is %j', (value) => {
    expect(() => NumberSet.ofItems([{ SK: 'B#0000000000#00', W0: value }])).toThrow(
      thrownBy(() => BigInt(value as never)),
    );
  });
});

const parts = fc
  .record({
    included: fc.option(numbers, { nil: undefined }),
    excluded: fc.option(numbers, { nil: undefined }),
    from: fc.oneof(fc.constant(0), anyNumber),
    to: anyNumber,
    absent: fc.array(anyNumber, { maxLength: 20 }).map((absent) => new Set(absent)),
  })
  .map((given) => {
    const { included, excluded, from, to, absent } = given;
    const all =
      included === undefined
        ? Array.from({ length: Math.max(to - from, 0) }, (_, index) => from + index)
        : [...included];
    const plain = all
      .filter((number) => number >= from && number < to && !excluded?.has(number) && !absent.has(number))
      .sort((a, b) => a - b);
    const members = new Members({
      from,
      to,
      included: included && setOf(included),
      excluded: excluded && setOf(excluded),
      absent,
    });
    return { members, plain };
  });

describe('the members of a list', () => {
  it('are as many as an array of them has', () => {
    fc.assert(
      fc.property(parts, ({ members, plain }) => {
        expect(members.total).toBe(plain.length);
      }),
    );
  });

  it('are cut in pages as that array is', () => {
    const place = fc.record({
      share: fc.double({ min: 0, max: 1.1, noNaN: true }),
      limit: fc.integer({ min: 0, max: 300 }),
    });
    fc.assert(
      fc.property(parts, fc.array(place, { minLength: 1, maxLength: 5 }), ({ members, plain }, places) => {
        for (const { share, limit } of places) {
          const rank = Math.floor(plain.length * share);
          expect(members.slice(rank, limit)).toEqual(plain.slice(rank, rank + limit));
        }
        expect(members.slice(0, 10)).toEqual(plain.slice(0, 10));
        expect(members.slice(plain.length, 10)).toEqual([]);
      }),
    );
  });

  it('rank as they stand in that array, numbers that are no members too', () => {
    fc.assert(
      fc.property(parts, fc.array(anyNumber, { minLength: 1, maxLength: 5 }), ({ members, plain }, asked) => {
        const some = [...asked, plain[0], plain.at(-1), plain[Math.floor(plain.length / 2)]].filter(
          (number) => number !== undefined,
        );
        for (const number of some) expect(members.rankOf(number)).toBe(plain.filter((other) => other < number).length);
      }),
    );
  });

  it('of ten million numbers with gaps are counted without looking at each', () => {
    const gaps = [3, 4_999_999, 9_999_999];
    const members = new Members({ from: 2, to: 10_000_000, excluded: setOf(gaps), absent: new Set([4, 5_000_000]) });
    expect(members.total).toBe(10_000_000 - 2 - gaps.length - 2);
    expect(members.slice(4_999_994, 3)).toEqual([4_999_998, 5_000_001, 5_000_002]);
    expect(members.slice(members.total - 1, 3)).toEqual([9_999_998]);
  });
});
