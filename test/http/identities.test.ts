import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { configureTable, environmentTable } from '#table';
import { accessItems } from '#tenancy';
import { identityProviderEntity } from '../../functions/identity-providers/store.ts';
import { identityOf, linkByMail } from '../../functions/users/identities.ts';
import { differencesOf } from '../operator/damaged-tenant.ts';
import type { JsonBody } from '../support/api.ts';
import { GatedHandler } from '../support/gate.ts';
import { keyMadeBy } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { doIn, openTenant } from '../support/storage.ts';
import { type Calls, callsOf, newTenant, pointsAt } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** By what identity providers know users (`functions/users/identities.ts`), and how users leave. */

const gate = new GatedHandler();
const api = useApi();
beforeAll(() => configureTable({ ...localConnection(), requestHandler: gate }));
const org = prepared(() => newTenant(api));
const platform = prepared(async () => callsOf(api, await api.platformToken()));
const USERS = '/api/v1/users';

const newUser = async (fields: JsonBody = {}) =>
  (await org.create(USERS, { email: `${randomUUID()}@acme.example`, ...fields })).id;
const newProvider = async (fields: JsonBody = {}, by: Calls = org) =>
  (
    await by.create('/api/v1/identity-providers', {
      ...{ name: 'x', issuer: `https://id.example/${randomUUID()}`, audiences: ['custodia'] },
      ...{ email_domains: ['acme.example'], ...fields },
    })
  ).id;
const link = (user: string, provider_id: string, subject: string = randomUUID(), by: Calls = org) =>
  by.ask('POST', `${USERS}/${user}/identities`, { provider_id, subject });
const identitiesOf = async (user: string) => (await org.read(`${USERS}/${user}/identities`)).data;
const tenant = () => openTenant(environmentTable(), org.orgId);
const epochOf = async (user: string) => (await accessItems.ofUser(tenant(), user))?.epoch;
let provider: string;
beforeAll(async () => {
  provider = await newProvider();
});

/** A key with what changes users, without the permissions of their roles. */
const weakKey = () => keyMadeBy(api, org, { permissions: ['users:write'] });
async function member(fields: JsonBody = {}) {
  const user = await newUser(fields);
  const role = await org.create('/api/v1/roles', { code: randomUUID(), label: 'x', permissions: ['tickets:write'] });
  await org.create(`${USERS}/memberships`, { user_id: user, role_id: role.id });
  return user;
}

describe('an identity', () => {
  it('is of one user, by provider and subject exactly', async () => {
    const [user, other, subject] = [await newUser(), await newUser(), randomUUID()];
    const { status, body } = await link(user, provider, subject);
    const made = { user_id: user, provider_id: provider, subject, linked_by: 'administrator' };
    expect([status, body]).toMatchObject([201, made]);
    expect(await identitiesOf(user)).toEqual([body]);
    const taken = await link(other, provider, subject);
    expect([taken.status, taken.body.errors]).toEqual([409, pointsAt('subject')]);
    expect((await link(other, provider, subject.toUpperCase())).status).toBe(201);
    expect((await link(other, await newProvider(), subject)).status).toBe(201);
    expect(await identityOf(tenant(), provider, subject)).toMatchObject(made);
    expect(await identityOf(tenant(), provider, `${subject}x`)).toBeUndefined();
    expect(await identityOf(tenant(), randomUUID(), subject)).toBeUndefined();
  });

  it('is of a provider that the organization has', async () => {
    const foreign = await newProvider({}, await newTenant(api));
    for (const id of [foreign, randomUUID()]) {
      const { status, body } = await link(await newUser(), id);
      expect([status, body.errors]).toEqual([422, pointsAt('provider_id')]);
    }
  });

  it('is unlinked with the tokens of its user, and not by way of another user', async () => {
    const [user, other] = [await newUser(), await newUser()];
    const { body } = await link(user, provider);
    expect((await org.ask('DELETE', `${USERS}/${other}/identities/${body.id}`)).status).toBe(404);
    expect((await org.ask('DELETE', `${USERS}/${user}/identities/${body.id}`)).status).toBe(204);
    expect([await identitiesOf(user), await epochOf(user)]).toEqual([[], 1]);
    expect((await link(other, provider, String(body.subject))).status).toBe(201);
  });

  it('is one of ten at most, however many are linked at once, which all go with the user', async () => {
    const user = await newUser();
    // Of as many providers: a deletion has the most writes then.
    for (let count = 0; count < 8; count++) expect((await link(user, await newProvider())).status).toBe(201);
    const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await link(user, provider)).status));
    expect(statuses.toSorted()).toEqual([201, 201, 409, 409]);
    const [{ subject, provider_id } = {}] = await identitiesOf(user);
    expect((await org.ask('DELETE', `${USERS}/${user}`)).status).toBe(204);
    expect(await identityOf(tenant(), String(provider_id), String(subject))).toBeUndefined();
    expect(await differencesOf(org.orgId)).toEqual([]);
  });

  it('is not linked to a user that is deleted meanwhile', async () => {
    const [user, subject] = [await newUser(), randomUUID()];
    const arrived = gate.hold('TransactWriteItems');
    const linking = link(user, provider, subject);
    const release = await arrived;
    expect((await org.ask('DELETE', `${USERS}/${user}`)).status).toBe(204);
    release();
    expect((await linking).status).toBe(404);
    expect(await identityOf(tenant(), provider, subject)).toBeUndefined();
  });

  it('keeps its provider from being deleted', async () => {
    const used = await newProvider();
    const user = await newUser();
    const { body } = await link(user, used);
    const path = `/api/v1/identity-providers/${used}`;
    expect((await org.ask('DELETE', path)).status).toBe(409);
    await org.ask('DELETE', `${USERS}/${user}/identities/${body.id}`);
    expect((await org.ask('DELETE', path)).status).toBe(204);
  });
});

