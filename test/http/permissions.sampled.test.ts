import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { codesThatAllow } from '#identity';
import { contracts } from '../../functions/all-contracts.ts';
import type { JsonBody } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { sampled } from '../support/extent.ts';
import { prepared } from '../support/prepared.ts';
import { operations, PLATFORM_ONLY, TestTenant } from '../support/scenario.ts';
import { type Calls, callsOf, pointsAt } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';
import { challengeOf } from '../support/verified.ts';

const INTEGRATIONS = '/api/v1/integrations';
const ROLES = '/api/v1/roles';

// The authorizer's responses are not cached, so that a change of permissions takes effect at once.
const api = useApi({ authorizerTtlSeconds: 0 });

const org = prepared(() => api.orgToken());
const testTenant = prepared(() => new TestTenant(api, org));
const full = prepared(() => callsOf(api, org.token));
const platform = prepared(async () => callsOf(api, await api.platformToken()));
let codes: string[];
beforeAll(async () => {
  const { data } = await full.read('/api/v1/permissions?page_size=200');
  codes = data.map(({ code }) => String(code));
});

type Permissions = readonly string[] | null;

const register = (by: Calls, permissions?: unknown, more: JsonBody = {}) =>
  by.ask('POST', INTEGRATIONS, {
    app_code: `app-${randomUUID()}`,
    display_name: 'Restricted',
    ...(permissions === undefined ? {} : { permissions }),
    ...more,
  });

interface Restricted extends Calls {
  readonly id: string;
  readonly appCode: string;
  readonly secret: string;
}

/** An integration of the organization with these permissions, logged in. */
async function restricted(permissions: Permissions, by = full, more: JsonBody = {}): Promise<Restricted> {
  const { body } = await register(by, permissions, more);
  const [appCode, secret] = [String(body.app_code), String(body.secret)];
  return { ...callsOf(api, await api.login(appCode, secret)), id: String(body.id), appCode, secret };
}

const bearerOperations = operations.flatMap(([id, { permission }]) => (permission ? [[id, permission] as const] : []));

const ofTenants = bearerOperations.filter(([id]) => !PLATFORM_ONLY.has(id));

/** Reading operations with a corresponding write permission. */
const readable = bearerOperations.flatMap(([id, permission]) => {
  const write = permission.replace(/:read$/, ':write');
  const isWritten = write !== permission && bearerOperations.some(([, each]) => each === write);
  return isWritten && !PLATFORM_ONLY.has(id) ? [[id, permission, write] as const] : [];
});

describe('an operation', () => {
  const made = new Map<string, Promise<Restricted>>();
  /** An integration with these permissions, made once. */
  const having = (permissions: readonly string[]): Promise<Restricted> => {
    const key = permissions.join();
    const found = made.get(key) ?? restricted(permissions);
    made.set(key, found);
    return found;
  };
  const without = (code: string) => having(codes.filter((each) => !codesThatAllow(code).includes(each)));
  const only = (code: string) => having([code]);

  it.each(sampled(bearerOperations, 4))('%s is refused without %s, by name', async (operationId, permission) => {
    const scenario = await testTenant.scenario(operationId);
    const { token } = await without(permission);
    const { status, body } = await testTenant.send({ ...scenario, token });
    expect([status, body.detail]).toEqual([403, `This needs the permission ${permission}.`]);
  });

  it.each(sampled(ofTenants, 4))('%s needs %s and no other', async (operationId, permission) => {
    const scenario = await testTenant.scenario(operationId);
    const path = scenario.route.method === 'GET' ? scenario.path : await towardsTheWeak(scenario.path);
    const changed: Readonly<Record<string, () => JsonBody | Promise<JsonBody>>> = {
      // Other tests cover what a restricted caller may give.
      createIntegration: () => ({ permissions: [] }),
      verifyWebhookEndpoint: async () => ({ code: await challengeOf(org.orgId, path.split('/').at(-2) ?? '') }),
    };
    const body = scenario.body && { ...scenario.body, ...(await changed[operationId]?.()) };
    const { token } = await only(permission);
    const { status } = await testTenant.send({ ...scenario, body, path, token });
    expect(status).toBe(scenario.route.response.status);
  });

  it.each(sampled(readable, 4))('%s, which needs %s, is open to who has %s', async (operationId, _, write) => {
    const scenario = await testTenant.scenario(operationId);
    const { token } = await only(write);
    const { status } = await testTenant.send({ ...scenario, token });
    expect(status).toBe(scenario.route.response.status);
  });

  it.each([...PLATFORM_ONLY])('%s stays the platform’s, whatever an organization permits', async (operationId) => {
    const { status } = await testTenant.send({ ...(await testTenant.scenario(operationId)), token: org.token });
    expect(status).toBe(403);
  });

  /** Only callers with all permissions of an integration may change it and its endpoints; other records in the path stay. */
  const towardsTheWeak = async (path: string): Promise<string> => {
    const [, list, rest] = /^(\/api\/v1\/(?:integrations|webhook-endpoints))\/[^/]+(.*)$/.exec(path) ?? [];
    if (list === undefined) return path;
    if (list === INTEGRATIONS) return `${list}/${(await register(full, [])).body.id}${rest}`;
    const weak = await only('webhook-endpoints:write');
    return `${list}/${(await weak.create(list, { url: 'https://receiver.example' })).id}${rest}`;
  };
});

