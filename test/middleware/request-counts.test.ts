import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '@custodia/counted-lists';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { RequestSession, Tenant, tenantKey } from '#table';
import { readRequestCounts } from '#tenancy';
import { dayOf } from '../../shared/clock.ts';
import { RequestCount } from '../../shared/tenancy/budget/bucket.ts';
import { flushBudget } from '../../shared/tenancy/budget/stored-budget.ts';
import { aCaller } from '../support/caller.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import '../support/fast-check.ts';
import { type Fault, FaultyHandler } from '../support/faults.ts';
import { itemSizeOf } from '../support/item-size.ts';
import { tableAt } from '../support/storage.ts';
import { flushUnits } from './flushes.ts';

/** Requests counted by day, in several containers (docs/decisions/0200-usage.md). */

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Five minutes before midnight. DynamoDB Local deletes what expires by the real time. */
const NOW = (Math.floor(Date.now() / DAY) + 1) * DAY - 5 * MINUTE;
const TODAY = dayOf(NOW);

const sumOf = (counts: Iterable<number>): number => [...counts].reduce((sum, each) => sum + each, 0);

describe('what a container counts', () => {
  /** What a container takes to flush after a request. */
  const request = (count: RequestCount, now: number): number => {
    count.add(now);
    return count.isDue(now) ? sumOf(count.take(now).requests.values()) : 0;
  };

  it('is flushed with its first request, with the hundredth, and 15 minutes later', () => {
    const count = new RequestCount();
    expect(request(count, NOW)).toBe(1);
    const burst = Array.from({ length: 110 }, () => request(count, NOW + 1));
    expect(burst.flatMap((taken, index) => (taken === 0 ? [] : [[index, taken]]))).toEqual([[99, 100]]);
    const early = NOW - 60 * MINUTE;
    const later = new RequestCount();
    expect([0, 1, 15 * MINUTE - 1, 15 * MINUTE].map((passed) => request(later, early + passed))).toEqual([1, 0, 0, 3]);
  });

  it('is flushed with the first request of a day, and where the clock was set back, each under its own day', () => {
    const count = new RequestCount();
    request(count, NOW);
    expect(request(count, NOW + 1)).toBe(0);
    count.add(NOW + 6 * MINUTE);
    expect(count.isDue(NOW + 6 * MINUTE)).toBe(true);
    expect([...count.take(NOW + 6 * MINUTE).requests]).toEqual([
      [TODAY, 1],
      [TODAY + 1, 1],
    ]);
    expect(request(count, NOW - DAY)).toBe(1);
  });

  it('is 20 of 20 requests a day where each has a container of its own', () => {
    const taken = Array.from({ length: 20 }, (_, index) => request(new RequestCount(), NOW - index * 72 * MINUTE));
    expect(sumOf(taken)).toBe(20);
  });

  it('is never more than was sent, and lacks at most what ended containers and failed flushes had', () => {
    const step = fc.record({
      container: fc.nat(3),
      passed: fc.oneof(fc.nat(1_000), fc.nat(20 * MINUTE)),
      requests: fc.integer({ min: 1, max: 150 }),
      ends: fc.boolean(),
      fails: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const fleet = new Fleet(4);
        for (const { container, passed, requests, ends, fails } of steps) {
          fleet.now += passed;
          for (let index = 0; index < requests; index++) fleet.serve(container, fails);
          if (ends) fleet.end(container);
        }
        for (const [day, number] of fleet.stored) expect(number).toBeLessThanOrEqual(fleet.sent.get(day) ?? 0);
        const unflushed = fleet.endAll();
        expect(Math.max(...unflushed)).toBeLessThan(100);
        expect(sumOf(fleet.stored.values()) + fleet.lost).toBe(sumOf(fleet.sent.values()));
      }),
    );
  });
});

/** Containers, and a table that keeps what they flush, unless the flush fails. */
class Fleet {
  readonly sent = new Map<number, number>();
  readonly stored = new Map<number, number>();
  lost = 0;
  now = NOW;
  readonly #counts: RequestCount[];

  constructor(containers: number) {
    this.#counts = Array.from({ length: containers }, () => new RequestCount());
  }

  serve(container: number, fails: boolean): void {
    const count = this.#countOf(container);
    count.add(this.now);
    add(this.sent, dayOf(this.now), 1);
    if (!count.isDue(this.now)) return;
    for (const [day, number] of count.take(this.now).requests) {
      if (fails) this.lost += number;
      else add(this.stored, day, number);
    }
  }

