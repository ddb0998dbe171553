import { ids } from '@custodia/counted-lists';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapedSize } from '#json';
import type { JournalEvent } from '#table';
import type { Credentials } from '#tenancy';
import {
  bodyOf,
  bytesForRecords,
  deliveryIdOf,
  MOST_BYTES,
  nextBatch,
} from '../../functions/events/deliveries/call.ts';
import {
  afterFailure,
  afterRefusal,
  afterSuccess,
  stopAfter,
  verdictOf,
  waitAfter,
} from '../../functions/events/deliveries/failures.ts';
import { needsTurn } from '../../functions/events/deliveries/wake.ts';
import { lapseOf } from '../../functions/events/endpoints/authority.ts';
import * as leases from '../../functions/events/state/lease.ts';

/** The rules of deliveries, each by itself. */

const NOW = Date.UTC(2026, 10, 23);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

it('every status says one thing: only successes deliver, only 400, 413 and 422 speak of the events', () => {
  const refused = [400, 413, 422];
  for (let status = 100; status < 1_000; status++) {
    const expected = status === 410 ? 'gone' : refused.includes(status) ? 'refused' : 'failed';
    expect(verdictOf({ status }), String(status)).toBe(status >= 200 && status < 300 ? 'delivered' : expected);
  }
  expect(verdictOf({ error: 'timeout' })).toBe('failed');
});

describe('the wait after a failure', () => {
  it('is from 5 seconds to 15 minutes, longer each time, and as long as the receiver says, up to an hour', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), random, fc.nat(10_000), (failures, chance, seconds) => {
        const own = waitAfter(failures, chance);
        expect(own).toBeGreaterThanOrEqual(5_000);
        expect(own).toBeLessThanOrEqual(15 * 60_000);
        expect(own).toBeLessThanOrEqual(2 * waitAfter(failures + 1, chance) + 1);
        const asked = waitAfter(failures, chance, seconds);
        expect(asked).toBeGreaterThanOrEqual(own);
        expect(asked).toBeGreaterThanOrEqual(Math.min(seconds * 1_000, leases.LONGEST_WAIT_MS));
        expect(asked).toBeLessThanOrEqual(leases.LONGEST_WAIT_MS);
      }),
    );
    expect([waitAfter(1, 0), waitAfter(1, 0.999_99), waitAfter(99, 0.999_99)]).toEqual([5_000, 10_000, 900_000 - 4]);
  });
});

