import { describe, expect, it } from 'vitest';
import { extentOf, sampleOf } from './extent.ts';

describe('the extent of a run', () => {
  it('is a sample unless it is asked for more', () => {
    expect([undefined, '', 'sample', 'extended', 'nightly'].map(extentOf)).toEqual([
      'sample',
      'sample',
      'sample',
      'extended',
      'nightly',
    ]);
  });

  it('is no misspelt word', () => {
    expect(() => extentOf('nightlong')).toThrow('TEST_EXTENT=nightlong must be sample, extended or nightly.');
  });
});

const SAMPLE = [0, 15, 16, 21, 26, 31, 39, 92];

describe('a sample', () => {
  const cases = Array.from({ length: 100 }, (_, index) => index);

  it('is the same in every run, in order, and has as many cases as asked for', () => {
    expect(sampleOf(cases, 8)).toEqual(SAMPLE);
    expect(sampleOf([1, 2], 8)).toEqual([1, 2]);
    expect(sampleOf(cases, 100)).toEqual(cases);
  });

  it('has more than one value of each list of a product', () => {
    for (const period of [2, 3, 4, 5, 8]) {
      expect(new Set(sampleOf(cases, 20).map((each) => each % period)).size).toBeGreaterThan(1);
    }
  });
});
