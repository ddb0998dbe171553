import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allRegistered, leases } from '#tenancy/deliveries';
import { work } from '../../functions/deliveries/work.ts';
import { DeliveryWorld, type Endpoint, type Organization } from '../support/delivery-world.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import { PausingHandler } from '../support/pauses.ts';

/** Workers that are paused. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let place: FreshTable;
let world: DeliveryWorld;
let acme: Organization;
let hook: Endpoint;
beforeAll(async () => {
  place = await freshTable();
});
beforeEach(async () => {
  world = new DeliveryWorld(place);
  acme = await world.organization();
  hook = await acme.endpoint();
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

  it('during a call says no more of its duration than may be shown', async () => {
    hook.receiver.responds = async () => {
      world.now += HOUR;
      return { error: 'timeout' };
    };
    await acme.change();
    await work({ tenant: acme.id }, world.worker());
    expect(await hook.attempts()).toMatchObject([{ duration_ms: 1_000_000 }]);
  });

  it('while others deliver does not end the endpoint because its own place in the journal has expired', async () => {
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
