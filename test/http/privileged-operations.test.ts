import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { configureTable, environmentTable } from '#table';
import type { ApiResponse, JsonBody } from '../support/api.ts';
import { placeOfCredentials } from '../support/credentials.ts';
import { deliver } from '../support/deliver.ts';
import { GatedHandler } from '../support/gate.ts';
import { INTEGRATIONS, type Key, keyMadeBy, loginWith, register, rotate } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/**
 * A revoked key while the gateway still caches the authorizer's response for its token: it may read, but do no
 * privileged operation. The gateway caches for the standard 60 s here, as in AWS.
 */

const gate = new GatedHandler();
// Where anyone may make a first key, its route has an authorizer without a cache.
const api = useApi({ firstKey: false });
beforeAll(() => configureTable({ ...localConnection(), requestHandler: gate }));
const org = prepared(() => api.orgToken());
const owner = prepared(() => callsOf(api, org.token));
let key: Key;
beforeEach(async () => {
  vi.useRealTimers();
  key = await warm(await keyMadeBy(api, owner));
});

/** Makes the gateway cache the authorizer's response. */
async function warm(one: Key): Promise<Key> {
  await one.read('/api/v1/permissions');
  return one;
}

const change = (by: Calls, of: Pick<Key, 'path'>, body: JsonBody) => by.ask('PATCH', of.path, body);
const changed = async (of: Key, body: JsonBody) => expect((await change(owner, of, body)).status).toBe(200);
const records = async () => (await owner.read(`${INTEGRATIONS}?page_size=200`)).data;

const again = async (secret: unknown) => callsOf(api, await api.login(key.appCode, String(secret)));

/** Makes credentials in their old form, without ids of secrets. */
const forgetSecretId = async (appCode: string) =>
  environmentTable().client.send(
    new UpdateCommand({ ...(await placeOfCredentials(appCode)), UpdateExpression: 'REMOVE secrets[0].id' }),
  );

type Responded = Pick<ApiResponse, 'status' | 'headers'>;
const expectEnded = ({ status, headers }: Responded) =>
  expect([status, headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringContaining('error="invalid_token", error_description="The integration is inactive'),
  ]);

it('a key whose tokens were ended reads, writes and deletes until the gateway asks again, and makes no key', async () => {
  expect((await owner.ask('POST', `${key.path}/revoke-tokens`)).status).toBe(200);
  const { id } = await key.create('/api/v1/clients', { name: 'By an ended token' });
  const ticket = await key.create('/api/v1/tickets', {
    client_id: id,
    subject: 's',
    description: 'd',
    source: 'email',
    contact_id: randomUUID(),
  });
  expect((await key.read(`/api/v1/tickets/${ticket.id}`)).id).toBe(ticket.id);
  expect((await key.ask('PATCH', `/api/v1/clients/${id}`, { name: 'Changed' })).status).toBe(200);
  expect((await key.ask('DELETE', `/api/v1/tickets/${ticket.id}`)).status).toBe(204);
  expectEnded(await key.ask('POST', INTEGRATIONS, { app_code: `app-${randomUUID()}`, display_name: 'Mine' }));
});

describe('an integration set inactive', () => {
  beforeEach(() => changed(key, { status: 'inactive' }));

  it('does not set itself active', async () => {
    expectEnded(await change(key, key, { status: 'active' }));
    expect(await owner.read(key.path)).toMatchObject({ status: 'inactive' });
    expect(await loginWith(api, key.appCode, key.secret)).toBe(401);
  });

  it('registers no other', async () => {
    const before = await records();
    expectEnded(await register(key));
    expect(await records()).toEqual(before);
  });

  it('does not rotate the secret of its owner, nor change or revoke it', async () => {
    const path = `${INTEGRATIONS}/${org.integrationId}`;
    expectEnded(await rotate(key, { path }, { previous_valid_for: 0 }));
    expectEnded(await change(key, { path }, { status: 'inactive' }));
    expectEnded(await change(key, { path }, { display_name: 'Mine' }));
    expectEnded(await key.ask('POST', `${path}/revoke-tokens`));
    expect(await loginWith(api, org.appCode, org.secret)).toBe(200);
    expect((await register(owner)).status).toBe(201);
    expect(await owner.read(path)).toMatchObject({ status: 'active', display_name: 'Acme integration' });
  });

  it('makes no role that names permissions, and reads while the gateway lets it', async () => {
    const role = { code: randomUUID(), label: 'x' };
    expectEnded(await key.ask('POST', '/api/v1/roles', { ...role, permissions: ['clients:read'] }));
    expect((await key.ask('GET', '/api/v1/clients')).status).toBe(200);
  });

  it('keeps no token beyond, even when it is active again and has a new secret', async () => {
    await changed(key, { status: 'active' });
    expectEnded(await register(key));
    const { body } = await rotate(owner, key);
    expectEnded(await change(key, key, { display_name: 'Again' }));
    const anew = { ...key, ...callsOf(api, await api.login(key.appCode, String(body.secret))) };
    expect((await change(anew, key, { display_name: 'Again' })).status).toBe(200);
  });
});

