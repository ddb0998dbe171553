import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonBody } from '../support/api.ts';
import { prepared } from '../support/prepared.ts';
import { type Calls, callsOf, pointsAt } from '../support/tenant-calls.ts';
import { newTicket } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';

/** What other systems call records by: unique, looked for, and upserted by. */

const api = useApi();
const org = prepared(() => api.orgToken());
const acme = prepared(() => callsOf(api, org.token));
const rival = prepared(async () => callsOf(api, (await api.orgToken()).token));
const client = prepared(() => acme.create('/api/v1/clients', { name: 'Acme' }));

async function callerWith(permissions: readonly string[]): Promise<Calls> {
  const app_code = `key-${randomUUID()}`;
  const { secret } = await acme.create('/api/v1/integrations', { app_code, display_name: 'Key', permissions });
  return callsOf(api, await api.login(app_code, String(secret)));
}

const newId = (): string => `crm:${randomUUID()}`;

/** The fields of a new record of each kind. */
const KINDS: Readonly<Record<string, () => JsonBody>> = {
  clients: () => ({ name: 'Bistro' }),
  services: () => ({ client_id: client.id, name: 'Till', type: 'saas' }),
  tickets: () => newTicket({}),
  users: () => ({ email: `${randomUUID()}@acme.example` }),
  terminals: () => ({ client_id: client.id, name: 'Front desk' }),
};

/** What each kind lets one change. */
const CHANGE: Readonly<Record<string, JsonBody>> = {
  clients: { plan: 'pro' },
  services: { version: '2' },
  tickets: { status: 'pending' },
  users: { name: 'Ana' },
  terminals: { location: 'Hall' },
};

const idsOf = async (kind: string, external_id: string, by: Calls = acme) => {
  const { data, total } = await by.read(`/api/v1/${kind}?${new URLSearchParams({ external_id })}`);
  expect(total).toBe(data.length);
  return data.map(({ id }) => id);
};

describe.each(Object.keys(KINDS))('the external id of %s', (kind) => {
  const path = `/api/v1/${kind}`;
  const fields = (more: JsonBody = {}): JsonBody => ({ ...KINDS[kind]?.(), ...more });

  it('is null, or of one record at a time', async () => {
    const id = newId();
    const without = await acme.create(path, fields());
    const made = await acme.create(path, fields({ external_id: ` ${id}\u200b` }));
    expect([without.external_id, made.external_id]).toEqual([null, id]);
    expect([await idsOf(kind, id), await idsOf(kind, `${id} `)]).toEqual([[made.id], [made.id]]);
    for (const taken of [
      await acme.ask('POST', path, fields({ external_id: id })),
      await acme.ask('PATCH', `${path}/${without.id}`, { external_id: id }),
    ])
      expect([taken.status, taken.body.type, taken.body.errors]).toEqual([
        409,
        'urn:problem-type:custodia:already-exists',
        pointsAt('external_id'),
      ]);
    expect((await acme.ask('PATCH', `${path}/${made.id}`, { external_id: null })).body.external_id).toBeNull();
    expect((await acme.ask('PATCH', `${path}/${without.id}`, { external_id: id })).status).toBe(200);
    expect(await idsOf(kind, id)).toEqual([without.id]);
  });

  const put = (id: string, body: unknown = fields(), by: Calls = acme) =>
    by.ask('PUT', `${path}?${new URLSearchParams({ external_id: id })}`, body);

  it('is what PUT creates a record with, or finds it by', async () => {
    const id = newId();
    const sent = fields();
    const first = await put(id, sent);
    expect([first.status, first.body.external_id]).toEqual([201, id]);
    const again = await put(id, sent);
    expect([again.status, again.body.id]).toEqual([200, first.body.id]);
    expect([first.headers.get('etag'), again.headers.get('etag')]).toEqual(
      Array.from({ length: 2 }, () => again.headers.get('etag')),
    );
    const changed = await put(id, { ...sent, ...CHANGE[kind] });
    expect([changed.status, changed.body]).toMatchObject([200, { id: first.body.id, ...CHANGE[kind] }]);
    expect((await put(id, { ...sent, external_id: 'other' })).body.errors).toEqual(pointsAt('external_id'));
    for (const wrong of ['', 'x'.repeat(501)]) expect((await put(wrong)).status).toBe(400);
    const missing = await acme.ask('PUT', path, sent);
    expect([missing.status, missing.body.errors?.[0]?.in]).toEqual([400, 'query']);
    expect((await put(id, sent, await callerWith([`${kind}:read`]))).status).toBe(403);
  });

  it('makes one record of several requests at once', async () => {
    const id = newId();
    const replies = await Promise.all(Array.from({ length: 3 }, () => put(id)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 201]);
    expect(await idsOf(kind, id)).toEqual([replies[0]?.body.id]);
  });

  it('is that of each organization, and of each kind', async () => {
    const id = newId();
    const made = await acme.create(path, fields({ external_id: id }));
    expect(await idsOf(kind, id, rival)).toEqual([]);
    const other = kind === 'clients' ? 'users' : 'clients';
    await acme.create(`/api/v1/${other}`, { ...KINDS[other]?.(), external_id: id });
    expect((await rival.create('/api/v1/clients', { name: 'Theirs', external_id: id })).external_id).toBe(id);
    expect(await idsOf(kind, id)).toEqual([made.id]);
  });
});