describe('the list of permissions', () => {
  it('has all that the routes name, in order, with ids that never change', async () => {
    const { data, total } = await full.read('/api/v1/permissions?page_size=200');
    const named = contracts.flatMap(({ routes }) =>
      Object.values(routes).flatMap(({ permission }) => permission ?? []),
    );
    const ofFields = ['resources:credentials', 'services:credentials'];
    expect(data.map(({ code }) => code)).toEqual([...new Set([...named, ...ofFields])].sort());
    expect(total).toBe(data.length);
    expect(data).toContainEqual({
      id: '36f80d5e-1441-56cb-b5f9-b1b7964d034f',
      code: 'clients:read',
      description: 'Read clients',
    });
    expect(new Set(data.map(({ id }) => id)).size).toBe(total);
    expect(new Set(data.map(({ description }) => description)).size).toBe(total);
  });

  it('says that writing includes reading', async () => {
    const { data } = await full.read('/api/v1/permissions?page_size=200');
    expect(data).toContainEqual(
      expect.objectContaining({ code: 'clients:write', description: 'Read, create, change and delete clients' }),
    );
  });
});

describe('a permission to write', () => {
  it('may be given as one to read, by hand and in a rotation of what has it', async () => {
    const caller = await restricted(['integrations:write', 'clients:write']);
    const { status, body } = await register(caller, ['clients:read', 'integrations:read']);
    expect(status).toBe(201);
    const path = `${INTEGRATIONS}/${body.id}`;
    expect((await caller.ask('POST', `${path}/rotate-secret`, {})).status).toBe(201);
    expect((await caller.ask('PATCH', path, { permissions: ['clients:write'] })).status).toBe(200);
    expect((await caller.ask('PATCH', path, { permissions: ['services:read'] })).status).toBe(403);
  });

  it('is not one to read credentials, nor of another area, and one to read is not one to write', async () => {
    const writer = await restricted(['services:write', 'integrations:write']);
    const fields = { client_id: await testTenant.reference('Client'), name: 'Till', type: 'saas' };
    const { id } = await full.create('/api/v1/services', { ...fields, credentials: { password: 'secret' } });
    expect((await writer.read(`/api/v1/services/${id}`)).credentials).toBeNull();
    expect((await register(writer, ['services:credentials'])).status).toBe(403);
    expect((await writer.ask('GET', '/api/v1/service-actions')).status).toBe(403);
    const reader = await restricted(['clients:read']);
    expect((await reader.ask('POST', '/api/v1/clients', { name: 'Acme' })).status).toBe(403);
  });

  it('shows the data of webhook events about such records', async () => {
    const eventId = randomUUID();
    await deliver(api, org, { event_type: 'client.created', data: { name: 'Acme', slug: eventId } });
    const { data } = await full.read('/api/v1/webhook-events?event_type=client.created');
    const seenBy = async (permissions: Permissions) =>
      (await (await restricted(permissions)).read(`/api/v1/webhook-events/${data[0]?.id}`)).data;
    expect(await seenBy(['webhooks:read', 'clients:write'])).toMatchObject({ slug: eventId });
    expect(await seenBy(['webhooks:read', 'services:write'])).toBeNull();
  });
});

