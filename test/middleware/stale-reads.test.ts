import { afterEach, expect, it, vi } from 'vitest';
import { StaleRead } from '#table';
import { pauseAfter } from '../../shared/http/run-operation.ts';

/** The wait before an operation is run again because a record that it read has changed meanwhile. */

afterEach(() => void vi.restoreAllMocks());

it('doubles with the tries up to four seconds, at most', () => {
  vi.spyOn(Math, 'random').mockReturnValue(1);
  expect([1, 2, 6, 7, 1_000].map((tries) => pauseAfter(new StaleRead('it has changed'), tries))).toEqual([
    15, 30, 480, 960, 4_000,
  ]);
  expect(pauseAfter(new Error('no other request is in the way'), 7)).toBe(0);
});
