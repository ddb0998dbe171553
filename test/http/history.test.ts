import { describe, expect, it, onTestFinished } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { declaredEntities } from '../../functions/all-entities.ts';
import { linesOf } from '../operator/imported.ts';
import type { JsonBody } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { keyMadeBy } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { startReceiver } from '../support/receiver.ts';
import { operations, TestTenant } from '../support/scenario.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { newTicket } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf, NOWHERE } from './api-driver.ts';

/** `GET …/changes`: what a record's history says, and to whom. */

const api = useApi({ deliveries: true, authorizerTtlSeconds: 0 });
const org = prepared(() => api.orgToken());
const mine = prepared(async () => apiDriverOf(api, org.token));

const changesAt = async (path: string): Promise<JsonBody[]> => {
  const { status, body } = await mine.get(`${path}/changes`);
  expect([path, status]).toEqual([path, 200]);
  return body.data as JsonBody[];
};
const valuesAt = async (path: string) => (await changesAt(path)).map(({ changes }) => changes);

describe('the route', () => {
  const routes = operations.filter(([, { path }]) => path.endsWith('/changes'));

  it('is there for the records that keep their history, with the permission to read them', async () => {
    const read = operations.filter(
      ([, { method, path }]) => method === 'GET' && routes.some(([, each]) => each.path === `${path}/changes`),
    );
    expect(routes.map(([, { permission }]) => permission)).toEqual(read.map(([, { permission }]) => permission));
    const shown = read.map(([, { response }]) => response.schema);
    const keeping = (await declaredEntities()).filter(({ journaled }) => journaled?.history);
    expect(keeping.map(({ record }) => record?.schema)).toHaveLength(6);
    expect(new Set(keeping.map(({ record }) => record?.schema))).toEqual(new Set(shown));
  });

  it('never has room for fewer than the names of all fields, nor values of fields with a permission of their own', async () => {
    for (const { name, record, journaled, encrypted } of await declaredEntities()) {
      if (!journaled?.history) continue;
      const { shape = {} } = (record?.schema ?? {}) as { readonly shape?: object };
      const names = Object.keys(shape);
      expect(names.length, name).toBeGreaterThan(5);
      expect(JSON.stringify(Object.fromEntries(names.map((each) => [each, 0]))).length, name).toBeLessThanOrEqual(500);
      const own = contracts.filter(({ recordType }) => recordType === record?.name);
      for (const { fieldPermissions = {} } of own)
        expect(encrypted, name).toEqual(expect.arrayContaining(Object.keys(fieldPermissions)));
    }
  });

  it.each(['createTicket', 'createService', 'createResource', 'createClient', 'createTerminal', 'createUser'])(
    'has the creation of a record (%s), and not one that is missing, deleted or of another organization',
    async (operationId) => {
      const tenant = new TestTenant(api, org);
      const scenario = await tenant.scenario(operationId);
      const { body, headers } = await tenant.send(scenario);
      const path = scenario.path.replace('/api/v1', '');
      const { data, ...others } = (await mine.get(`${path}/${body.id}/changes`)).body as { data: JsonBody[] };
      expect([others, data]).toEqual([
        {},
        [
          {
            id: expect.stringMatching(/^[\da-f-]{36}$/),
            type: `${operationId.slice('create'.length).toLowerCase()}.created`,
            occurred_at: expect.stringMatching(/Z$/),
            version: 1,
            actor_id: org.integrationId,
            request_id: headers.get('x-request-id'),
            changes: null,
          },
        ],
      ]);
      const stranger = apiDriverOf(api, (await api.orgToken()).token);
      const missing = await mine.get(`${path}/${NOWHERE}/changes`);
      const ofOthers = await stranger.get(`${path}/${body.id}/changes`);
      await mine.remove(`${path}/${body.id}`);
      const deleted = await mine.get(`${path}/${body.id}/changes`);
      const isDeleted = operations.some(
        ([, route]) => route.method === 'DELETE' && route.path === `/api/v1${path}/{id}`,
      );
      for (const response of [missing, ofOthers, ...(isDeleted ? [deleted] : [])])
        expect([response.status, response.body.type]).toEqual([404, 'urn:problem-type:custodia:not-found']);
    },
  );

  it('needs the permission to read the record, which that to write includes', async () => {
    const { id } = await mine.create('/tickets', newTicket());
    const statusWith = async (permission: string) => {
      const key = await keyMadeBy(api, callsOf(api, org.token), { permissions: [permission] });
      return (await key.ask('GET', `/api/v1/tickets/${id}/changes`)).status;
    };
    expect(await Promise.all(['tickets:read', 'tickets:write', 'events:read', 'clients:read'].map(statusWith))).toEqual(
      [200, 200, 403, 403],
    );
  });
});

