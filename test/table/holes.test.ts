import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUCKET_SIZE, bitCount, holePlace, Numbers, WORDS } from '../../shared/table/lists/holes.ts';
import { idOf, idPrefix, numberOf } from '../../shared/table/lists/ids.ts';
import { rangeOf } from '../../shared/table/lists/page.ts';

/** The buckets in which exactly these numbers are holes, marked as the table does it: by adding. */
function bucketsOf(holes: Iterable<number>): Map<number, bigint[]> {
  const buckets = new Map<number, bigint[]>();
  for (const number of holes) {
    const { bucket, word, bit } = holePlace(number);
    const words = buckets.get(bucket) ?? Array<bigint>(WORDS).fill(0n);
    const index = Number(word.slice(1));
    words[index] = (words[index] ?? 0n) + bit;
    buckets.set(bucket, words);
  }
  return buckets;
}

const list = fc
  .record({ next: fc.integer({ min: 0, max: 3 * BUCKET_SIZE }), floor: fc.integer({ min: 0, max: BUCKET_SIZE }) })
  .chain(({ next, floor }) =>
    fc.record({
      next: fc.constant(next),
      floor: fc.constant(Math.min(floor, next)),
      holes: fc.uniqueArray(fc.integer({ min: 0, max: Math.max(next - 1, 0) }), { maxLength: 400 }),
    }),
  )
  .map(({ next, floor, holes }) => {
    const marked = holes.filter((number) => number < next);
    const live = Array.from({ length: next - floor }, (_, index) => floor + index).filter((n) => !marked.includes(n));
    return { numbers: new Numbers(floor, next, bucketsOf(marked)), live, marked };
  });

describe('the numbers of a list', () => {
  it('are as many as an array without the holes has, and stand where they stand there', () => {
    fc.assert(
      fc.property(list, ({ numbers, live }) => {
        expect(numbers.total).toBe(live.length);
        for (const rank of [0, 1, Math.floor(live.length / 2), live.length - 2, live.length - 1]) {
          if (rank >= 0 && rank < live.length) expect(numbers.select(rank)).toBe(live[rank]);
        }
      }),
    );
  });

  it('fall into pages as slices of that array do, in both orders', () => {
    const request = fc.record({
      page: fc.integer({ min: 1, max: 40 }),
      pageSize: fc.integer({ min: 1, max: 200 }),
      newestFirst: fc.boolean(),
    });
    fc.assert(
      fc.property(list, request, ({ numbers, live }, asked) => {
        const ordered = asked.newestFirst ? live.toReversed() : live;
        const slice = ordered.slice((asked.page - 1) * asked.pageSize, asked.page * asked.pageSize);
        const range = rangeOf(numbers, asked);
        expect(range).toEqual(
          slice.length === 0 ? undefined : { first: Math.min(...slice), last: Math.max(...slice), size: slice.length },
        );
      }),
    );
  });

  it('tell holes from others', () => {
    fc.assert(
      fc.property(list, ({ numbers, live, marked }) => {
        expect(marked.every((number) => numbers.isHole(number))).toBe(true);
        expect(live.some((number) => numbers.isHole(number))).toBe(false);
      }),
    );
  });
});

describe('a word of holes', () => {
  it('counts its bits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 100n) - 1n }), (word) => {
        expect(bitCount(word)).toBe(word.toString(2).replaceAll('0', '').length);
      }),
    );
  });

  it('stays within the 38 digits that a DynamoDB number keeps exactly', () => {
    expect(((1n << 100n) - 1n).toString().length).toBeLessThanOrEqual(38);
  });
});

describe('an id', () => {
  const number = fc.integer({ min: 0, max: 2 ** 48 - 1 });

  it('carries its number and is a UUIDv8', () => {
    fc.assert(
      fc.property(number, (value) => {
        const id = idOf(value);
        expect(numberOf(id)).toBe(value);
        expect(id.startsWith(idPrefix(value))).toBe(true);
        expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      }),
    );
  });

  it('sorts as its number does', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        fc.pre(a !== b);
        expect(idOf(a) < idOf(b)).toBe(a < b);
      }),
    );
  });
});
