import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { UserContext } from '#identity';
import { tenantIdOf } from '#table';
import { signInKey, userAccessKey } from '#tenancy';
import type { JsonBody } from '../support/api.ts';
import { prepared } from '../support/prepared.ts';
import { tableAt } from '../support/storage.ts';
import {
  ALL_CODES,
  type Asked,
  askAs,
  type Held,
  HIDDEN,
  type Holding,
  holding,
  operation,
  personOf,
} from '../support/two-clients.ts';
import { useApi } from '../support/use-api.ts';
import { writeItems } from '../support/write-items.ts';

/** What people of single clients may say and see, besides that other clients' records are not there for them. */

const api = useApi();
const world = prepared(async () => {
  const { orgId, token } = await api.orgToken();
  const make = (mark: string) => holding(api, token, mark);
  return { orgId, token, a: await make('zalpha'), b: await make('zbravo') };
});

/** Sends a request of somebody who may do this for each client, by default everything for A. */
const ask = (id: string, asked: Asked = {}, held: Held = { [world.a.ids.Client]: ALL_CODES }, permissions = '') =>
  askAs(personOf(world.orgId, held, { permissions }), operation(id), asked);
const both = () => ({ [world.a.ids.Client]: ALL_CODES, [world.b.ids.Client]: ALL_CODES });
const body = (field: string) => [expect.objectContaining({ in: 'body', pointer: `#/${field}` })];

const TICKET = { subject: 'Paper', description: 'None left.', source: 'web', contact_id: randomUUID() };
const ticketOf = ({ ids }: Holding) => ({ params: { id: ids.Ticket } });

describe('the client of a new record', () => {
  it.each([
    ['createTicket', TICKET],
    ['createService', { name: 'Till', type: 'saas' }],
    ['createResource', { name: 'Disk', type: 'volume' }],
    ['createTerminal', { name: 'Desk' }],
  ])('%s: the only one, or one that is named', async (id, given) => {
    const alone = await ask(id, { body: given });
    expect([alone.status, alone.body.client_id]).toEqual([201, world.a.ids.Client]);
    const of = (client_id: unknown) => ask(id, { body: { ...given, client_id } }, both());
    for (const { ids } of [world.a, world.b]) expect((await of(ids.Client)).body.client_id).toBe(ids.Client);
    expect((await of(world.b.ids.Client.toUpperCase())).status).toBe(201);
    for (const none of [undefined, null, 'x', 7, [world.a.ids.Client]]) {
      const { status, body: problem } = await of(none);
      expect([none, status, problem.errors]).toEqual([none, 422, body('client_id')]);
    }
  });

  it('of a ticket stays among those of the user', async () => {
    const params = { id: String((await ask('createTicket', { body: TICKET })).body.id) };
    const move = (client_id: unknown, held?: Held) => ask('updateTicket', { params, body: { client_id } }, held);
    for (const other of [null, world.b.ids.Client, randomUUID()]) {
      const { status, body: problem } = await move(other);
      expect([other, status, problem.errors]).toEqual([other, 422, body('client_id')]);
    }
    const moved = await move(world.b.ids.Client, both());
    expect([moved.status, moved.body.client_id]).toEqual([200, world.b.ids.Client]);
    expect((await move(world.a.ids.Client)).status).toBe(404);
  });
});

it.each([[[]], [[TICKET]], [7], ['x']])('a body is an object, and %j is none', async (given) => {
  const requests = [ask('createTicket', { body: given as never })];
  requests.push(ask('updateTicket', { ...ticketOf(world.a), body: given as never }));
  for (const { status, body: problem } of await Promise.all(requests))
    expect([status, problem.errors]).toEqual([422, [expect.objectContaining({ in: 'body', pointer: '#' })]]);
});

it('a ticket of no client is there for nobody of a client', async () => {
  const { body: created } = await api.request('POST', '/api/v1/tickets', { token: world.token, body: TICKET });
  expect((await ask('getTicket', { params: { id: String(created.id) } }, both())).status).toBe(404);
  expect((await ask('listTickets', { query: { client_id: 'null' } }, both())).body.total).toBe(0);
});