describe('a history', () => {
  it('has each change by whatever way, the newest first, with its values, who and when', async () => {
    const { id } = await mine.create('/tickets', newTicket({ subject: 'Old', tags: null }));
    const path = `/tickets/${id}`;
    const { headers, body } = await mine.patch(path, {
      subject: 'New',
      status: 'closed',
      description: 'é'.repeat(101),
      tags: ['a'],
      custom_fields: { a: 1 },
    });
    await mine.post('/batch', {
      operations: [{ key: '1', operation: 'updateTicket', params: { id }, body: { status: 'open' } }],
    });
    expect((await deliver(api, org, { event_type: 'ticket.updated', data: { id, assigned_to: id } })).status).toBe(200);
    await mine.patch(path, { status: 'open' });
    const { data } = (await mine.post(`${path}/messages`, { author_type: 'agent', author_id: id, message: 'x' })).body;
    expect(data).toBeUndefined();
    const [sent, batched, changed, created, ...rest] = await changesAt(path);
    expect([sent?.changes, batched?.changes, created?.changes, rest]).toEqual([
      { assigned_to: { from: null, to: id } },
      { status: { from: 'closed', to: 'open' }, resolved_at: { from: expect.any(String), to: null } },
      null,
      [],
    ]);
    expect(changed).toMatchObject({
      ...{ type: 'ticket.updated', version: 2, actor_id: org.integrationId },
      ...{ occurred_at: body.updated_at, request_id: headers.get('x-request-id') },
    });
    const hidden = { changed: true };
    expect(changed?.changes).toEqual({
      ...{ subject: { from: 'Old', to: 'New' }, status: { from: 'open', to: 'closed' } },
      ...{ description: hidden, tags: hidden, custom_fields: hidden },
      resolved_at: { from: null, to: body.updated_at },
    });
  });

  it('says of credentials only that they changed, and nothing of what is reported every minute', async () => {
    const client = await mine.client();
    const { id } = await mine.resource({ client_id: client.id, credentials: { password: 'hunter-1' } });
    const path = `/resources/${id}`;
    await mine.patch(path, { credentials: { password: 'hunter-2' } });
    await mine.patch(path, { cpu_usage: 11 });
    await mine.patch(path, { health_status: 'down', cpu_usage: 12 });
    const values = await valuesAt(path);
    expect(values).toMatchObject([
      { health_status: { to: 'down' }, cpu_usage: { from: 11, to: 12 } },
      { credentials: { changed: true } },
      null,
    ]);
    expect(Object.keys(values[1] as object)).toEqual(['credentials']);
  });

  it('is what two at once have made of the record', async () => {
    const { id } = await mine.client({ plan: 'p0' });
    await Promise.all(Array.from({ length: 6 }, (_, index) => mine.patch(`/clients/${id}`, { plan: `p${index + 1}` })));
    const values = (await valuesAt(`/clients/${id}`)).slice(0, -1) as { plan: { from: string; to: string } }[];
    expect(values.map(({ plan }) => plan.to).toSorted()).toEqual(['p1', 'p2', 'p3', 'p4', 'p5', 'p6']);
    for (const [index, { plan }] of values.entries()) expect(plan.from).toBe(values[index + 1]?.plan.to ?? 'p0');
    const { body } = await mine.get(`/clients/${id}`);
    expect(values[0]?.plan.to).toBe(body.plan);
    expect((await changesAt(`/clients/${id}`))[0]?.version).toBe(7);
  });

  it('is sent again only where it has grown', async () => {
    const { id } = await mine.client();
    const path = `/clients/${id}/changes`;
    const tag = (await mine.get(path)).headers.get('etag') ?? '';
    const read = () => mine.get(path, { headers: { 'if-none-match': tag } });
    expect((await read()).status).toBe(304);
    await mine.patch(`/clients/${id}`, { name: 'Other' });
    expect((await read()).status).toBe(200);
  });
});

it('no value of a history is in the feed, in a delivery, in an export, or in a record', async () => {
  const receiver = await startReceiver();
  onTestFinished(receiver.close);
  const { secret } = await mine.create('/webhook-endpoints', { url: receiver.url });
  receiver.prove(String(secret));
  const { id: client_id } = await mine.client();
  const { id } = await mine.create('/terminals', { client_id, name: 'Till', location: 'sentinel-1' });
  const path = `/terminals/${id}`;
  const { next } = (await mine.get('/events?after=latest')).body;
  await mine.patch(path, { location: 'sentinel-2' });
  expect(await valuesAt(path)).toEqual([{ location: { from: 'sentinel-1', to: 'sentinel-2' } }, null]);
  await receiver.until((events) => events.some(({ type }) => type === 'terminal.updated'));
  const feed = (await mine.get(`/events?record_id=${id}`)).body;
  expect((feed.data as JsonBody[]).map(({ type }) => type)).toEqual(['terminal.created', 'terminal.updated']);
  const none = (await mine.get(`/events?record_id=${id}&types=ticket.created`)).body;
  expect(none.data).toEqual([]);
  const found = (what: unknown, words: RegExp) => JSON.stringify(what).match(words);
  expect(found([receiver.deliveries, feed, (await mine.get('/events')).body], /sentinel|CHANGES/)).toBeNull();
  // A record has its value of today.
  const exported = await linesOf(org);
  const now = [exported, (await mine.get(`/events?after=${next}&expand=record`)).body, (await mine.get(path)).body];
  expect(found(now, /sentinel-1|CHANGES|EVENTS/)).toBeNull();
  expect(found(now, /sentinel-2/)).not.toBeNull();
});