describe('who links, unlinks or ends tokens', () => {
  it('has all that the user may do, and is the platform for superadmins', async () => {
    const [user, weak] = [await member(), await weakKey()];
    const { body } = await link(user, provider);
    const requests = [
      ['POST', `${USERS}/${user}/identities`, { provider_id: provider, subject: 'mine' }],
      ['DELETE', `${USERS}/${user}/identities/${body.id}`, undefined],
      ['POST', `${USERS}/${user}/revoke-tokens`, undefined],
      ['POST', `${USERS}/${user}/offboard`, undefined],
    ] as const;
    for (const [method, path, sent] of requests) expect((await weak.ask(method, path, sent)).status).toBe(403);
    const superadmin = await platform.create(`${USERS}?org_id=${org.orgId}`, {
      ...{ email: `${randomUUID()}@acme.example`, is_superadmin: true },
    });
    expect((await link(superadmin.id, provider)).status).toBe(403);
    const path = `${USERS}/${superadmin.id}/identities?org_id=${org.orgId}`;
    expect((await platform.ask('POST', path, { provider_id: provider, subject: randomUUID() })).status).toBe(201);
  });

  it('is not cut off meanwhile', async () => {
    const [user, other] = [await newUser(), await keyMadeBy(api, org)];
    const arrived = gate.hold('TransactWriteItems');
    const linking = link(user, provider, randomUUID(), other);
    const release = await arrived;
    await org.ask('PATCH', other.path, { status: 'inactive' });
    release();
    expect((await linking).status).toBe(401);
    expect(await identitiesOf(user)).toEqual([]);
  });
});

