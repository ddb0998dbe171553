import { expect, it } from 'vitest';
import { keepNewest } from '../../shared/memory.ts';

it('of a map with a bound, the entry that was put in longest ago goes first', () => {
  const map = new Map<string, number>();
  const used: [name: string, value: number][] = [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
  ];
  for (const [name, value] of used) keepNewest(map, name, value, 2);
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});