describe('the permissions of an integration', () => {
  it('are stored, shown, changed, and hold for its tokens', async () => {
    const reader = await restricted(['clients:read', 'integrations:read']);
    expect(await reader.read(`${INTEGRATIONS}/${reader.id}`)).toMatchObject({
      permissions: ['clients:read', 'integrations:read'],
    });
    expect((await reader.ask('GET', '/api/v1/tickets')).status).toBe(403);
    const change = (permissions: Permissions) => full.ask('PATCH', `${INTEGRATIONS}/${reader.id}`, { permissions });
    expect((await change(['tickets:read'])).body.permissions).toEqual(['tickets:read']);
    expect((await reader.ask('GET', '/api/v1/tickets')).status).toBe(200);
    expect((await reader.ask('GET', '/api/v1/clients')).status).toBe(403);
    expect((await change([])).status).toBe(200);
    expect((await reader.ask('GET', '/api/v1/tickets')).status).toBe(403);
    expect((await change(null)).body.permissions).toBeNull();
    expect((await reader.ask('GET', '/api/v1/clients')).status).toBe(200);
  });

  it('are codes that there are, each once, of integrations and of roles', async () => {
    const { body: integration } = await register(full, []);
    for (const [permissions, pointers] of [
      [['clients:read', 'clients:read'], ['#/permissions/1']],
      [['clients:read', 'clients:fly'], ['#/permissions/1']],
      [['*'], ['#/permissions/0']],
      [[7], ['#/permissions/0']],
      ['*', ['#/permissions']],
      [Array.from({ length: 101 }, (_, index) => `a${'b'.repeat(index)}:read`.slice(0, 80)), ['#/permissions']],
    ]) {
      for (const response of [
        await register(full, permissions),
        await full.ask('PATCH', `${INTEGRATIONS}/${integration.id}`, { permissions }),
        await full.ask('POST', ROLES, { code: randomUUID(), label: 'x', permissions }),
      ]) {
        const found = response.body.errors?.map(({ pointer }) => pointer).slice(0, pointers?.length);
        expect([response.status, found]).toEqual([422, pointers]);
      }
    }
  });
});