describe('a user whose identity a weaker key has linked', () => {
  const isRefused = ({ status, body }: Awaited<ReturnType<Calls['ask']>>, identity: JsonBody) => {
    expect([status, body.detail]).toEqual([409, expect.stringContaining(String(identity.id))]);
  };
  const rolesWith = async (permissions: readonly string[]) =>
    (await org.create('/api/v1/roles', { code: randomUUID(), label: 'x', permissions })).id;

  it('gets no more than that key has, until the identity is unlinked', async () => {
    const [user, weak] = [await newUser(), await keyMadeBy(api, org, { permissions: ['users:write', 'tickets:read'] })];
    const [role_id, reading] = [await rolesWith(['tickets:write']), await rolesWith(['tickets:read', 'users:read'])];
    const { body: identity } = await link(user, provider, randomUUID(), weak);
    expect(identity.known_with).toEqual(['tickets:read', 'users:write']);
    const give = (fields: JsonBody) => org.ask('POST', `${USERS}/memberships`, { user_id: user, ...fields });
    isRefused(await give({ role_id }), identity);
    const memberships = await Promise.all([
      give({ role_id, status: 'inactive' }),
      give({}),
      give({ role_id: reading }),
      give({ role_id: reading }),
    ]);
    expect(memberships.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const [inactive, without, widened, deleted] = memberships.map(({ body }) => `/api/v1/memberships/${body.id}`);
    const widenings: readonly [path: unknown, change: JsonBody][] = [
      [inactive, { status: 'active' }],
      [without, { role_id }],
      [widened, { role_id }],
    ];
    for (const [path, change] of widenings) isRefused(await org.ask('PATCH', String(path), change), identity);
    expect((await org.ask('PATCH', String(widened), { metadata: { desk: 'B7' } })).status).toBe(200);
    expect((await org.ask('DELETE', String(deleted))).status).toBe(204);
    await org.ask('DELETE', `${USERS}/${user}/identities/${identity.id}`);
    await link(user, provider);
    for (const [path, change] of widenings) expect((await org.ask('PATCH', String(path), change)).status).toBe(200);
  });

  it('does not become a superadmin, and nobody with less links one of a superadmin', async () => {
    const [user, weak] = [await newUser(), await weakKey()];
    const { body: identity } = await link(user, provider, randomUUID(), weak);
    const path = `${USERS}/${user}?org_id=${org.orgId}`;
    isRefused(await platform.ask('PATCH', path, { is_superadmin: true }), identity);
    await org.ask('DELETE', `${USERS}/${user}/identities/${identity.id}`);
    expect((await platform.ask('PATCH', path, { is_superadmin: true })).status).toBe(200);
    const weakPlatform = await keyMadeBy(api, platform, { permissions: ['users:write'], org_id: null });
    const identities = `${USERS}/${user}/identities?org_id=${org.orgId}`;
    const linked = await weakPlatform.ask('POST', identities, { provider_id: provider, subject: randomUUID() });
    expect(linked.status).toBe(403);
  });

  it('is not linked by a weaker key while it gets more', async () => {
    const [user, weak, role_id] = [await newUser(), await weakKey(), await rolesWith(['tickets:write'])];
    const arrived = gate.hold('TransactWriteItems');
    const giving = org.ask('POST', `${USERS}/memberships`, { user_id: user, role_id });
    const release = await arrived;
    const { body: identity } = await link(user, provider, randomUUID(), weak);
    release();
    isRefused(await giving, identity);
  });
});

describe('linking by mail', () => {
  const linked = async (email: string, id = provider, subject = randomUUID()) =>
    doIn(tenant(), async (opened) => {
      opened.session.audit.actAs({ type: 'service', name: 'sign-in' } as never, 'signIn');
      const found = await opened.records(identityProviderEntity).get(id);
      return found && linkByMail(opened, found, { subject, email });
    });

  it('finds the active user who is no superadmin, in whatever case the address is', async () => {
    const email = `Ines.${randomUUID()}@Acme.Example`;
    const user = await newUser({ email });
    const found = await linked(email.toUpperCase());
    expect(found).toMatchObject({ user: { id: user }, identity: { linked_by: 'mail' } });
    expect(await identitiesOf(user)).toEqual([found?.identity]);
  });

  it('counts for nothing more that the user gets once it has another address', async () => {
    const email = `${randomUUID()}@acme.example`;
    const user = await member({ email });
    await linked(email);
    const give = async () => {
      const role = await org.create('/api/v1/roles', { code: randomUUID(), label: 'x', permissions: ['logs:read'] });
      return org.ask('POST', `${USERS}/memberships`, { user_id: user, role_id: role.id });
    };
    const { status, body } = await give();
    expect(status).toBe(201);
    await org.ask('PATCH', `${USERS}/${user}`, { email: `${randomUUID()}@acme.example` });
    expect((await give()).status).toBe(409);
    const cutOff = await org.ask('PATCH', `/api/v1/memberships/${body.id}`, { status: 'inactive' });
    expect(cutOff.status).toBe(200);
    await org.ask('PATCH', `${USERS}/${user}`, { email: email.toUpperCase() });
    expect((await give()).status).toBe(201);
  });

  it('finds nobody who is inactive or unknown, at a domain that is not listed, or is a superadmin', async () => {
    const of = (domain: string) => `${randomUUID()}@${domain}`;
    const [inactive, elsewhere, powerful] = [of('acme.example'), of('evil.acme.example'), of('acme.example')];
    await newUser({ email: inactive, is_active: false });
    await newUser({ email: elsewhere });
    await platform.create(`${USERS}?org_id=${org.orgId}`, { email: powerful, is_superadmin: true });
    for (const email of [inactive, elsewhere, powerful, of('acme.example'), 'acme.example', ''])
      expect(await linked(email)).toBeUndefined();
  });

  it('does nothing for a user whose address changes, or for a provider that is inactive, meanwhile', async () => {
    const email = `${randomUUID()}@acme.example`;
    // Its access item has the name, and stays as it is when the address changes.
    const user = await newUser({ email, name: 'Inês' });
    const used = await newProvider();
    for (const change of [
      () => org.ask('PATCH', `${USERS}/${user}`, { email: `${randomUUID()}@acme.example` }),
      () => org.ask('PATCH', `/api/v1/identity-providers/${used}`, { email_domains: [] }),
    ]) {
      await org.ask('PATCH', `${USERS}/${user}`, { email });
      const arrived = gate.hold('TransactWriteItems');
      const linking = linked(email, used);
      const release = await arrived;
      expect((await change()).status).toBe(200);
      release();
      expect(await linking).toBeUndefined();
    }
    expect(await identitiesOf(user)).toEqual([]);
  });
});

describe('what a user may do', () => {
  it('is shown before it holds, for the organization and by client', async () => {
    const user = await member();
    const client_id = (await org.create('/api/v1/clients', { name: 'x', slug: randomUUID() })).id;
    const role = await org.create('/api/v1/roles', { code: randomUUID(), label: 'x', permissions: ['clients:read'] });
    await org.create(`${USERS}/memberships`, { user_id: user, role_id: role.id, client_id });
    expect(await org.read(`${USERS}/${user}/access`)).toMatchObject({
      ...{ user_id: user, is_active: true, membership_access: false, permissions: ['tickets:write'] },
      grants: [{ client_id: null }, { client_id, role_id: role.id, permissions: ['clients:read'] }],
      clients: [{ client_id, permissions: ['clients:read'] }],
    });
    const reader = await keyMadeBy(api, org, { permissions: ['users:read'] });
    expect((await reader.ask('GET', `${USERS}/${user}/access`)).status).toBe(403);
  });

  it('ends with its tokens, which count', async () => {
    const user = await member();
    expect((await org.ask('POST', `${USERS}/${user}/revoke-tokens`)).status).toBe(200);
    expect(await epochOf(user)).toBe(1);
    const [event] = (await org.read('/api/v1/audit-events')).data;
    expect(event).toMatchObject({ record_type: 'User', record_id: user, changed_fields: ['tokens'] });
  });
});

describe('a user who leaves', () => {
  const leave = async (user: string) => (await org.ask('POST', `${USERS}/${user}/offboard`)).body;
  const ticketOf = (user: string) => ({
    ...{ subject: 's', description: 'd', source: 'email', contact_id: randomUUID(), assigned_to: user },
  });
  const openTickets = async (user: string, count: number) => {
    for (let left = count; left > 0; left -= 100) {
      const operations = Array.from({ length: Math.min(left, 100) }, () => ({
        ...{ key: randomUUID(), operation: 'createTicket', body: ticketOf(user) },
      }));
      const { body } = await org.ask('POST', '/api/v1/batch', { operations });
      expect(body.counts).toEqual({ 201: operations.length });
    }
  };
  const assignedTo = async (user: string) =>
    (await org.read(`/api/v1/tickets?assigned_to=${user}&page_size=100`)).data.map(({ id }) => id);

  it('has left with one request, with 20 memberships, all identities and 50 open tickets', async () => {
    const user = await member();
    for (let count = 1; count < 20; count++) await org.create(`${USERS}/memberships`, { user_id: user });
    for (let count = 0; count < 10; count++) await link(user, provider);
    await openTickets(user, 50);
    const closed = await org.create('/api/v1/tickets', { ...ticketOf(user), status: 'closed' });
    const all = { ended_memberships: 20, removed_identities: 10, unassigned_tickets: 50 };
    expect(await leave(user)).toEqual({ user_id: user, ...all, done: true });
    expect(await accessItems.ofUser(tenant(), user)).toMatchObject({ is_active: false, epoch: 1, grants: [] });
    expect([await assignedTo(user), await identitiesOf(user)]).toEqual([[closed.id], []]);
    const { data: memberships } = await org.read(`${USERS}/${user}/memberships`);
    expect(new Set(memberships.map(({ status }) => status))).toEqual(new Set(['inactive']));
    const none = { ended_memberships: 0, removed_identities: 0, unassigned_tickets: 0 };
    expect(await leave(user)).toEqual({ user_id: user, ...none, done: true });
    expect(await differencesOf(org.orgId)).toEqual([]);
  });

  it('is cut off by the first request, and has left after some, with very many tickets', async () => {
    const user = await member();
    await openTickets(user, 150);
    const first = await leave(user);
    expect(first).toMatchObject({ ended_memberships: 1, unassigned_tickets: 139, done: false });
    expect(await accessItems.ofUser(tenant(), user)).toMatchObject({ is_active: false, epoch: 1, grants: [] });
    expect(await leave(user)).toMatchObject({ ended_memberships: 0, unassigned_tickets: 11, done: true });
    expect(await assignedTo(user)).toEqual([]);
  });

  /** Lets it leave, and does something while its transaction of this number is under way. */
  async function leaveWhile(user: string, transaction: number, change: () => Promise<unknown>) {
    const arrivals = [gate.hold('TransactWriteItems')];
    const leaving = leave(user);
    for (let count = 1; count < transaction; count++) {
      const release = await arrivals.at(-1);
      arrivals.push(gate.hold('TransactWriteItems'));
      release?.();
    }
    const release = await arrivals.at(-1);
    await change();
    release?.();
    return leaving;
  }

  it.each([1, 2])('keeps what somebody changes meanwhile, in transaction %s', async (transaction) => {
    const [user, other] = [await member(), await newUser()];
    // The oldest go first.
    if (transaction > 1) await openTickets(user, 20);
    const { id } = await org.create('/api/v1/tickets', ticketOf(user));
    if (transaction === 1) await openTickets(user, 20);
    const assign = () => org.ask('PATCH', `/api/v1/tickets/${id}`, { assigned_to: other });
    expect(await leaveWhile(user, transaction, assign)).toMatchObject({ unassigned_tickets: 20, done: true });
    expect([await assignedTo(user), await assignedTo(other)]).toEqual([[], [id]]);
  });

  it('is not cut off again where somebody lets it back in meanwhile', async () => {
    const user = await member();
    await openTickets(user, 40);
    const back = () => org.ask('PATCH', `${USERS}/${user}`, { is_active: true });
    const left = await leaveWhile(user, 2, back);
    expect(left).toMatchObject({ unassigned_tickets: 13, done: false });
    expect((await org.read(`${USERS}/${user}`)).is_active).toBe(true);
    expect(await leave(user)).toMatchObject({ unassigned_tickets: 27, done: true });
  });

  it('has left, once, with a request that is sent again while the first one hangs half-way', async () => {
    const user = await member();
    await openTickets(user, 30);
    let again: JsonBody = {};
    const first = await leaveWhile(user, 2, async () => {
      again = await leave(user);
    });
    expect([first, again]).toMatchObject([
      { ended_memberships: 1, unassigned_tickets: 13, done: true },
      { ended_memberships: 0, unassigned_tickets: 17, done: true },
    ]);
    expect(await accessItems.ofUser(tenant(), user)).toMatchObject({ is_active: false, epoch: 1, grants: [] });
    expect([await assignedTo(user), await differencesOf(org.orgId)]).toEqual([[], []]);
  });

  it('is not let go further by a key that is cut off meanwhile, which gets what is done', async () => {
    const [user, other] = [await member(), await keyMadeBy(api, org)];
    await openTickets(user, 20);
    const arrived = gate.hold('TransactWriteItems');
    const leaving = other.ask('POST', `${USERS}/${user}/offboard`);
    const [release, next] = [await arrived, gate.hold('TransactWriteItems')];
    release();
    const releaseNext = await next;
    await org.ask('PATCH', other.path, { status: 'inactive' });
    releaseNext();
    expect(await leaving).toMatchObject({ status: 200, body: { unassigned_tickets: 13, done: false } });
    expect((await accessItems.ofUser(tenant(), user))?.is_active).toBe(false);
  });
});