  /** @returns what the container had not flushed */
  end(container: number): number {
    const left = sumOf(this.#countOf(container).take(this.now).requests.values());
    this.#counts[container] = new RequestCount();
    this.lost += left;
    return left;
  }

  endAll(): number[] {
    return [...this.#counts.keys()].map((container) => this.end(container));
  }

  #countOf(container: number): RequestCount {
    return this.#counts[container] ?? new RequestCount();
  }
}

const add = (to: Map<number, number>, day: number, by: number) => to.set(day, (to.get(day) ?? 0) + by);

describe('what is stored', () => {
  let place: FreshTable;
  let table: Table;
  beforeAll(async () => {
    place = await freshTable();
    table = tableAt(place);
  });

  let caller: ReturnType<typeof aCaller>;
  beforeEach(() => {
    caller = aCaller(randomUUID(), { integration_id: randomUUID() });
    // A flush that takes more than a second is dropped, which might happen on a busy machine.
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
  });

  const tenantAt = (now: number, over = table) => Tenant.of(caller, new RequestSession(over, () => now, now + 10_000));
  const counted = (days: readonly (readonly [day: number, requests: number])[], surplus: readonly string[] = []) => ({
    counted: { requests: new Map(days), surplus },
  });
  const itemOf = async () => {
    const Key = { ...tenantKey(tenantAt(NOW).id, 'BUDGET', caller.id) };
    return (await table.client.send(new GetCommand({ TableName: table.name, Key }))).Item ?? {};
  };

  it('adds up from all containers by day, beside the bucket, which it leaves as it is', async () => {
    const { id: integrationId } = caller;
    await Promise.all(
      [1, 2, 3].map((number) => flushBudget(tenantAt(NOW), integrationId, 0, counted([[TODAY, number]]))),
    );
    expect((await itemOf()).FULL_AT).toBeUndefined();
    await Promise.all(
      [4, 5].map((number) =>
        flushBudget(
          tenantAt(NOW),
          integrationId,
          1_000,
          counted([
            [TODAY, number],
            [TODAY - 1, 1],
          ]),
        ),
      ),
    );
    const alone = await flushBudget(tenantAt(NOW), integrationId, 0, counted([[TODAY, 100]]));
    expect(alone.fullAt).toBe(NOW + 2_000);
    expect(await itemOf()).toMatchObject({ FULL_AT: NOW + 2_000, AT: NOW, [`D${TODAY}`]: 115, [`D${TODAY - 1}`]: 2 });
    // 62 days later, DynamoDB may not have deleted it.
    expect(Number((await itemOf()).TTL) * 1_000).toBeGreaterThanOrEqual(NOW + 62 * DAY);
  });

  it.each([
    ['that begins a bucket', 1_000, { seemsFull: true }],
    ['of a bucket', 1_000, { seemsFull: false }],
    ['of the number alone', 0, {}],
  ])('is counted once by a flush %s, whatever becomes of the reply', async (_, cost, besides) => {
    const network = new FaultyHandler();
    const over = tableAt(place, network);
    for (const fault of [
      'reply-lost',
      'timeout',
      'applied-server-error',
      'dropped',
      'server-error',
    ] satisfies Fault[]) {
      const key = { integration_id: randomUUID() };
      caller = aCaller(randomUUID(), key);
      network.follow(({ index }) => (index === 0 ? fault : undefined));
      await flushBudget(tenantAt(NOW, over), caller.id, cost, { ...counted([[TODAY, 7]]), ...besides });
      // The first call, its repetition, and for a bucket that was not as expected another.
      expect(network.calls.length).toBeLessThanOrEqual(3);
      const item = await itemOf();
      expect([fault, item[`D${TODAY}`], item.FULL_AT]).toEqual([fault, 7, cost === 0 ? undefined : NOW + cost]);
    }
  });

  it('has 64 days at most, less than 1 KB, and loses none that is told to a container that is 60 days ahead', async () => {
    const { id: integrationId } = caller;
    let surplus: readonly string[] = [];
    for (let day = TODAY - 80; day <= TODAY; day++) {
      const flush = { ...counted([[day, 1_440_000_000]], surplus), seemsFull: true };
      ({ surplus } = await flushBudget(tenantAt(NOW), integrationId, 1_000, flush));
    }
    for (const now of [NOW + 60 * DAY, NOW, NOW]) {
      const day = dayOf(now);
      ({ surplus } = await flushBudget(tenantAt(now), integrationId, 1_000, counted([[day, 1]], surplus)));
    }
    const item = await itemOf();
    const days = Object.keys(item).filter((name) => /^D\d+$/.test(name));
    expect(days).toHaveLength(64);
    expect(itemSizeOf(item)).toBeLessThan(1_024);
    const query = { integrationId, after: undefined, limit: 2 };
    const { integrations } = await readRequestCounts(tenantAt(NOW), query);
    expect(integrations[0]?.days.map(({ day }) => day)).toEqual(
      Array.from({ length: 62 }, (_, index) => TODAY - 61 + index),
    );
  });

  it('is settled by a container that is 80 days behind too, whose day is the oldest', async () => {
    const { id: integrationId } = caller;
    const early = NOW - 80 * DAY;
    const days = Array.from({ length: 64 }, (_, index) => [TODAY - index, 1] as const);
    await flushBudget(tenantAt(NOW), integrationId, 0, counted(days));
    let surplus: readonly string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const flush = counted([[dayOf(early), 1]], surplus);
      ({ surplus } = await flushBudget(tenantAt(early), integrationId, 1_000, flush));
      expect(surplus).toEqual([`D${dayOf(early)}`]);
    }
    expect((await itemOf()).AT).toBe(early);
  });

  // Where others flush too, a container often does not know whether the bucket is full, and then takes two units.
  it.each([
    { everyMs: 200, containers: 1, atLeast: 27 },
    { everyMs: 111, containers: 1, atLeast: 27 },
    { everyMs: 111, containers: 4, atLeast: 21 },
  ])(
    'takes a write unit for $atLeast requests at most: one each $everyMs ms, in $containers containers',
    async (pace) => {
      const units = await flushUnits(tableAt(place), { ...pace, requests: 3_000 });
      expect(units * pace.atLeast).toBeLessThanOrEqual(3_000);
    },
  );
});