describe('a caller with some permissions', () => {
  const OWN = ['integrations:read', 'integrations:write', 'clients:read'];

  it('gives what it has, and nothing else, by name', async () => {
    const caller = await restricted(OWN);
    expect((await register(caller, ['clients:read'])).status).toBe(201);
    const { status, body } = await register(caller, ['clients:read', 'users:read', 'tickets:write']);
    expect([status, body.detail]).toEqual([
      403,
      'The caller may not give what it does not have: users:read, tickets:write.',
    ]);
    expect(body.errors?.map(({ pointer }) => pointer)).toEqual(['#/permissions/1', '#/permissions/2']);
  });

  it('does not give all, named or by leaving them out', async () => {
    const caller = await restricted(codes);
    for (const permissions of [null, undefined]) {
      const { status, body } = await register(caller, permissions);
      expect([status, body.errors]).toEqual([403, pointsAt('permissions')]);
    }
  });

  it('does not widen itself or another, in a change', async () => {
    const caller = await restricted(OWN);
    const { body: other } = await register(caller, []);
    for (const id of [caller.id, other.id]) {
      for (const permissions of [null, [...OWN, 'users:read']]) {
        const { status } = await caller.ask('PATCH', `${INTEGRATIONS}/${id}`, { permissions });
        expect(status).toBe(403);
      }
    }
    expect(await caller.read(`${INTEGRATIONS}/${caller.id}`)).toMatchObject({ permissions: OWN });
    expect((await caller.ask('PATCH', `${INTEGRATIONS}/${other.id}`, { permissions: ['clients:read'] })).status).toBe(
      200,
    );
  });

  it.each([
    ['name', { display_name: 'Mine now' }],
    ['status', { status: 'inactive' }],
    ['permissions', { permissions: [] }],
  ])('does not change the %s of an integration that has more than itself', async (_, change) => {
    const caller = await restricted(OWN);
    for (const permissions of [null, [...OWN, 'users:read']]) {
      const { body: stronger } = await register(full, permissions);
      const { status, body } = await caller.ask('PATCH', `${INTEGRATIONS}/${stronger.id}`, change);
      const lacking = permissions === null ? 'all permissions' : 'users:read';
      expect([status, body.detail]).toEqual([
        403,
        `The integration has permissions that the caller does not have: ${lacking}.`,
      ]);
    }
  });

  it('does not wake up an integration that has more than itself', async () => {
    const caller = await restricted(OWN);
    const { body: sleeping } = await register(full, null, { status: 'inactive' });
    expect((await caller.ask('PATCH', `${INTEGRATIONS}/${sleeping.id}`, { status: 'active' })).status).toBe(403);
    const login = { app_code: sleeping.app_code, secret: sleeping.secret };
    expect((await api.request('POST', '/api/v1/auth/login', { body: login })).status).toBe(401);
  });

  it('does not take over an integration that has more than itself by giving it a secret', async () => {
    const caller = await restricted(OWN);
    const rotate = (id: unknown) => caller.ask('POST', `${INTEGRATIONS}/${id}/rotate-secret`, {});
    const { body: stronger } = await register(full, [...OWN, 'users:read']);
    const { body: weaker } = await register(full, ['clients:read']);
    expect([(await rotate(stronger.id)).status, (await rotate(weaker.id)).status]).toEqual([403, 201]);
  });

  it('may send back an integration that has more, as it was read', async () => {
    const caller = await restricted(OWN);
    const seen = await caller.read(`${INTEGRATIONS}/${org.integrationId}`);
    expect((await caller.ask('PATCH', `${INTEGRATIONS}/${org.integrationId}`, seen)).status).toBe(200);
  });

  it('has no more by webhook than by token', async () => {
    const caller = await restricted(['clients:read']);
    const send = (event_type: string, data: JsonBody) => deliver(api, caller, { event_type, data });
    const { status, body } = await send('client.created', { name: 'Acme' });
    expect([status, body.detail]).toEqual([403, 'This event needs the permission clients:write.']);
    expect((await send('partner.greeted', {})).status).toBe(200);
  });

  it('is as restricted in every organization, where it is the platform’s', async () => {
    const clerk = await restricted(['clients:read', 'integrations:write'], platform, { org_id: null });
    expect((await clerk.ask('GET', `/api/v1/clients?org_id=${org.orgId}`)).status).toBe(200);
    expect((await clerk.ask('GET', `/api/v1/tickets?org_id=${org.orgId}`)).status).toBe(403);
    expect((await clerk.ask('GET', '/api/v1/orgs')).status).toBe(403);
    expect((await register(clerk, null, { org_id: org.orgId })).status).toBe(403);
    expect((await register(clerk, ['clients:read'], { org_id: org.orgId })).status).toBe(201);
    const waking = await clerk.ask('PATCH', `${INTEGRATIONS}/${org.integrationId}?org_id=${org.orgId}`, {
      display_name: 'x',
    });
    expect(waking.status).toBe(403);
  });
});

describe('only platform callers', () => {
  it('make system roles', async () => {
    const role = () => ({ org_id: org.orgId, code: randomUUID(), label: 'x', is_system: true });
    const refused = await full.ask('POST', ROLES, role());
    expect([refused.status, refused.body.errors]).toEqual([403, pointsAt('is_system')]);
    expect((await full.ask('POST', ROLES, { ...role(), is_system: false })).body.is_system).toBe(false);
    expect((await platform.create(ROLES, role())).is_system).toBe(true);
    const event = { event_type: 'role.created', data: { code: randomUUID(), label: 'x', is_system: true } };
    expect((await deliver(api, org, event)).status).toBe(403);
  });
});

describe('the permissions of a role', () => {
  it('are stored and shown, and permit nothing by themselves', async () => {
    const role = await full.create(ROLES, { code: randomUUID(), label: 'x', permissions: ['tickets:read'] });
    expect(role.permissions).toEqual(['tickets:read']);
    expect((await full.read(ROLES)).data).toContainEqual(role);
  });
});
