import { beforeAll, beforeEach, expect, it } from 'vitest';
import { leases } from '#tenancy/deliveries';
import { DeliveryWorld, type Endpoint, type Organization } from '../support/delivery-world.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';

/** Who may deliver to an endpoint. */

const DAY = 86_400_000;

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

const leaseOf = (token: string): leases.Lease => ({ endpointId: hook.id, token });
const take = async (token: string) => (await leases.takeLease(acme.open(), leaseOf(token))).outcome;

it('one worker has the lease until it gives it back, or its end has come', async () => {
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

it('whose end, or whose next call, is further away than any can be keeps nobody out', async () => {
  world.now += 60 * DAY;
  expect(await take('of a clock that is 60 days ahead')).toBe('taken');
  world.now -= 60 * DAY;
  expect(await take('b')).toBe('taken');
  await leases.endLease(acme.open(), leaseOf('b'), { set: { retry_at: world.now + leases.LONGEST_WAIT_MS } });
  expect(await take('c')).toBe('waiting');
  world.now -= 60 * DAY;
  expect(await take('c')).toBe('taken');
});

it('is not given back where somebody has rung since its holder has looked', async () => {
  const { state } = await leases.takeLease(acme.open(), leaseOf('a'));
  await leases.ring(acme.open(), hook.id);
  expect(await leases.endLease(acme.open(), leaseOf('a'), { set: { next: 8 } }, state)).toBe('kept');
  const after = await leases.changeLeased(acme.open(), leaseOf('a'), { set: { next: 8 } });
  expect(after).toMatchObject({ next: 8, rings: 1 });
  expect(await leases.endLease(acme.open(), leaseOf('a'), {}, after)).toBe('ended');
});

it('of an endpoint that is gone is taken by nobody, and ringing makes none', async () => {
  const gone = { ...leaseOf('a'), endpointId: crypto.randomUUID() };
  await leases.ring(acme.open(), gone.endpointId);
  expect((await leases.takeLease(acme.open(), gone)).outcome).toBe('gone');
});
