import { beforeEach, describe, expect, it } from 'vitest';
import { work } from '../../functions/events/deliveries/work.ts';
import { DeliveryWorld, type Endpoint } from '../support/delivery-world.ts';
import { freshTable } from '../support/dynamodb.ts';
import { PausingHandler } from '../support/pauses.ts';
import { prepared } from '../support/prepared.ts';
import { SideBySide } from '../support/side-by-side.ts';
import { begin, type Scene } from './scene.ts';

/**
 * How long events wait for a worker that is gone, and for those that are with another tenant. The schedule is a
 * stage's: every five minutes.
 */

/** A lease, and what clocks may differ by. */
const LEASE = 81_000;

const place = prepared(freshTable);
let world: Scene['world'];
let acme: Scene['acme'];
let hook: Scene['hook'];
beforeEach(async () => {
  ({ world, acme, hook } = await begin(place));
});

describe('a worker that cannot release its lease', () => {
  /** Has it deliver an event; it is cut off from the table from then on. */
  async function leaveLease(): Promise<number> {
    const cutOff = new PausingHandler();
    hook.receiver.responds = () => {
      if (hook.receiver.calls.length === 1) cutOff.plan = () => 'crash';
      return { status: 204 };
    };
    await acme.change();
    await expect(work({ tenant: acme.id }, world.worker(cutOff))).rejects.toThrow();
    expect(await hook.state()).toHaveProperty('lease');
    return world.now;
  }
  const waited = (since: number): number => (hook.receiver.calls.at(-1)?.at ?? Number.POSITIVE_INFINITY) - since;

  it('is replaced when it expires', async () => {
    const since = await leaveLease();
    await world.pass(600_000);
    expect(waited(since)).toBeLessThanOrEqual(LEASE + 200);
    expect(hook.receiver.firstNumbers()).toEqual(await acme.numbers());
  });

  it('keeps events waiting until its lease ends where its own message is lost, too', async () => {
    world.queue.loses = () => true;
    const since = await leaveLease();
    world.queue.loses = () => false;
    world.now += 1_000;
    await acme.changeAndWake();
    await world.pass(600_000);
    expect(waited(since)).toBeLessThanOrEqual(LEASE + 200);
    expect(hook.receiver.firstNumbers()).toEqual(await acme.numbers());
    expect(await hook.state()).not.toHaveProperty('lease');
  });

  it('is replaced when it expires, also if the first to find it taken cannot send the message', async () => {
    world.queue.loses = () => true;
    const since = await leaveLease();
    await acme.change();
    world.queue.loses = () => {
      throw new Error('the queue is not there');
    };
    await expect(work({ tenant: acme.id }, world.worker())).rejects.toThrow('the queue is not there');
    world.queue.loses = () => false;
    await world.wake(acme);
    await world.pass(600_000);
    expect(waited(since)).toBeLessThanOrEqual(LEASE + 200);
    expect(hook.receiver.firstNumbers()).toEqual(await acme.numbers());
  });

  it.each([4_900, -4_900])('does so by clocks that are %d ms wrong', async (skew) => {
    world.skews.splice(0, 1, skew, -skew);
    world.queue.loses = () => true;
    const since = await leaveLease();
    world.queue.loses = () => false;
    await world.wake(acme);
    await world.pass(600_000);
    expect(waited(since)).toBeLessThanOrEqual(LEASE + 200);
  });
});

it('one message comes when a lease expires, however many workers find it taken', async () => {
  hook.receiver.responds = async () => {
    for (let found = 0; found < 9; found++) await work({ tenant: acme.id }, world.worker());
    return { status: 204 };
  };
  await acme.change();
  await work({ tenant: acme.id }, world.worker());
  expect(world.queue.length).toBe(1);
  await world.run();
  expect([world.queue.length, hook.receiver.calls.length]).toEqual([0, 1]);
});

describe('slow receivers', () => {
  /** Nearly as long as a receiver may take, and the time between two events of the other tenant. In milliseconds. */
  const [SLOW, EVERY] = [9_000, 7_000];

  interface Crowd {
    readonly tenants: number;
    /** Slow receivers of each tenant: more than it has slots. */
    readonly receivers: number;
    readonly workers: number;
  }

  /** Has tenants with slow receivers. @returns the waits of another tenant's events, and the slow ones */
  async function waitBeside({ tenants, receivers, workers }: Crowd) {
    const crowded = new DeliveryWorld(place);
    crowded.slots = Math.floor(workers / 2);
    const ours = await crowded.organization();
    const fast = await ours.endpoint();
    const slow: Endpoint[] = [];
    for (let tenant = 0; tenant < tenants; tenant++) {
      const theirs = await crowded.organization();
      for (let made = 0; made < receivers; made++) slow.push(await theirs.endpoint());
      await theirs.flood(20);
    }
    for (const { receiver } of slow) receiver.latency = SLOW;
    await crowded.schedule();
    const sideBySide = new SideBySide(crowded, workers);
    const committed: number[] = [];
    for (let made = 0; made < 6; made++) {
      await sideBySide.run(crowded.now + EVERY);
      committed.push(crowded.now);
      await ours.changeAndWake();
    }
    await sideBySide.run(crowded.now + EVERY);
    const arrivals = fast.receiver.calls.map(({ at }) => at);
    return { slow, waits: committed.map((at, index) => (arrivals[index] ?? Number.POSITIVE_INFINITY) - at) };
  }

  it.each([
    { tenants: 1, receivers: 6, workers: 5, longest: 1_000 },
    { tenants: 3, receivers: 3, workers: 5, longest: SLOW + 1_000 },
    { tenants: 3, receivers: 3, workers: 4, longest: SLOW + 1_000 },
  ])('of $tenants other tenants keep events waiting for one call at most, with $workers workers', async (crowd) => {
    const { slow, waits } = await waitBeside(crowd);
    expect(Math.max(...waits)).toBeLessThanOrEqual(crowd.longest);
    expect(Math.min(...slow.map(({ receiver }) => receiver.calls.length))).toBeGreaterThanOrEqual(2);
  });

  it('of a tenant with more endpoints than slots are all called, and none waits for a dead worker', async () => {
    world.slots = 1;
    const others = [await acme.endpoint(), await acme.endpoint()];
    await acme.change(3);
    const gone = new PausingHandler();
    hook.receiver.responds = () => {
      if (hook.receiver.calls.length === 1) gone.plan = () => 'crash';
      return { status: 204 };
    };
    await expect(work({ tenant: acme.id, endpointId: hook.id }, world.worker(gone))).rejects.toThrow();
    const since = world.now;
    for (const { id } of others) await work({ tenant: acme.id, endpointId: id }, world.worker());
    expect(others.map(({ receiver }) => receiver.calls.length)).toEqual([0, 0]);
    await world.pass(600_000);
    for (const { receiver } of [hook, ...others]) {
      expect(receiver.firstNumbers()).toEqual(await acme.numbers());
      expect((receiver.calls.at(-1)?.at ?? 0) - since).toBeLessThanOrEqual(2 * LEASE);
    }
  });
});