describe('a text', () => {
  const post = (external_id: unknown) => acme.ask('POST', '/api/v1/clients', { name: 'x', external_id });

  it('of 500 characters of any length in bytes is one, and none longer, empty or of another type', async () => {
    expect((await post(`${randomUUID()}${'🧾'.repeat(464)}`)).status).toBe(201);
    // A list's query has a bound of its own.
    const most = `${randomUUID()}${'🧾'.repeat(270)}`;
    const other = `${most.slice(0, -2)}🏪`;
    const made = [await post(most), await post(other)];
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    expect([await idsOf('clients', most), await idsOf('clients', other)]).toEqual(made.map(({ body }) => [body.id]));
    expect((await post(most)).status).toBe(409);
    for (const wrong of ['', ' \u200b', 'x'.repeat(501), 7, { id: 'x' }, 'x'.repeat(900_000)]) {
      const { status, body } = await post(wrong);
      expect([status, body.errors]).toEqual([422, pointsAt('external_id')]);
    }
  });

  it('is found by no word', async () => {
    const id = `nowhere${randomUUID().replaceAll('-', '')}`;
    await post(id);
    expect((await acme.read(`/api/v1/clients?q=${id}`)).data).toEqual([]);
  });
});

describe('PUT /clients', () => {
  it('takes a slug or an external id', async () => {
    const id = newId();
    const made = await acme.ask('PUT', `/api/v1/clients?external_id=${id}`, { name: 'Bistro', slug: 'by-external-id' });
    const found = await acme.ask('PUT', '/api/v1/clients?slug=by-external-id', { name: 'Bistro', external_id: id });
    expect([made.status, found.status, found.body]).toEqual([201, 200, made.body]);
    for (const query of ['', `?slug=by-external-id&external_id=${id}`]) {
      const { status, body } = await acme.ask('PUT', `/api/v1/clients${query}`, { name: 'Bistro' });
      const at = ['#/slug', '#/external_id'].map((pointer) => expect.objectContaining({ in: 'query', pointer }));
      expect([status, body.errors]).toEqual([400, at]);
    }
    const taken = await acme.ask('PUT', `/api/v1/clients?external_id=${newId()}`, {
      name: 'x',
      slug: 'by-external-id',
    });
    expect([taken.status, taken.body.errors]).toEqual([409, pointsAt('slug')]);
  });
});

describe('PUT /users', () => {
  const users = '/api/v1/users';

  it('changes an address or whether a user is active only with all permissions of its roles', async () => {
    const id = newId();
    const user = await acme.create(users, { ...KINDS.users?.(), external_id: id });
    const role = await acme.create('/api/v1/roles', { code: 'billing', label: 'Billing', permissions: ['orgs:write'] });
    await acme.create('/api/v1/users/memberships', { user_id: user.id, role_id: role.id });
    const writer = await callerWith(['users:write']);
    const put = (body: JsonBody, by = writer) => by.ask('PUT', `${users}?external_id=${id}`, body);
    const { email } = user;
    expect((await put({ email: 'thief@acme.example' })).status).toBe(403);
    expect((await put({ email, is_active: false })).status).toBe(403);
    expect((await put({ email, is_superadmin: true })).status).toBe(403);
    expect((await writer.ask('PUT', `${users}?external_id=${newId()}`, { email, is_superadmin: true })).status).toBe(
      403,
    );
    expect((await put({ email, name: 'Ana' })).status).toBe(200);
    expect((await put({ email: 'ana@acme.example' }, acme)).status).toBe(200);
  });
});