describe('an integration that was narrowed', () => {
  it('does not widen itself again', async () => {
    await changed(key, { permissions: ['clients:read', 'integrations:write'] });
    const wide = ['clients:read', 'users:write'];
    const responses = [await change(key, key, { permissions: null }), await change(key, key, { permissions: wide })];
    expect(responses.map(({ status, body }) => [status, body.detail])).toEqual([
      [403, 'The caller no longer has all permissions.'],
      [403, 'The caller no longer has users:write.'],
    ]);
    await changed(key, { permissions: ['clients:read'] });
    const { status, body } = await register(key, { permissions: [] });
    expect([status, body.detail]).toEqual([403, 'The caller no longer has integrations:write.']);
    expect(await owner.read(key.path)).toMatchObject({ permissions: ['clients:read'] });
  });

  it('gives nothing that it has no more, by name, and still what it has', async () => {
    const some = ['integrations:write', 'permissions:read', 'clients:read', 'users:read', 'tickets:read'];
    const limited = await warm(await keyMadeBy(api, owner, { permissions: some }));
    await changed(limited, { permissions: some.slice(0, 3) });
    const { status, body } = await register(limited, { permissions: some.slice(1) });
    expect([status, body.detail]).toEqual([403, 'The caller no longer has users:read, tickets:read.']);
    expect((await register(limited, { permissions: ['clients:read'] })).status).toBe(201);
  });

  it('gives reading where it is left with writing, which includes it, and not the other way round', async () => {
    await changed(key, { permissions: ['integrations:write', 'clients:write', 'users:read'] });
    expect((await register(key, { permissions: ['clients:read', 'integrations:read'] })).status).toBe(201);
    const { status, body } = await register(key, { permissions: ['users:read', 'users:write'] });
    expect([status, body.detail]).toEqual([403, 'The caller no longer has users:write.']);
  });

  it('takes over no other that has more than is left to it', async () => {
    const other = await keyMadeBy(api, owner);
    await changed(key, { permissions: ['integrations:write'] });
    for (const response of [
      await rotate(key, other),
      await change(key, other, { display_name: 'Mine' }),
      await key.ask('POST', `${other.path}/revoke-tokens`),
    ]) {
      expect([response.status, response.body.detail]).toEqual([403, 'The caller no longer has all permissions.']);
    }
    expect(await loginWith(api, other.appCode, other.secret)).toBe(200);
  });
});

describe('a token', () => {
  it('dies with the secret that made it: what has leaked does not rotate again', async () => {
    const { body } = await rotate(owner, key, { previous_valid_for: 0 });
    expectEnded(await rotate(key, key, { previous_valid_for: 0 }));
    expectEnded(await register(key));
    expect(await loginWith(api, key.appCode, body.secret)).toBe(200);
  });

  it('dies at once of its own rotation with 0', async () => {
    expect((await rotate(key, key, { previous_valid_for: 0 })).status).toBe(201);
    expectEnded(await rotate(key, key));
  });

  it('survives a rotation that leaves the secret before good', async () => {
    expect((await rotate(key, key)).status).toBe(201);
    expect((await register(key)).status).toBe(201);
    expect((await rotate(key, key)).status).toBe(201);
  });

  it('dies when its secret is pushed out by a second rotation', async () => {
    const { body: second } = await rotate(owner, key);
    const bySecond = await again(second.secret);
    const { body: third } = await rotate(owner, key);
    expect(await loginWith(api, key.appCode, key.secret)).toBe(401);
    expectEnded(await rotate(key, key, { previous_valid_for: 0 }));
    expectEnded(await register(key));
    expectEnded(await change(key, key, { display_name: 'Mine' }));
    for (const alive of [bySecond, await again(third.secret)]) expect((await register(alive)).status).toBe(201);
  });

  it('dies when its secret expires', async () => {
    await rotate(owner, key, { previous_valid_for: 30 });
    expect((await register(key)).status).toBe(201);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30_000 });
    expect(await loginWith(api, key.appCode, key.secret)).toBe(401);
    expectEnded(await register(key));
    expectEnded(await rotate(key, key, { previous_valid_for: 0 }));
    expect((await register(owner)).status).toBe(201);
  });

  it('of a secret from before secrets had ids lives as long as that, too', async () => {
    await forgetSecretId(key.appCode);
    const old = await warm({ ...key, ...(await again(key.secret)) });
    expect((await register(old)).status).toBe(201);
    expectEnded(await register(key));
    expect((await rotate(owner, key)).status).toBe(201);
    expect((await register(old)).status).toBe(201);
    expect((await rotate(owner, key)).status).toBe(201);
    expectEnded(await register(old));
  });

  it('ends when it is revoked, and one of the same second does not', async () => {
    const { status, body, headers } = await owner.ask('POST', `${key.path}/revoke-tokens`);
    expect([status, body, headers.get('etag')]).toEqual([
      200,
      { ...(await owner.read(key.path)), paused_endpoints: [] },
      null,
    ]);
    expectEnded(await register(key));
    const anew = callsOf(api, await api.login(key.appCode, key.secret));
    expect((await register(anew)).status).toBe(201);
    expect((await anew.ask('POST', `${key.path}/revoke-tokens`)).status).toBe(200);
    expectEnded(await register(anew));
  });

  it('ends however late the login that made it was, if it asked before the end', async () => {
    const arrived = gate.hold('TransactWriteItems');
    const revoking = owner.ask('POST', `${key.path}/revoke-tokens`);
    const release = await arrived;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5_000 });
    const late = callsOf(api, await api.login(key.appCode, key.secret));
    release();
    expect((await revoking).status).toBe(200);
    expect((await late.ask('GET', '/api/v1/permissions')).status).toBe(401);
  });
});