describe('what failures leave', () => {
  it('disables an endpoint after five days of failing calls, whatever the clocks say', () => {
    const steps = fc.array(fc.record({ late: fc.integer({ min: -60 * DAY, max: 60 * DAY }), random }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(steps, (failures) => {
        let state = { next: 0, generation: 'g' };
        let planned = 0;
        for (const { late, random: chance } of failures) {
          const { retry_at = NOW, failed_at = NOW } = state as { retry_at?: number; failed_at?: number };
          const { set } = afterFailure(state, { now: retry_at + late, random: chance });
          // Each time counts what was planned and ten minutes, at most.
          planned += retry_at - failed_at + 600_000;
          expect(set.failing_for).toBeLessThanOrEqual(planned);
          expect(set.failing_for).toBeGreaterThanOrEqual((state as { failing_for?: number }).failing_for ?? 0);
          state = { ...state, ...set };
        }
        expect(stopAfter(state) !== undefined).toBe(((state as { failing_for?: number }).failing_for ?? 0) >= 5 * DAY);
      }),
    );
  });

  it('adds up to the time that has passed where calls are on time, and ends with a success', () => {
    let state: Parameters<typeof afterFailure>[0] = { next: 0, generation: 'g' };
    let now = NOW;
    let count = 0;
    while (stopAfter(state) === undefined) {
      state = { ...state, ...afterFailure(state, { now, random: 0.5 }).set };
      now = (state.retry_at ?? 0) + 1_000;
      count++;
    }
    expect((state.failed_at ?? 0) - NOW).toBeGreaterThanOrEqual(5 * DAY);
    expect((state.failed_at ?? 0) - NOW).toBeLessThan(5 * DAY + HOUR);
    expect([state.failures, state.failing_since]).toEqual([count, new Date(NOW).toISOString()]);
    const { set, remove } = afterSuccess(7, now);
    expect(set).toEqual({ next: 7, last_success_at: new Date(now).toISOString() });
    expect(remove).toEqual(
      expect.arrayContaining(['failing_since', 'failing_for', 'failures', 'retry_at', 'refusals']),
    );
  });

  it('includes since when calls fail: since the first failing call began', () => {
    const first = {
      next: 0,
      generation: 'g',
      ...afterFailure({ next: 0, generation: 'g' }, { now: NOW + 10_000, began: NOW, random: 0 }).set,
    };
    const second = afterFailure(first, { now: NOW + 30_000, began: NOW + 20_000, random: 0 }).set;
    expect([first.failing_since, second.failing_since]).toEqual([
      new Date(NOW).toISOString(),
      new Date(NOW).toISOString(),
    ]);
  });

  it('does not count refusals as failures of the endpoint, and gives up an event after five', () => {
    const state = { next: 0, generation: 'g', refusals: 3 };
    expect(afterRefusal(state, 0, { now: NOW, random: 0 })).toMatchObject({
      set: { refusals: 4, retry_at: NOW + 40_000 },
    });
    expect(afterRefusal({ ...state, refusals: 4 }, 0, { now: NOW, random: 0 })).toBeUndefined();
    const other = afterRefusal({ ...state, refusals: 4 }, 7, { now: NOW, random: 0 });
    expect(other?.set).toEqual({ next: 7, refusals: 1, retry_at: NOW + 5_000 });
  });
});

const event = (number: number): JournalEvent => ({
  id: ids.newId(number),
  type: 'ticket.updated',
  occurred_at: new Date(NOW).toISOString(),
  record_type: 'Ticket',
  record_id: crypto.randomUUID(),
  version: 2,
  changed_fields: ['x'.repeat(120)],
  actor_id: crypto.randomUUID(),
  request_id: crypto.randomUUID(),
});
const events = Array.from({ length: 100 }, (_, number) => event(number));

describe('a batch', () => {
  it('has as many events as the endpoint wants, or one while events are sent singly', () => {
    const count = (batchSize: number, singlyUntil?: number) => nextBatch(events, { batchSize, singlyUntil }).length;
    expect([count(1), count(7), count(7, 0), count(7, 1), count(7, 50)]).toEqual([1, 7, 7, 1, 1]);
    expect(nextBatch([], { batchSize: 7 })).toEqual([]);
  });

  it('is no larger than 256 KB, with records of as many bytes as are left', () => {
    const bytes = bytesForRecords(events);
    const others = events.slice(1).map(() => null);
    const sizeOf = (record: object | null): number => escapedSize(JSON.stringify(record));
    const name = 'x'.repeat(bytes - sizeOf({ name: '' }) - others.length * sizeOf(null));
    const body = bodyOf({ events, records: [{ name }, ...others], isBatched: true });
    expect(bytes).toBeGreaterThan(150_000);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('is named by its events, and one event by its id', () => {
    const [first, second] = events;
    const names = [events.slice(0, 2), events.slice(0, 3), [first, second], [first]] as JournalEvent[][];
    const [two, three, again, one] = names.map(deliveryIdOf);
    expect([two === three, two === again, one]).toEqual([false, true, first?.id]);
  });

  it('has the form of Standard Webhooks', () => {
    const sent = events.slice(0, 1);
    const single = JSON.parse(bodyOf({ events: sent, isBatched: false }));
    expect(single).toEqual({
      type: 'ticket.updated',
      timestamp: events[0]?.occurred_at,
      data: expect.objectContaining({ id: events[0]?.id }),
    });
    expect(single.data).not.toHaveProperty('record');
    const batch = JSON.parse(bodyOf({ events: sent, records: [null], isBatched: true }));
    expect(batch).toEqual({ type: 'batch', data: [{ ...single.data, record: null }] });
  });
});

it('an endpoint has the authority that was confirmed, or less', () => {
  const confirmed = { token_epoch: 2, permissions: ['tickets:write'] };
  const live = {
    integration_id: 'i',
    status: 'active',
    token_epoch: 2,
    permissions: ['tickets:read'],
  } as unknown as Credentials;
  const lapse = (credentials: Partial<Credentials>) =>
    lapseOf({ integration_id: 'i', confirmed }, { ...live, ...credentials });
  expect(lapse({})).toBeUndefined();
  expect(lapse({ permissions: [] })).toBeUndefined();
  expect(lapse({ permissions: null })).toBe('more_permissions');
  expect(lapse({ permissions: ['tickets:read', 'clients:read'] })).toBe('more_permissions');
  expect(lapse({ token_epoch: 3 })).toBe('tokens_ended');
  expect(lapse({ status: 'inactive', token_epoch: 3 })).toBe('integration_inactive');
  expect(lapse({ integration_id: 'another' })).toBe('integration_inactive');
  expect(lapseOf({ integration_id: 'i', confirmed }, undefined)).toBe('integration_inactive');
  expect(
    lapseOf(
      { integration_id: 'i', confirmed: { token_epoch: 0, permissions: null } },
      { ...live, token_epoch: 0, permissions: null },
    ),
  ).toBeUndefined();
});

it('the schedule wakes endpoints that are behind or of another generation, once their wait is over', () => {
  const needs = (state: object | undefined) =>
    needsTurn({ state: state && { next: 5, generation: 'g', ...state }, end: 7, generation: 'g' }, NOW);
  expect(needs(undefined)).toBe(true);
  expect([needs({}), needs({ next: 7 }), needs({ next: 9 })]).toEqual([true, false, true]);
  expect(needs({ next: 7, generation: 'before' })).toBe(true);
  const waiting = [NOW - 1, NOW + 1_000, NOW + leases.LONGEST_WAIT_MS, NOW + 60 * DAY].map((retry_at) =>
    needs({ retry_at }),
  );
  expect(waiting).toEqual([true, false, false, true]);
});
