import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactionOf, endAt, expiryOfNumber, floorOf, markOf, marksOf, newestEnd } from '../src/periods.ts';

const DAY = 86_400_000;
const retention = fc.constantFrom(1, 2, 30, 31, 32, 33, 90, 400);

/** Counter items with any marks: unordered days, several at one number, one far ahead. */
const mark = fc.record({ end: fc.integer({ min: 20_700, max: 20_900 }), first: fc.integer({ min: 0, max: 40 }) });
const head = fc
  .record({
    marks: fc.array(mark, { maxLength: 12 }),
    ahead: fc.option(mark, { nil: undefined }),
    next: fc.integer({ min: 1, max: 60 }),
  })
  .map(({ marks, ahead, next }) => ({
    NEXT: next,
    ...Object.fromEntries(marks.map(({ end, first }) => [markOf(end), first])),
    ...(ahead === undefined ? {} : { AHEAD_END: ahead.end, AHEAD_FIRST: ahead.first }),
  }));
const time = fc.integer({ min: 20_690 * DAY, max: 21_400 * DAY });

describe('the floor of an expiring list', () => {
  it('has above it exactly the numbers whose period is kept, whatever is marked', () => {
    fc.assert(
      fc.property(head, time, (list, now) => {
        const floor = floorOf(list, list.NEXT, now);
        const numbers = Array.from({ length: list.NEXT }, (_, number) => number);
        const kept = numbers.filter((number) => expiryOfNumber(list, number) * 1000 > now);
        expect(kept).toEqual(numbers.filter((number) => number >= floor));
      }),
      { numRuns: 500 },
    );
  });

  it('is where it was when marks are forgotten that decide nothing', () => {
    fc.assert(
      fc.property(head, time, (list, now) => {
        const kept = without(list, compactionOf(list).remove);
        expect(floorOf(kept, list.NEXT, now)).toBe(floorOf(list, list.NEXT, now));
        expect(newestEnd(kept)).toBe(newestEnd(list));
      }),
      { numRuns: 500 },
    );
  });
});

const without = (list: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(list).filter(([name]) => !names.includes(name)));

describe('a period', () => {
  it('keeps a record from any time of it for as long as records are kept, and at most a period more', () => {
    fc.assert(
      fc.property(time, retention, (now, days) => {
        const kept = endAt(now, days) * DAY - now;
        expect(kept).toBeGreaterThan(days * DAY);
        expect(kept).toBeLessThanOrEqual((days + Math.ceil(days / 32)) * DAY);
      }),
    );
  });

  it('is so long that a list has 33 of them at one time at most', () => {
    fc.assert(
      fc.property(time, retention, (now, days) => {
        const together = new Set(Array.from({ length: days + 1 }, (_, day) => endAt(now - day * DAY, days)));
        expect(together.size).toBeLessThanOrEqual(33);
      }),
    );
  });
});

describe('marks', () => {
  const drifting = (marks: number) =>
    Object.fromEntries(Array.from({ length: marks }, (_, index) => [markOf(20_700 + index), index * 10]));

  it('are forgotten oldest first, by their numbers, beyond as many as a list can need', () => {
    const { remove, extend } = compactionOf(drifting(100));
    expect(remove).toEqual(Array.from({ length: 36 }, (_, index) => markOf(20_700 + index)));
    expect(extend).toEqual({ mark: markOf(20_736), from: 360, to: 0 });
    expect(compactionOf(drifting(64))).toEqual({ remove: [] });
  });

  it('that are forgotten hide nothing, though a clock ran away and opened them all in one day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), time, (count, now) => {
        const list = { NEXT: 2_100, ...drifting(count) };
        const { remove, extend } = compactionOf(list);
        const kept = { ...without(list, remove), ...(extend === undefined ? {} : { [extend.mark]: extend.to }) };
        expect(marksOf(kept).length).toBeLessThanOrEqual(64);
        const hidden = (number: number): boolean => expiryOfNumber(kept, number) < expiryOfNumber(list, number);
        expect(Array.from({ length: 110 }, (_, index) => index * 19).filter(hidden)).toEqual([]);
        expect(floorOf(kept, list.NEXT, now)).toBeLessThanOrEqual(floorOf(list, list.NEXT, now));
      }),
    );
  });
});
