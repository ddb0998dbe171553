import { expect, it } from 'vitest';
import { RecordsInMemory } from './records-in-memory.ts';

/** How the records of a page are read where numbers without a record lie between them. */

const apart = (distance: number, count = 25) => Array.from({ length: count }, (_, index) => 7 + index * distance);
const times = (count: number, call: string): string[] => Array(count).fill(call);

it.each([
  ['next to each other are read by one query', apart(1), times(1, 'Query')],
  ['with some tombstones between are read by one query', apart(40), times(1, 'Query')],
  ['on both sides of many tombstones are read by two', [...apart(1, 13), 16_020, 16_021], times(2, 'Query')],
  ['each far from the next are read by a query each', apart(1_000, 16), times(16, 'Query')],
  ['of which too many are far apart are read by key', apart(1_000, 25), times(1, 'BatchGet')],
  ['with more tombstones between than keys would cost are read by key', apart(100), times(1, 'BatchGet')],
])('numbers of a page %s', async (_, numbers, calls) => {
  const list = new RecordsInMemory({ numbers });
  expect(await list.page({})).toEqual({ numbers, total: numbers.length, isCut: false });
  expect(list.calls).toEqual(calls);
});
