import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { requireLivePermissions } from '#http';
import type { Permissions } from '#identity';
import { RequestSession, Tenant } from '#table';
import type { JsonBody } from '../support/api.ts';
import type { BatchResult } from '../support/batch-result.ts';
import { aCaller } from '../support/caller.ts';
import { type Key, keyMadeBy, register, rotate } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { type Calls, callsOf, newTenant } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** A token with a `scope` (RFC 6749 §3.3) does what is both in its scope and in the permissions of its integration. */

const api = useApi({ firstKey: false, authorizerTtlSeconds: 0 });
const owner = prepared(() => newTenant(api));

const request = (key: Pick<Key, 'appCode' | 'secret'>, scope: string) =>
  api.request('POST', '/api/v1/auth/token', {
    body: { grant_type: 'client_credentials', client_id: key.appCode, client_secret: key.secret, scope },
  });

/** The API with a narrowed token of a key. */
async function narrowed(key: Pick<Key, 'appCode' | 'secret'>, scope: string): Promise<Calls> {
  const { status, body } = await request(key, scope);
  expect([status, body.scope]).toEqual([200, scope.split(' ').toSorted().join(' ')]);
  return callsOf(api, String(body.access_token));
}

/** A key with all permissions. */
let all: Key;
const WRITES = 'integrations:write memberships:write roles:write users:write webhook-endpoints:write';
/** A narrowed token of it. */
let weak: Calls;
beforeAll(async () => {
  all = await keyMadeBy(api, owner, { permissions: null });
  weak = await narrowed(all, WRITES);
});

const READS = ['clients:read', 'tickets:read'];

describe('a scope', () => {
  it('names what is held, and what a held permission includes', async () => {
    const key = await keyMadeBy(api, owner, { permissions: ['clients:write', 'tickets:read'] });
    const caller = await narrowed(key, 'tickets:read clients:read');
    const { permissions, effective_permissions } = await caller.read('/api/v1/me');
    expect([[...(permissions as string[])].sort(), effective_permissions]).toEqual([READS, READS]);
    expect((await caller.ask('GET', '/api/v1/clients')).status).toBe(200);
    expect((await caller.ask('POST', '/api/v1/clients', { name: 'x' })).status).toBe(403);
    for (const scope of ['tickets:write', 'clients:read users:read', 'clients:no', 'CLIENTS:READ', '*', 'null'])
      expect((await request(key, scope)).body.error).toBe('invalid_scope');
  });

  it('says nothing to whom the secret is unknown', async () => {
    expect((await request({ ...all, secret: 'x' }, 'no:such')).body.error).toBe('invalid_client');
  });

  it('does not give back what the integration loses', async () => {
    const key = await keyMadeBy(api, owner, { permissions: ['clients:write', 'tickets:write'] });
    const caller = await narrowed(key, 'clients:write tickets:read');
    expect((await owner.ask('PATCH', key.path, { permissions: ['clients:read'] })).status).toBe(200);
    expect(await caller.read('/api/v1/me')).toMatchObject({ permissions: ['clients:read'] });
  });

  it('narrows a platform caller alike', async () => {
    const platform = callsOf(api, await api.platformToken());
    const key = await keyMadeBy(api, platform, { org_id: null, permissions: null });
    const caller = await narrowed(key, 'orgs:read integrations:write');
    expect((await caller.ask('GET', '/api/v1/orgs')).status).toBe(200);
    expect((await caller.ask('POST', '/api/v1/orgs', { name: 'x', slug: 'x' })).status).toBe(403);
    expect((await register(caller, { org_id: null, permissions: null })).status).toBe(403);
  });
});

