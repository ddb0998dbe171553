import { describe, expect, it } from 'vitest';
import { boundText, holds } from '../../bench/bounds.ts';
import { inTurns, spreadOf } from '../../bench/statistics.ts';

describe('a spread', () => {
  it('is the median and the quartiles, in any order of the values', () => {
    expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ low: 2, median: 3, high: 4 });
    expect(spreadOf([1, 2, 3, 4])).toEqual({ low: 1.75, median: 2.5, high: 3.25 });
    expect(spreadOf([7])).toEqual({ low: 7, median: 7, high: 7 });
  });
});

describe('a bound', () => {
  const measured = { low: 0.9, median: 0.95, high: 1.02 };

  it('is passed by more than the spread only', () => {
    expect(holds({ claim: 'a', measured, atLeast: 1 })).toBe(true);
    expect(holds({ claim: 'a', measured, atLeast: 1.03 })).toBe(false);
    expect(holds({ claim: 'a', measured, atMost: 0.9 })).toBe(true);
    expect(holds({ claim: 'a', measured, atMost: 0.89 })).toBe(false);
  });

  it('does not hold where nothing was measured', () => {
    expect(holds({ claim: 'a', measured: spreadOf([]), atLeast: 1 })).toBe(false);
    expect(holds({ claim: 'a', measured: spreadOf([Number.NaN]), atMost: 1 })).toBe(false);
  });

  it('may be of a number', () => {
    expect(holds({ claim: 'a', measured: 3, atMost: 3 })).toBe(true);
    expect(holds({ claim: 'a', measured: 3.01, atMost: 3 })).toBe(false);
    expect(holds({ claim: 'a', measured: Number.NaN, atMost: 3 })).toBe(false);
    expect(boundText({ claim: 'units', measured: 2.5, atMost: 3 })).toBe('PASS  2.5 ≤ 3  units');
  });

  it('says what was measured and what it asks', () => {
    expect(boundText({ claim: 'get', measured, atLeast: 1.1 })).toBe('FAIL  0.95 (0.90–1.02) ≥ 1.1  get');
    expect(boundText({ claim: 'get', measured, atMost: 1 })).toBe('PASS  0.95 (0.90–1.02) ≤ 1  get');
  });
});

it('turns begin with each in order, and leave nobody out', () => {
  expect(inTurns(['a', 'b', 'c'], 4)).toEqual([
    ['a', 'b', 'c'],
    ['b', 'c', 'a'],
    ['c', 'a', 'b'],
    ['a', 'b', 'c'],
  ]);
});
