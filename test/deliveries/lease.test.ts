import { beforeEach, describe, expect, it } from 'vitest';
import { Tenant } from '#table';
import { turn } from '../../functions/events/deliveries/turn.ts';
import { work } from '../../functions/events/deliveries/work.ts';
import * as leases from '../../functions/events/state/lease.ts';
import { allRegistered } from '../../functions/events/state/register.ts';
import { aCaller } from '../support/caller.ts';
import { freshTable } from '../support/dynamodb.ts';
import { PausingHandler } from '../support/pauses.ts';
import { prepared } from '../support/prepared.ts';
import { begin, type Scene } from './scene.ts';

/** Who may deliver to an endpoint, also where workers are paused, or their clocks differ by as much as clocks may. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Clocks that differ by so much from that of DynamoDB, in milliseconds, are taken as they are. */
const BELIEVED = 4_900;

const place = prepared(freshTable);
let world: Scene['world'];
let acme: Scene['acme'];
let hook: Scene['hook'];
beforeEach(async () => {
  ({ world, acme, hook } = await begin(place));
});

const leaseOf = (token: string): leases.Lease => ({ endpointId: hook.id, token });
const take = async (token: string, tenant = acme.open()) => (await leases.takeLease(tenant, leaseOf(token))).outcome;

it('one worker has the lease until it releases it, or it expires', async () => {
  expect([await take('a'), await take('b'), await take('a')]).toEqual(['taken', 'leased', 'taken']);
  expect(await leases.endLease(acme.open(), leaseOf('b'), {})).toBe('lost');
  expect(await leases.endLease(acme.open(), leaseOf('a'), { set: { next: 3 } })).toBe('ended');
  expect(await hook.state()).toMatchObject({ next: 3 });
  expect(await take('b')).toBe('taken');
  world.now += leases.LEASE_MS + 1;
  expect(await take('c')).toBe('taken');
  expect(await leases.changeLeased(acme.open(), leaseOf('b'), { set: { next: 9 } })).toBeUndefined();
  expect(await leases.changeLeased(acme.open(), leaseOf('c'), { set: { next: 4 } })).toMatchObject({ next: 4 });
});

it.each(['retry_at', 'replay_at'] as const)('is not taken before %s, unless no wait can be as long', async (time) => {
  world.now += 60 * DAY;
  expect(await take('of a clock that is 60 days ahead')).toBe('taken');
  world.now -= 60 * DAY;
  expect(await take('b')).toBe('taken');
  await leases.endLease(acme.open(), leaseOf('b'), { set: { [time]: world.now + leases.LONGEST_WAIT_MS } });
  expect(await take('c')).toBe('waiting');
  world.now -= 60 * DAY;
  expect(await take('c')).toBe('taken');
});

it('is not released if its holder was woken since it last read the journal', async () => {
  const { state } = await leases.takeLease(acme.open(), leaseOf('a'));
  expect(await leases.wake(acme.open(), hook.id, async () => undefined)).toBe(true);
  expect(await leases.endLease(acme.open(), leaseOf('a'), { set: { next: 8 } }, state)).toBe('kept');
  const after = await leases.changeLeased(acme.open(), leaseOf('a'), { set: { next: 8 } });
  expect(after).toMatchObject({ next: 8, wakes: 1 });
  expect(await leases.endLease(acme.open(), leaseOf('a'), {}, after)).toBe('ended');
});

it('of a deleted endpoint cannot be taken, and a wake-up does not create it', async () => {
  const gone = { ...leaseOf('a'), endpointId: crypto.randomUUID() };
  expect(await leases.wake(acme.open(), gone.endpointId, async () => undefined)).toBe(false);
  expect((await leases.takeLease(acme.open(), gone)).outcome).toBe('gone');
});

describe('a worker that is paused', () => {
  it.each([
    ['while it stores a failure', 500],
    ['while it stores a refusal', 422],
  ])('%s asks for another turn at once', async (_, status) => {
    const worker = new PausingHandler();
    const paused = worker.pauseBefore('TransactWriteItems', hook.id);
    hook.receiver.responds = () => ({ status: hook.receiver.calls.length === 1 ? status : 204 });
    await acme.change();
    const working = work({ tenant: acme.id }, world.worker(worker));
    await paused.reached;
    world.now += 30_000;
    paused.release();
    await working;
    await world.run();
    expect(hook.receiver.numbers()).toHaveLength(2);
  });

  it('during a call records at most the longest duration that may be shown', async () => {
    hook.receiver.responds = async () => {
      world.now += HOUR;
      return { error: 'timeout' };
    };
    await acme.change();
    await work({ tenant: acme.id }, world.worker());
    expect(await hook.attempts()).toMatchObject([{ duration_ms: 1_000_000 }]);
  });

  it('while others deliver does not expire the endpoint by its own old place in the journal', async () => {
    const worker = new PausingHandler();
    const paused = worker.pauseBefore('Query', '#EVENT');
    await acme.change();
    const working = work({ tenant: acme.id }, world.worker(worker));
    await paused.reached;
    world.now += leases.LEASE_MS + 1;
    await work({ tenant: acme.id }, world.worker());
    world.now += 40 * DAY;
    paused.release();
    await working;
    expect([hook.receiver.calls.length, await hook.status()]).toEqual([1, ['active', null]]);
    expect((await allRegistered(world.session())).filter(({ tenant }) => tenant === acme.id)).toHaveLength(1);
  });
});

describe('two workers, one with the fastest clock that is allowed, the other with the slowest', () => {
  const openAt = (skew: number) =>
    Tenant.of(
      aCaller(acme.id),
      world.session(() => world.now + skew),
    );
  const fast = () => openAt(BELIEVED);
  const slow = () => openAt(-BELIEVED);

  it('take no lease from each other', async () => {
    expect([await take('a', fast()), await take('b', slow())]).toEqual(['taken', 'leased']);
    await leases.endLease(fast(), leaseOf('a'), {});
    expect([await take('b', slow()), await take('a', fast())]).toEqual(['taken', 'leased']);
  });

  it('wait for as long as the receiver has asked for', async () => {
    await hook.setState({ retry_at: leases.timeIn(fast()) + leases.LONGEST_WAIT_MS });
    expect(await take('b', slow())).toBe('waiting');
  });

  it('repeat a wake-up of the fast one that is too early for the slow one', async () => {
    await acme.change();
    await hook.setState({ retry_at: leases.timeIn(fast()) });
    world.skews.splice(0, 1, -BELIEVED);
    const [registration] = (await allRegistered(world.session())).filter(({ tenant }) => tenant === acme.id);
    if (registration === undefined) throw new Error('it is not registered');
    expect(await turn(registration, world.worker())).toBe(10);
  });
});