describe('two at once', () => {
  it.each<[string, JsonBody, number]>([
    ['sets inactive', { status: 'inactive' }, 401],
    ['narrows', { permissions: ['clients:read'] }, 403],
  ])('what a key makes while somebody %s it is refused', async (_, cut, status) => {
    const before = await records();
    const arrived = gate.hold('TransactWriteItems');
    const making = register(key);
    const release = await arrived;
    await changed(key, cut);
    release();
    expect((await making).status).toBe(status);
    const after = (await records()).filter(({ id }) => id !== key.id);
    expect(after).toEqual(before.filter(({ id }) => id !== key.id));
  });

  it('a key that widens itself while somebody narrows it stays narrow', async () => {
    const permissions = ['integrations:write', 'clients:read'];
    const arrived = gate.hold('TransactWriteItems');
    const renaming = change(key, key, {
      display_name: 'Wide',
      status: 'active',
      permissions: [...permissions, 'users:read'],
    });
    const release = await arrived;
    await changed(key, { permissions });
    release();
    expect((await renaming).status).toBe(403);
    expect(await owner.read(key.path)).toMatchObject({ permissions, display_name: 'Key' });
  });
});

describe('a platform key set inactive', () => {
  let platform: Calls;
  let clerk: Key;
  beforeAll(async () => {
    platform = callsOf(api, await api.platformToken());
    clerk = await warm(await keyMadeBy(api, platform, { org_id: null }));
    expect((await change(platform, clerk, { status: 'inactive' })).status).toBe(200);
  });

  it('makes no key in any organization', async () => {
    const before = await records();
    expectEnded(await register(clerk, { org_id: org.orgId }));
    expectEnded(await clerk.ask('POST', `${key.path}/rotate-secret?org_id=${org.orgId}`, {}));
    expectEnded(await register(clerk, { org_id: null }));
    expect(await records()).toEqual(before);
  });

  it('makes no system role and no superadmin, and takes none over', async () => {
    const role = { org_id: org.orgId, code: randomUUID(), label: 'x', is_system: true };
    expectEnded(await clerk.ask('POST', '/api/v1/roles', role));
    const user = { email: `${randomUUID()}@acme.example`, is_superadmin: true };
    expectEnded(await clerk.ask('POST', `/api/v1/users?org_id=${org.orgId}`, user));
    const { id } = await owner.create('/api/v1/users', { ...user, is_superadmin: false });
    const path = `/api/v1/users/${id}?org_id=${org.orgId}`;
    expectEnded(await clerk.ask('PATCH', path, { is_superadmin: true }));
    expect(await owner.read(`/api/v1/users/${id}`)).toMatchObject({ is_superadmin: false });
    expect((await platform.ask('PATCH', path, { is_superadmin: true })).status).toBe(200);
    expectEnded(await clerk.ask('PATCH', path, { email: `${randomUUID()}@evil.example` }));
    expectEnded(await clerk.ask('PATCH', path, { is_superadmin: false }));
    expect(await owner.read(`/api/v1/users/${id}`)).toMatchObject({ email: user.email, is_superadmin: true });
  });
});

describe('the sender of a webhook', () => {
  const role = () => ({ event_type: 'role.created', data: { code: randomUUID(), label: 'x', permissions: [] } });

  it.each<[string, () => Promise<unknown>, number]>([
    ['set inactive', () => changed(key, { status: 'inactive' }), 403],
    ['narrowed', () => changed(key, { permissions: ['roles:read'] }), 403],
    ['given another secret', () => rotate(owner, key, { previous_valid_for: 0 }), 401],
    ['given a second and a third', () => rotate(owner, key).then(() => rotate(owner, key)), 401],
    ['told to log in again', () => owner.ask('POST', `${key.path}/revoke-tokens`), 200],
  ])('%s while its event is received, is asked anew', async (_, cut, status) => {
    const arrived = gate.hold('TransactWriteItems');
    const delivering = deliver(api, key, role());
    const release = await arrived;
    await cut();
    release();
    expect((await delivering).status).toBe(status);
  });
});

it('an integration that asks for its own app code gets the 409 of a taken one', async () => {
  const { status, body } = await register(key, { app_code: key.appCode });
  expect([status, body.errors?.[0]?.pointer]).toEqual([409, '#/app_code']);
});