it('what is for a client to come goes to nobody who has taken its name', async () => {
  const params = { id: world.a.ids.Client };
  const external_id = `crm-${randomUUID()}`;
  for (const name of [{ external_id }, { slug: external_id }]) {
    const { status, body: problem } = await ask('updateClient', { params, body: name });
    expect([status, problem.errors]).toEqual([403, body(Object.keys(name)[0] ?? '')]);
  }
  const path = `/api/v1/clients?external_id=${external_id}`;
  const given = { name: 'Zdelta', slug: external_id };
  expect((await api.request('PUT', path, { token: world.token, body: given })).status).toBe(201);
  expect((await ask('getClient', { params })).text).not.toContain('Zdelta');
});

it.each([
  ['updateClient', 'Client', ['slug', 'external_id']],
  ['updateTicket', 'Ticket', ['external_id', 'ticket_code']],
] as const)('%s takes the record back as it was read, with its names', async (id, kind, names) => {
  const params = { id: world.a.ids[kind] };
  const { body: read } = await ask(id.replace('update', 'get'), { params });
  const sent = Object.fromEntries(names.map((name) => [name, read[name]]));
  expect(Object.values(sent)).toEqual(names.map(() => expect.any(String)));
  const { status, body: after } = await ask(id, { params, body: sent });
  expect([status, after]).toEqual([200, read]);
  for (const name of names) {
    const other = await ask(id, { params, body: { ...sent, [name]: `x${sent[name]}` } });
    // Nobody changes the code of a ticket.
    expect([other.status, other.body.errors]).toEqual([name === 'ticket_code' ? 422 : 403, body(name)]);
    const unread = await ask(id, { params: { id: world.b.ids[kind] }, body: sent });
    expect(unread.status).toBe(404);
  }
});

/** The messages of a ticket one by one, each with the cursor of its page. */
async function pagesIn(params: { readonly id: string }, sort: string) {
  const pages: { data: JsonBody[]; next: string | undefined }[] = [];
  do {
    const after = pages.at(-1)?.next;
    const query = { page_size: '1', sort, ...(after === undefined ? {} : { after }) };
    const { body: page, headers } = await ask('listTicketMessages', { params, query });
    const [, next] = /after=([\w-]+)/.exec(String(headers.Link)) ?? [];
    pages.push({ data: page.data ?? [], next });
  } while (pages.at(-1)?.next !== undefined && pages.length < 20);
  return pages;
}

describe('messages', () => {
  const say = (given: object) =>
    ask('createTicketMessage', {
      ...ticketOf(world.a),
      body: { author_type: 'customer', author_id: randomUUID(), message: 'Hello', ...given },
    });

  it.each([
    ['is_internal', true],
    ['author_type', 'agent'],
    ['author_type', 'system'],
  ])('whose %s is %j are of the organization', async (field, value) => {
    const { status, body: problem } = await say({ [field]: value });
    expect([status, problem.errors]).toEqual([403, body(field)]);
  });

  it('that are internal are on no page, and no page begins after one', async () => {
    const { params } = ticketOf(world.a);
    const path = `/api/v1/tickets/${params.id}/messages`;
    for (const is_internal of [true, false, true]) {
      const given = { author_type: 'agent', author_id: randomUUID(), message: HIDDEN, is_internal };
      await api.request('POST', path, { token: world.token, body: given });
    }
    for (const sort of ['created_at', '-created_at']) {
      const pages = await pagesIn(params, sort);
      expect(pages.length).toBe(2);
      for (const { data, next } of pages) {
        expect(data.map((message) => message.is_internal)).toEqual([false]);
        expect([data[0]?.id, undefined]).toContain(next);
      }
    }
  });

  it('of merged tickets are not asked for', async () => {
    const { status, body: problem } = await ask('listTicketMessages', {
      ...ticketOf(world.a),
      query: { merged: 'true' },
    });
    expect([status, problem.errors]).toEqual([403, [expect.objectContaining({ in: 'query', pointer: '#/merged' })]]);
  });
});

