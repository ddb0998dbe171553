import { beforeAll, expect, it } from 'vitest';
import { eraseOrganization } from '../../operator/erase.ts';
import { disableIntegration } from '../../operator/integrations.ts';
import { systemClock } from '../../shared/clock.ts';
import type { OrgAccess } from '../support/api.ts';
import { DeliveryWorld, Receiver } from '../support/delivery-world.ts';
import { dumpOf } from '../support/table-dump.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';
import { challengeOf } from '../support/verified.ts';

/** What ends deliveries from outside: an erasure, and a key that is cut off, while a worker has its turn. */

const api = useApi();
let world: DeliveryWorld;
beforeAll(() => {
  world = new DeliveryWorld(api.table);
});

/** An organization with an endpoint and three events. */
async function organization(): Promise<{ org: OrgAccess; endpointId: string; receiver: Receiver }> {
  const org = await api.orgToken();
  const receiver = new Receiver();
  world.receivers.set(receiver.url, receiver);
  world.tenants.add(org.orgId);
  const calls = callsOf(api, org.token);
  const { id } = await calls.create('/api/v1/webhook-endpoints', {
    url: receiver.url,
    event_types: ['client.created'],
  });
  await calls.ask('POST', `/api/v1/webhook-endpoints/${id}/verify`, { code: await challengeOf(org.orgId, id) });
  for (const name of ['Ada', 'Bob', 'Cid']) await calls.create('/api/v1/clients', { name });
  world.now = Date.now();
  await world.queue.send([{ tenant: org.orgId }]);
  return { org, endpointId: id, receiver };
}

/** The items that name an organization anywhere. */
const naming = async ({ orgId }: OrgAccess) =>
  (await dumpOf(api.table)).filter((item) => JSON.stringify(item).includes(orgId)).map(({ PK }) => PK?.S);

it('an organization that is erased during a call leaves nothing, whatever the worker does then', async () => {
  const { org, receiver } = await organization();
  receiver.responds = async () => {
    let ahead = 0;
    const pause = async (milliseconds: number): Promise<void> => {
      ahead += milliseconds;
    };
    expect((await naming(org)).length).toBeGreaterThan(20);
    await eraseOrganization(org.orgId, { sweeps: false, clock: () => systemClock() + ahead, pause });
    expect(await naming(org)).toEqual([`SUSPENDED#${org.orgId}`]);
    return { status: 503 };
  };
  await world.run();
  await world.pass(10 * 60_000);
  expect([receiver.calls.length, world.failures]).toEqual([1, []]);
  expect(await naming(org)).toEqual([`SUSPENDED#${org.orgId}`]);
});

it('an endpoint of a key that is cut off stops with the next turn, and is called no more', async () => {
  const { org, endpointId, receiver } = await organization();
  receiver.responds = async () => {
    await disableIntegration(org.orgId, org.appCode);
    return { status: 503 };
  };
  await world.run();
  await world.pass(10 * 60_000);
  expect(receiver.calls).toHaveLength(1);
  const platform = await api.platformToken();
  const path = `/api/v1/webhook-endpoints/${endpointId}?org_id=${org.orgId}`;
  expect((await api.request('GET', path, { token: platform })).body).toMatchObject({
    status: 'paused',
    status_reason: 'integration_inactive',
  });
});

it.each([
  [3600, 'active', null, 3],
  [0, 'paused', 'tokens_ended', 0],
])(
  'rotations of its integration’s secret that leave the one before for %i seconds leave it %s',
  async (previous_valid_for, status, status_reason, called) => {
    const { org, endpointId, receiver } = await organization();
    const platform = callsOf(api, await api.platformToken());
    const rotation = `/api/v1/integrations/${org.integrationId}/rotate-secret?org_id=${org.orgId}`;
    // The second one ends the secret that the endpoint was made with.
    for (let times = 0; times < 2; times++)
      expect((await platform.ask('POST', rotation, { previous_valid_for })).status).toBe(201);
    await world.run();
    expect(receiver.calls).toHaveLength(called);
    const endpoint = await platform.read(`/api/v1/webhook-endpoints/${endpointId}?org_id=${org.orgId}`);
    expect(endpoint).toMatchObject({ status, status_reason });
  },
);
