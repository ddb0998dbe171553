import { beforeEach, describe, expect, it, vi } from 'vitest';
import { readRequestCounts } from '#tenancy';
import { work } from '../../functions/events/deliveries/work.ts';
import { Invocation, within } from '../../shared/telemetry/invocation.ts';
import { DeliveryWorld, type Endpoint, type Organization } from '../support/delivery-world.ts';
import { freshTable } from '../support/dynamodb.ts';
import { prepared } from '../support/prepared.ts';

/**
 * What works in the background is charged to its tenant: no more than the delivery budget is used, by whoever, and
 * nothing is lost.
 */

const MINUTE = 60_000;
/** Of the tenant's request budget, a minute. Its delivery budget is a tenth. */
const REQUESTS = 100;
const FEW = 20;
const HOUR = 60 * MINUTE;
const LARGE = 'x'.repeat(128_000);

const place = prepared(freshTable);
let world: DeliveryWorld;
let acme: Organization;
beforeEach(async () => {
  vi.stubEnv('TENANT_RATE_LIMIT', String(REQUESTS));
  world = new DeliveryWorld(place);
  acme = await world.organization();
});

/** The units that something uses. */
async function unitsOf(what: () => Promise<unknown>): Promise<number> {
  const invocation = new Invocation({});
  await within(invocation, what);
  return invocation.units;
}

const bytesOf = (...endpoints: readonly Endpoint[]): number =>
  endpoints.flatMap(({ receiver }) => receiver.calls).reduce((bytes, { body }) => bytes + Buffer.byteLength(body), 0);

/** Replays an endpoint from its first event, as the API does. */
async function replay(endpoint: Endpoint): Promise<void> {
  await endpoint.replay((await acme.numbers())[0] ?? 0);
  world.now += 1_000;
  await endpoint.change({ replayed_at: new Date(world.now).toISOString() });
  await world.wake(acme);
}

describe('the background', () => {
  beforeEach(() => void vi.stubEnv('TENANT_RATE_LIMIT', String(FEW)));

  it('uses no more units in a minute than a hundred for each request of the tenant, and delivers everything', async () => {
    const hooks = [await acme.endpoint({ payload: 'record' }), await acme.endpoint({ payload: 'record' })];
    await acme.changeAndWake(16, LARGE);
    await world.pass(HOUR);
    const calls = () => hooks.map(({ receiver }) => receiver.calls.length);
    expect(calls()).toEqual([16, 16]);
    for (const hook of hooks) await replay(hook);
    const minutes: number[] = [];
    const before = bytesOf(...hooks);
    for (let minute = 0; minute < 3; minute++) minutes.push(await unitsOf(() => world.pass(MINUTE)));
    // A bucket that is full, what comes in meanwhile, and the last call of each turn.
    expect(Math.max(...minutes)).toBeLessThanOrEqual(3 * (FEW / 10) * 100);
    expect(bytesOf(...hooks) - before).toBeLessThanOrEqual(4 * (FEW / 10) * 256 * 1024);
    expect(Math.min(...calls())).toBeGreaterThan(16);
    expect(Math.max(...calls())).toBeLessThan(32);
    await world.pass(HOUR);
    expect([calls(), world.queue.length, world.failures]).toEqual([[32, 32], 0, []]);
    for (const { receiver } of hooks) expect(receiver.numbers().slice(16)).toEqual(await acme.numbers());
  });

  it('also limits failing calls, and pages of events that an endpoint does not get', async () => {
    const failing = await acme.endpoint({ payload: 'record', batch_size: 2 });
    failing.receiver.responds = () => ({ status: 422 });
    await acme.endpoint({ event_types: ['ticket.created'] });
    await acme.flood(200);
    await acme.changeAndWake(10, LARGE);
    const units = await unitsOf(() => world.pass(MINUTE));
    expect(units).toBeLessThanOrEqual(3 * (FEW / 10) * 100);
    expect(units).toBeGreaterThan(100);
  });

  it('counts in the usage of the tenant', async () => {
    const hook = await acme.endpoint({ payload: 'record' });
    await acme.changeAndWake(4, LARGE);
    const units = await unitsOf(() => world.pass(30 * MINUTE));
    await work({ tenant: acme.id }, world.worker());
    await acme.change();
    await work({ tenant: acme.id }, world.worker());
    const { deliveries, integrations } = await readRequestCounts(acme.open(), {
      ...{ integrationId: undefined, after: undefined, limit: 9 },
    });
    const charged = deliveries.reduce((sum, { requests }) => sum + requests, 0);
    expect(charged).toBeGreaterThan((bytesOf(hook) / 256 / 1024 + units / 100) * 0.7);
    expect(charged).toBeLessThan(bytesOf(hook) / 256 / 1024 + units / 100 + 1);
    expect(integrations).toEqual([]);
  });
});

describe('each endpoint has its share', () => {
  it('so a replay of one does not delay the events of another', async () => {
    const [busy, other] = [await acme.endpoint({ payload: 'record' }), await acme.endpoint()];
    await other.change({ event_types: ['terminal.updated'] });
    await acme.changeAndWake(24, LARGE);
    await world.pass(HOUR);
    await replay(busy);
    await world.pass(2_000);
    await other.change({ event_types: ['terminal.created'] });
    for (let made = 0; made < 5; made++) {
      const since = world.now;
      await acme.changeAndWake();
      await world.pass(10_000);
      expect((other.receiver.calls.at(made)?.at ?? 0) - since).toBeLessThanOrEqual(2_000);
    }
    expect(busy.receiver.calls.length).toBeLessThan(48);
    await world.pass(HOUR);
    expect(busy.receiver.firstNumbers()).toEqual(await acme.numbers());
  });

  it('so a backlog of one does not delay the events of another', async () => {
    const [busy, other] = [await acme.endpoint({ payload: 'record' }), await acme.endpoint()];
    await other.change({ event_types: ['terminal.updated'] });
    await acme.changeAndWake(40, LARGE);
    await world.pass(2_000);
    expect(busy.receiver.calls.length).toBeLessThan(40);
    await other.change({ event_types: ['terminal.created'] });
    for (let made = 0; made < 5; made++) {
      const since = world.now;
      await acme.changeAndWake();
      await world.pass(3_000);
      expect((other.receiver.calls.at(made)?.at ?? Number.POSITIVE_INFINITY) - since).toBeLessThanOrEqual(2_000);
    }
  });

  it('whatever a wrong clock has stored of it', async () => {
    const hook = await acme.endpoint();
    await acme.changeAndWake();
    await world.run();
    await hook.setState({ spent_until: world.now + 60 * 24 * HOUR });
    await replay(hook);
    await world.run();
    expect(hook.receiver.calls).toHaveLength(2);
  });
});

describe('a replay', () => {
  it('does not call a failing endpoint any sooner', async () => {
    const hook = await acme.endpoint();
    hook.receiver.responds = () => ({ status: 500 });
    await acme.changeAndWake(2);
    await world.pass(20_000);
    const calls = hook.receiver.calls.length;
    const { retry_at, failures, failing_since } = (await hook.state()) ?? {};
    for (let replays = 0; replays < 10; replays++) {
      await replay(hook);
      await world.run(world.now);
    }
    expect(await hook.state()).toMatchObject({ failures, failing_since });
    expect(hook.receiver.calls.length - calls).toBeLessThanOrEqual(2);
    expect(retry_at).toBeGreaterThan(0);
    hook.receiver.responds = () => ({ status: 204 });
    await world.pass(30 * MINUTE);
    expect(hook.receiver.firstNumbers()).toEqual(await acme.numbers());
  });
});
