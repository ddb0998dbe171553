import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entity } from '#table';
import { BetweenCallsHandler } from '../support/between-calls.ts';
import { byExtent } from '../support/extent.ts';
import { newOrganization, TestList, useTable } from './test-list.ts';

/** What a page in the order of a time shows while records move in it, between any two calls of its reader. */

interface Call {
  id: string;
  state: string;
  moved_at: string;
}

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const at = (seconds: number): string => new Date(NOW + seconds * 1_000).toISOString();
const table = useTable();
const calls = new TestList(table, entity<Call>('CALL', { filters: ['state'], orders: ['moved_at'] }));

const state = fc.constantFrom('open', 'held');
const move = fc.record({ before: fc.nat(8), which: fc.nat(20), seconds: fc.integer({ min: 10, max: 30 }), state });
const query = fc.constantFrom({}, { state: 'open' }, { state: ['open', 'held'] });

it('a page in the order of a time has every record once, while some of them move', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(9), state), { minLength: 3, maxLength: 8 }),
      query,
      fc.constantFrom('moved_at', '-moved_at'),
      fc.constantFrom(2, 100),
      fc.array(move, { minLength: 1, maxLength: 2 }),
      fc.infiniteStream(fc.nat(7)),
      async (given, filter, sort, page_size, moves, order) => {
        newOrganization(table);
        for (const [seconds, its] of given) await calls.create({ moved_at: at(seconds), state: its });
        const moments = [await calls.stored()];
        const handler = new BetweenCallsHandler(
          (count) => Number(order.next().value) % count,
          async (index) => {
            for (const each of moves.filter(({ before }) => before === index)) {
              const own = (moments[0] ?? []).filter((_, place) => place % moves.length === moves.indexOf(each));
              const id = own[each.which % own.length]?.id ?? '';
              await calls.change(id, { moved_at: at(each.seconds), state: each.state });
              moments.push(await calls.stored());
            }
          },
        );
        const { ids, total } = await calls.read({ filter, sort, page_size } as never, { over: handler });
        const isIn = ({ state: its }: Call) =>
          filter.state === undefined || [filter.state].flat().some((each) => each === its);
        const lists = moments.map((rows) => rows.filter(isIn).map(({ id }) => id));
        expect(new Set(ids).size).toBe(ids.length);
        expect(lists.flat()).toEqual(expect.arrayContaining(ids));
        const always = (lists[0] ?? []).filter((id) => lists.every((list) => list.includes(id)));
        expect(total).toBeGreaterThanOrEqual(always.length);
        if (page_size === 100) expect(ids).toEqual(expect.arrayContaining(always));
        // Those that did not move are in their order.
        const still = (moments[0] ?? []).filter(({ id, moved_at }) =>
          moments.every((rows) => rows.some((row) => row.id === id && row.moved_at === moved_at)),
        );
        const sorted = still.toSorted((one, other) =>
          one.moved_at < other.moved_at ? -1 : Number(one.moved_at > other.moved_at),
        );
        const wanted = (sort === 'moved_at' ? sorted : sorted.toReversed()).map(({ id }) => id);
        expect(ids.filter((id) => wanted.includes(id))).toEqual(wanted.filter((id) => ids.includes(id)));
      },
    ),
    { numRuns: byExtent({ sample: 20, extended: 40, nightly: 2_000 }) },
  );
});
