import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entity } from '#table';
import type { Filter } from '../../shared/table/repository/records.ts';
import { BetweenCallsHandler } from '../support/between-calls.ts';
import { byExtent } from '../support/extent.ts';
import { expected as matching } from '../support/list-oracle.ts';
import { newOrganization, TestList, useTable } from './test-list.ts';

/**
 * What a page shows while records move, between any two calls of its reader: no record is missing that belonged to the
 * list all the time, none is there twice, none that never belonged to it, and the total is that of one moment.
 */

interface Job {
  id: string;
  state: string;
  owner: string;
}

const table = useTable();
const jobs = new TestList(table, entity<Job>('JOB', { filters: ['state', 'owner'] }));

const STATES = ['open', 'held', 'done'];
const fields = fc.record({ state: fc.constantFrom(...STATES), owner: fc.constantFrom('ana', 'rui') });
const query = fc.constantFrom<Filter>(
  { state: ['open', 'held'] },
  { state: ['open', 'held', 'done'] },
  { state: ['open', 'held'], owner: 'ana' },
  { state: 'open' },
  { state: 'open', owner: ['ana', 'rui'] },
);
/** What a writer does, to a record that no other changes, before the reader's call of this index. */
const move = fc.record({
  before: fc.nat(8),
  which: fc.nat(20),
  does: fc.constantFrom('change', 'change', 'change', 'create', 'delete'),
  fields,
});
type Move = typeof move extends fc.Arbitrary<infer M> ? M : never;

async function make({ which, does, fields: to }: Move, present: readonly Job[]): Promise<void> {
  const job = present[which % present.length];
  if (does === 'create') await jobs.create(to);
  else if (job !== undefined && does === 'delete') await jobs.remove(job.id);
  else if (job !== undefined) await jobs.change(job.id, to);
}

const idsOf = (rows: readonly Job[], filter: Filter): string[] => {
  const anyOf = Object.fromEntries(Object.entries(filter).map(([field, value]) => [field, [value].flat().map(String)]));
  return matching(rows as never as Record<string, unknown>[], { anyOf }, { words: [], claims: [] }).map(({ id }) =>
    String(id),
  );
};

it('a page by several values has every record that has one of them all the time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fields, { minLength: 3, maxLength: 8 }),
      query,
      fc.array(move, { minLength: 1, maxLength: 2 }),
      fc.constantFrom(1, 100),
      fc.infiniteStream(fc.nat(7)),
      async (given, filter, moves, page_size, order) => {
        newOrganization(table);
        for (const each of given) await jobs.create(each);
        const moments = [await jobs.stored()];
        const handler = new BetweenCallsHandler(
          (count) => Number(order.next().value) % count,
          async (index) => {
            for (const each of moves.filter(({ before }) => before === index)) {
              await make(
                each,
                (moments[0] ?? []).filter((_, at) => at % moves.length === moves.indexOf(each)),
              );
              moments.push(await jobs.stored());
            }
          },
        );
        const { ids, total } = await jobs.read({ filter, page_size }, { over: handler });
        const lists = moments.map((rows) => idsOf(rows, filter));
        expect(new Set(ids).size).toBe(ids.length);
        expect(lists.flat()).toEqual(expect.arrayContaining(ids));
        // Records that leave the list while it is read may be left out.
        const left = lists.map((list, index) =>
          list.filter((id) => !lists.slice(index).every((later) => later.includes(id))),
        );
        const isOfMoment = lists.map(
          ({ length }, index) => total <= length && total >= length - (left[index]?.length ?? 0),
        );
        // Sets of different fields are read beside each other, at different moments (docs/counted-lists.md, Consistency).
        if (Object.keys(filter).length === 1)
          expect([isOfMoment.includes(true), total, lists]).toEqual([true, total, lists]);
        if (page_size === 1) return;
        const always = (lists[0] ?? []).filter((id) => lists.every((list) => list.includes(id)));
        expect(ids).toEqual(expect.arrayContaining(always));
        expect(total).toBe(ids.length);
      },
    ),
    { numRuns: byExtent({ sample: 20, extended: 40, nightly: 2_000 }) },
  );
});