describe('a narrowed token does not give what it does not have:', () => {
  const role = (permissions: readonly string[]) => ({ code: randomUUID(), label: 'x', permissions });

  it.each<[string, () => Promise<{ readonly status: number }>]>([
    ['a key with everything', () => register(weak, { permissions: null })],
    ['a key with more', () => register(weak, { permissions: ['clients:read'] })],
    [
      'more for another key',
      async () => {
        const other = await keyMadeBy(api, owner, { permissions: ['users:read'] });
        return weak.ask('PATCH', other.path, { permissions: ['users:read', 'clients:read'] });
      },
    ],
    ['the secret of its own integration', () => rotate(weak, all)],
    ['the end of the tokens of its own integration', () => weak.ask('POST', `${all.path}/revoke-tokens`)],
    ['less for its own integration', () => weak.ask('PATCH', all.path, { permissions: ['users:read'] })],
    ['a role', () => weak.ask('POST', '/api/v1/roles', role(['clients:read']))],
    [
      'a membership',
      async () => {
        const { id: role_id } = await owner.create('/api/v1/roles', role(['clients:read']));
        const { id: user_id } = await owner.create('/api/v1/users', { email: `${randomUUID()}@acme.example` });
        return weak.ask('POST', '/api/v1/users/memberships', { user_id, role_id });
      },
    ],
    ['an endpoint', () => weak.ask('POST', '/api/v1/webhook-endpoints', ENDPOINT)],
    [
      'an endpoint for another key',
      async () => {
        const other = await keyMadeBy(api, owner, { permissions: ['clients:read'] });
        return weak.ask('POST', '/api/v1/webhook-endpoints', { ...ENDPOINT, integration_id: other.id });
      },
    ],
    [
      'a change of an endpoint',
      async () => {
        const { id } = await all.create('/api/v1/webhook-endpoints', ENDPOINT);
        return weak.ask('PATCH', `/api/v1/webhook-endpoints/${id}`, { url: 'http://127.0.0.1:9/other' });
      },
    ],
  ])('%s', async (_, attempt) => {
    expect((await attempt()).status).toBe(403);
  });

  it('and gives what it has', async () => {
    expect((await register(weak, { permissions: ['users:read'] })).status).toBe(201);
    expect((await weak.ask('POST', '/api/v1/roles', role(['users:write']))).status).toBe(201);
  });

  it('in a batch', async () => {
    const operations = [
      { key: 'a', operation: 'createRole', body: role(['clients:read']) },
      { key: 'b', operation: 'createClient', body: { name: 'x' } },
      { key: 'c', operation: 'createRole', body: role(['users:read']) },
    ];
    const { body } = await weak.ask('POST', '/api/v1/batch', { operations });
    const results = body.results as unknown as readonly BatchResult[];
    expect(results.map(({ status }) => status)).toEqual([403, 403, 201]);
  });
});

const ENDPOINT: JsonBody = { url: 'http://127.0.0.1:9/hook', description: 'x', event_types: ['client.created'] };

it('is held to its scope by privileged operations themselves, whatever the authorizer says', () => {
  const caller = aCaller(owner.orgId, { permissions: '*', scope: 'roles:write users:read' });
  const tenant = Tenant.of(caller, RequestSession.ofEnvironment(1_000));
  const gives = (permissions: Permissions) => () => requireLivePermissions(tenant, caller, 'roles:write', permissions);
  for (const beyond of [null, ['users:write'], ['users:read', 'clients:read']])
    expect(gives(beyond)).toThrow(expect.objectContaining({ type: 'forbidden' }));
  expect(gives(['users:read'])).not.toThrow();
});

describe('a secret', () => {
  it('that a narrowed token sets or sees ends when its integration gets more', async () => {
    const made = await register(weak, { permissions: ['users:read'] });
    const { id, app_code, secret } = made.body as Record<string, string>;
    const changed = await owner.ask('PATCH', `/api/v1/integrations/${id}`, {
      permissions: ['users:read', 'clients:read'],
    });
    expect(changed.body).toMatchObject({ ended_secrets: 1 });
    const body = { app_code, secret };
    expect((await api.request('POST', '/api/v1/auth/login', { body })).status).toBe(401);
  });

  it('is shown again to the same token only, and not once it is worth more than that', async () => {
    const fields = { app_code: `app-${randomUUID()}`, permissions: ['users:read'] };
    const options = { headers: { 'idempotency-key': randomUUID() } };
    const first = await register(weak, fields, options);
    const again = await register(weak, fields, options);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    for (const other of [all, await narrowed(all, WRITES)])
      expect((await register(other, fields, options)).body.secret).toBeNull();
    const path = `/api/v1/integrations/${first.body.id}`;
    expect((await owner.ask('PATCH', path, { permissions: ['users:read', 'clients:read'] })).status).toBe(200);
    expect((await register(weak, fields, options)).body.secret).toBeNull();
  });
});

it('a replay shows no fields that the token may not see', async () => {
  const { id: client_id } = await owner.create('/api/v1/clients', { name: 'x' });
  const service = { client_id, name: 'x', type: 'saas', credentials: { password: 'hush' } };
  const options = { headers: { 'idempotency-key': randomUUID() } };
  const first = await all.ask('POST', '/api/v1/services', service, options);
  expect(first.body.credentials).toEqual(service.credentials);
  const caller = await narrowed(all, 'services:write');
  expect((await caller.ask('GET', `/api/v1/services/${first.body.id}`)).body.credentials).toBeNull();
  const replay = await caller.ask('POST', '/api/v1/services', service, options);
  expect(JSON.stringify(replay.body)).not.toContain('hush');
});
