import { describe, expect, it } from 'vitest';
import type { Table } from '#lists';
import { ReadBudget } from '../../shared/lists/read-budget.ts';
import { readNeighbours } from '../../shared/lists/scattered.ts';

/** How the records of a page are read where numbers without a record lie between them. */

/** The calls that read these numbers, of which none has a record. */
async function callsFor(numbers: readonly number[]): Promise<Record<string, number>> {
  const calls: Record<string, number> = {};
  const send = async ({ constructor: { name } }: object) => {
    calls[name] = (calls[name] ?? 0) + 1;
    return { Items: [], Responses: {} };
  };
  const table = { name: 'custodia', client: { send } } as unknown as Table;
  await readNeighbours(table, 'ORG#7#JOB', numbers, new ReadBudget({ clock: () => 0, deadline: 0 }, false));
  return calls;
}

const apart = (distance: number, count = 25) => Array.from({ length: count }, (_, index) => 7 + index * distance);

describe('numbers of a page', () => {
  it.each([
    ['next to each other are read by one query', apart(1), { QueryCommand: 1 }],
    ['with some tombstones between are read by one query', apart(40), { QueryCommand: 1 }],
    ['on both sides of many tombstones are read by two', [...apart(1, 13), 16_020, 16_021], { QueryCommand: 2 }],
    ['each far from the next are read by a query each', apart(1_000, 16), { QueryCommand: 16 }],
    ['of which too many are far apart are read by key', apart(1_000, 25), { BatchGetCommand: 1 }],
    ['with more tombstones between than keys would cost are read by key', apart(100), { BatchGetCommand: 1 }],
  ])('%s', async (_, numbers, calls) => {
    expect(await callsFor(numbers)).toEqual(calls);
  });
});
