import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { environmentTable } from '#table';
import { services } from '../../functions/services/contract.ts';
import { withIds } from '../../shared/http/named-references.ts';
import { aCaller } from '../support/caller.ts';
import { keyMadeBy } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { doIn, openTenant } from '../support/storage.ts';
import { callsOf, pointsAt } from '../support/tenant-calls.ts';
import { newTicket } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';

/** References by names, in place of ids. */

const api = useApi();
const org = prepared(() => api.orgToken());
const acme = prepared(() => callsOf(api, org.token));
const rival = prepared(async () => callsOf(api, (await api.orgToken()).token));
const newId = (): string => `crm:${randomUUID()}`;

const client = prepared(() =>
  acme.create('/api/v1/clients', { name: 'Acme', external_id: newId(), slug: `a-${randomUUID()}` }),
);

const till = (client_id: unknown) => ({ client_id, name: 'Till', type: 'saas' });

it('a client is named by its external id or its slug, and the response has its id', async () => {
  for (const name of [{ external_id: ` ${client.external_id}` }, { slug: client.slug }])
    expect((await acme.create('/api/v1/services', till(name))).client_id).toBe(client.id);
  const ticket = await acme.create('/api/v1/tickets', newTicket({ client_id: null }));
  const patch = (client_id: unknown) => acme.ask('PATCH', `/api/v1/tickets/${ticket.id}`, { client_id });
  expect((await patch({ external_id: client.external_id })).body.client_id).toBe(client.id);
  // Nothing changes.
  expect((await patch({ slug: client.slug })).body).toMatchObject({ client_id: client.id });
});

it('unknown, foreign and unreadable ones are the same 422', async () => {
  const theirs = await rival.create('/api/v1/clients', { name: 'Theirs', external_id: newId() });
  const refused = await Promise.all([
    acme.ask('POST', '/api/v1/services', till({ external_id: newId() })),
    acme.ask('POST', '/api/v1/services', till({ external_id: theirs.external_id })),
  ]);
  const bodies = refused.map(({ body: { instance: _, request_id: __, ...rest } }) => rest);
  expect(refused.map(({ status }) => status)).toEqual([422, 422]);
  expect(bodies[0]).toMatchObject({ errors: pointsAt('client_id') });
});

it('who may not read clients learns nothing of their names, and their ids stay usable', async () => {
  const key = await keyMadeBy(api, acme, { permissions: ['services:write'] });
  const post = (client_id: unknown) => key.ask('POST', '/api/v1/services', till(client_id));
  const refused = [await post({ slug: client.slug }), await post({ slug: randomUUID() })];
  expect(refused.map(({ status, body }) => [status, body.errors])).toEqual(
    refused.map(() => [422, pointsAt('client_id')]),
  );
  expect((await post(client.id)).status).toBe(201);
});

it('a name that another record gets before the commit names that one', async () => {
  const other = await acme.create('/api/v1/clients', { name: 'Other' });
  const before = await acme.create('/api/v1/clients', { name: 'Before', external_id: newId() });
  const move = async () => {
    await acme.ask('PATCH', `/api/v1/clients/${before.id}`, { external_id: null });
    await acme.ask('PATCH', `/api/v1/clients/${other.id}`, { external_id: before.external_id });
  };
  const tenant = openTenant(environmentTable(), org.orgId);
  const named: unknown[] = [];
  await doIn(tenant, async () => {
    const body = till({ external_id: before.external_id });
    const { client_id } = await withIds(services.routes.createService, body, { tenant, caller: aCaller(org.orgId) });
    if (named.push(client_id) === 1) await move();
  });
  expect(named).toEqual([before.id, other.id]);
});

it('a batch creates a client before what names it', async () => {
  const external_id = newId();
  const operations = [
    { key: 'client', operation: 'createClient', body: { name: 'New', external_id } },
    { key: 'service', operation: 'createService', body: till({ external_id }) },
  ];
  const { body } = await acme.ask('POST', '/api/v1/batch', { operations });
  expect(JSON.stringify(body).match(/"status":201/g)).toHaveLength(2);
});

it('an idempotency key stands for the name as sent', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const post = (name: object) => acme.ask('POST', '/api/v1/services', till(name), { headers });
  const [first, second] = [await post({ slug: client.slug }), await post({ slug: client.slug })];
  expect([first.status, second.body.id]).toEqual([201, first.body.id]);
  expect((await post({ external_id: client.external_id })).status).toBe(422);
});

it.each([
  [{}, 'client_id'],
  [{ external_id: 'a', slug: 'b' }, 'client_id'],
  [{ external_id: '' }, 'client_id/external_id'],
  [{ external_id: 7 }, 'client_id/external_id'],
  [{ id: 'x' }, 'client_id/id'],
  [['x'], 'client_id'],
])('%j names nothing', async (name, at) => {
  const { status, body } = await acme.ask('POST', '/api/v1/services', till(name));
  expect(status).toBe(422);
  expect(body.errors?.map(({ pointer }) => pointer)).toContain(`#/${at}`);
});

it('a resource is named by an external id that only it has', async () => {
  const external_id = newId();
  const resource = { client_id: client.id, name: 'Web', type: 'vm', external_id };
  const { id } = await acme.create('/api/v1/resources', resource);
  const post = () =>
    acme.ask('POST', '/api/v1/tickets', newTicket({ client_id: client.id, resource_id: { external_id } }));
  expect((await post()).body.resource_id).toBe(id);
  await acme.create('/api/v1/resources', resource);
  const { status, body } = await post();
  expect([status, body.errors]).toEqual([422, pointsAt('resource_id')]);
});
