import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entity, order, set } from '#table';
import { BetweenCallsHandler } from '../support/between-calls.ts';
import { noonOfToday } from '../support/clock.ts';
import { ConflictingHandler, Conflicts } from '../support/conflicts.ts';
import { byExtent } from '../support/extent.ts';
import type { Fault } from '../support/faults.ts';
import { newOrganization, TestList, useTable } from './test-list.ts';

/** What a page in the order of a time shows while records move in it, between any two calls of its reader. */

interface Call {
  id: string;
  state: string;
  moved_at: string;
}

const NOW = noonOfToday();
const at = (seconds: number): string => new Date(NOW + seconds * 1_000).toISOString();
const table = useTable();
const calls = new TestList(table, entity<Call>('CALL', { indexes: [set('state'), order('moved_at')] }));

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
      fc.constantFrom(undefined, 2),
      fc.array(move, { minLength: 1, maxLength: 2 }),
      fc.infiniteStream(fc.nat(7)),
      async (given, filter, sort, page_size, atOnce, moves, order) => {
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
          atOnce,
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

const DAY = 86_400_000;
const FAULTS: readonly Fault[] = ['crash', 'crash-after', 'reply-lost', 'dropped', 'timeout', 'forgotten', 'conflict'];

it('records that processes with other clocks move at once, and that crash, are in the order of the times that they have', async () => {
  const step = fc.record({
    which: fc.nat(2),
    error: fc.constantFrom(0, 1_000, -600_000, 600_000, -60 * DAY, 60 * DAY),
    fault: fc.option(fc.record({ kind: fc.constantFrom(...FAULTS), at: fc.nat(4) }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { maxLength: 5 }), async (acts) => {
      newOrganization(table);
      const made: string[] = [];
      for (const seconds of [0, 1, 2]) made.push(await calls.createId({ moved_at: at(seconds), state: 'open' }));
      const conflicts = new Conflicts({ milliseconds: 2 });
      for (const steps of acts) {
        const done = steps.map(async ({ which, error, fault }) => {
          const over = new ConflictingHandler(conflicts);
          over.follow(({ index }) => (index === fault?.at ? fault.kind : undefined));
          const id = made[which] ?? '';
          const time = NOW + error;
          const move = async (records: ReturnType<typeof calls.records>): Promise<void> => {
            const stored = await records.get(id);
            if (stored !== undefined) records.derived.move(stored, 'moved_at', () => new Error('it is gone'));
          };
          await calls.do(move, { at: () => time, over });
        });
        for (const outcome of await Promise.allSettled(done))
          if (outcome.status === 'rejected' && !steps.some(({ fault }) => fault !== undefined)) throw outcome.reason;
      }
      const stored = await calls.stored();
      const inOrder = stored.toSorted((one, other) =>
        one.moved_at < other.moved_at ? -1 : Number(one.moved_at > other.moved_at),
      );
      const { ids } = await calls.read({ sort: 'moved_at' } as never);
      expect(ids).toEqual(inOrder.map(({ id }) => id));
      expect((await calls.verify(false)).differences).toEqual([]);
    }),
    { numRuns: byExtent({ sample: 15, extended: 40, nightly: 500 }) },
  );
});