describe('credentials', () => {
  const params = () => ({ id: world.a.ids.Service });
  const whole = 'services:credentials resources:credentials';

  it('are shown to nobody of a client, whatever the permissions', async () => {
    const stored = await api.request('GET', `/api/v1/services/${world.a.ids.Service}`, { token: world.token });
    expect(stored.body.credentials).not.toBeNull();
    for (const permissions of ['', whole]) {
      const { body: read } = await ask('getService', { params: params() }, undefined, permissions);
      const { body: page } = await ask('listServices', {}, undefined, permissions);
      expect([read.credentials, page.data?.map(({ credentials }) => credentials)]).toEqual([
        null,
        page.data?.map(() => null),
      ]);
    }
  });

  it('are set by nobody of a client; null changes nothing', async () => {
    const set = (credentials: unknown) =>
      ask('updateService', { params: params(), body: { credentials } }, undefined, whole);
    const { status, body: problem } = await set({ user: 'root' });
    expect([status, problem.errors, (await set(null)).status]).toEqual([403, body('credentials'), 200]);
  });
});

/** Stores that a user is live: a batch reads it again and again. */
async function letIn({ org_id, user_id, provider_id, name }: UserContext): Promise<void> {
  const tenant = tenantIdOf(org_id);
  const access = { version: 1, epoch: 0, is_active: true, is_superadmin: false, name, grants: [] };
  await writeItems(tableAt(api.table), [
    { ...userAccessKey(tenant, user_id), ...access },
    { ...signInKey(tenant), version: 1, membership_access: true, providers: [provider_id] },
  ]);
}

describe('what somebody may do for one client', () => {
  const held = () => ({ [world.a.ids.Client]: ['tickets:write'], [world.b.ids.Client]: ['tickets:read'] });

  it('is not done for another', async () => {
    const change = (of: Holding) => ask('updateTicket', { ...ticketOf(of), body: { priority: 'low' } }, held());
    expect([(await change(world.a)).status, (await change(world.b)).status]).toEqual([200, 404]);
    const create = (of: Holding) => ask('createTicket', { body: { ...TICKET, client_id: of.ids.Client } }, held());
    expect([(await create(world.a)).status, (await create(world.b)).status]).toEqual([201, 422]);
    // The only client for whom tickets may be made.
    expect((await ask('createTicket', { body: TICKET }, held())).body.client_id).toBe(world.a.ids.Client);
    const clients = new Set((await ask('listTickets', {}, held())).body.data?.map(({ client_id }) => client_id));
    expect(clients).toEqual(new Set([world.a.ids.Client, world.b.ids.Client]));
  });

  it('is not done where something else is done for all', async () => {
    const read = await ask('getTicket', ticketOf(world.b), { [world.a.ids.Client]: ['tickets:write'] }, 'tickets:read');
    expect([read.status, read.body.custom_fields]).toEqual([200, expect.anything()]);
    const change = { ...ticketOf(world.b), body: { priority: 'low' } };
    const { status } = await ask('updateTicket', change, { [world.a.ids.Client]: ['tickets:write'] }, 'tickets:read');
    expect(status).toBe(404);
  });

  it('is not sent in a batch', async () => {
    const operations = [{ key: randomUUID(), operation: 'createTicket', body: TICKET }];
    expect((await ask('runBatch', { body: { operations } })).status).toBe(403);
    const held = { [world.a.ids.Client]: ALL_CODES };
    const user = personOf(world.orgId, held, { permissions: 'users:read' });
    await letIn(user);
    const among = await askAs(user, operation('runBatch'), { body: { operations } });
    expect([among.status, among.body.results]).toEqual([207, [expect.objectContaining({ status: 403 })]]);
  });
});

it('somebody who is moved to another client sees one of them, by what the gateway knows', async () => {
  const user = personOf(world.orgId, { [world.a.ids.Client]: ALL_CODES });
  const moved = { ...user, ...personOf(world.orgId, { [world.b.ids.Client]: ALL_CODES }), user_id: user.user_id };
  const etag = String((await askAs(user, operation('getTicket'), ticketOf(world.a))).headers.ETag);
  for (const [who, own, other] of [
    [user, world.a, world.b],
    [moved, world.b, world.a],
  ] as const) {
    const { text } = await askAs(who, operation('listTickets'), { query: { view: 'full' } });
    expect([own, other].map(({ ids }) => text.includes(ids.Ticket))).toEqual([true, false]);
    const headers = { 'If-None-Match': etag, 'If-Match': etag };
    for (const id of ['getTicket', 'updateTicket']) {
      const asked = { ...ticketOf(other), headers, ...(id === 'getTicket' ? {} : { body: {} }) };
      expect((await askAs(who, operation(id), asked)).status).toBe(404);
    }
  }
});
