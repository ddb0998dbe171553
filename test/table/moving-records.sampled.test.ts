import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entity, set, words } from '#table';
import { BetweenCallsHandler } from '../support/between-calls.ts';
import { byExtent } from '../support/extent.ts';
import { expected as matching } from '../support/list-oracle.ts';
import { type Filter, newOrganization, TestList, useTable } from './test-list.ts';

/**
 * What a page shows while records move, between any two calls of its reader: no record is missing that belonged to the
 * list all the time, none is there twice, none that never belonged to it, and the total is that of one moment.
 */

interface Job {
  id: string;
  state: string;
  owner: string;
  name: string;
  tags: readonly string[] | null;
}

const table = useTable();
const jobs = new TestList(
  table,
  entity<Job>('JOB', { indexes: [set('state'), set('owner'), set('tags'), words(['name'])] }),
);

const STATES = ['open', 'held', 'done'];
const NAMES = ['Printer silent', 'Silence, print-server', 'printing', 'Silent', 'X'];
const fields = fc.record({
  state: fc.constantFrom(...STATES),
  owner: fc.constantFrom('ana', 'rui'),
  name: fc.constantFrom(...NAMES),
  tags: fc.constantFrom(null, ['vip'], ['x', 'vip', 'x'], ['x']),
});

interface Query {
  readonly filter: Filter;
  readonly q?: string;
}
const query = fc.constantFrom<Query>(
  { filter: { state: ['open', 'held'] } },
  { filter: { state: ['open', 'held', 'done'] } },
  { filter: { state: ['open', 'held'], owner: 'ana' } },
  { filter: { state: 'open' } },
  { filter: { state: 'open', owner: ['ana', 'rui'] } },
  { filter: { tags: ['vip'] } },
  { filter: { state: ['open', 'held'], tags: ['vip', 'x'] } },
  { filter: {}, q: 'print' },
  { filter: {}, q: 'sil print' },
  { filter: { state: ['open', 'held'] }, q: 'print' },
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

const idsOf = (rows: readonly Job[], { filter: { tags, ...filter }, q }: Query): string[] => {
  const anyOf = Object.fromEntries(Object.entries(filter).map(([field, value]) => [field, [value].flat().map(String)]));
  const asked = { anyOf, q, tags: (tags ?? []) as readonly string[] };
  const found = matching(rows as never as Record<string, unknown>[], asked, { words: ['name'], claims: [] });
  return found.map(({ id }) => String(id));
};

const conditionsOf = ({ filter, q }: Query): number => Object.keys(filter).length + (q?.split(' ').length ?? 0);

it('a page has every record that belongs to the list all the time, and a total of one moment', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fields, { minLength: 3, maxLength: 8 }),
      query,
      fc.array(move, { minLength: 1, maxLength: 2 }),
      fc.constantFrom(1, 100),
      fc.infiniteStream(fc.nat(7)),
      async (given, asked, moves, page_size, order) => {
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
        const { ids, total } = await jobs.read({ ...asked, page_size }, { over: handler });
        const lists = moments.map((rows) => idsOf(rows, asked));
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
        if (conditionsOf(asked) === 1) expect([isOfMoment.includes(true), total, lists]).toEqual([true, total, lists]);
        if (page_size === 1) return;
        const always = (lists[0] ?? []).filter((id) => lists.every((list) => list.includes(id)));
        expect(ids).toEqual(expect.arrayContaining(always));
        expect(total).toBe(ids.length);
      },
    ),
    { numRuns: byExtent({ sample: 20, extended: 40, nightly: 2_000 }) },
  );
});
