import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonBody } from '../support/api.ts';
import { INTEGRATIONS, keyMadeBy, loginWith, register, rotate } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';
import { grantsOf, type SignedInUser, signIn } from '../support/user-access.ts';

/** People who have signed in call like integrations. The gateway caches the authorizer's response for 60 s here, too. */

const api = useApi({ firstKey: false });
const org = prepared(() => api.orgToken());
const owner = prepared(() => callsOf(api, org.token));
afterEach(() => void vi.useRealTimers());

type User = SignedInUser & Calls;
const userWith = async (...given: [grants?: Parameters<typeof signIn>[2], access?: Parameters<typeof signIn>[3]]) => {
  const user = await signIn(api, org, ...given);
  return { ...user, ...callsOf(api, user.token) };
};
const adminOf = (...codes: string[]): Promise<User> => userWith({ permissions: codes });

const newClient = async (by: Calls) => by.create('/api/v1/clients', { name: 'Bistro' });
const statusOf = async (by: Calls, path = '/api/v1/clients') => (await by.ask('GET', path)).status;
/** As long as the gateway keeps a response of the authorizer. */
const afterTheCache = (): void => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });

describe('a user', () => {
  it('does what its roles permit, and nothing else', async () => {
    const user = await adminOf('clients:write');
    const { id } = await newClient(user);
    expect(await statusOf(user, `/api/v1/clients/${id}`)).toBe(200);
    const refused = await user.ask('GET', '/api/v1/tickets');
    expect([refused.status, refused.body.detail]).toEqual([403, 'This needs the permission tickets:read.']);
  });

  it('does nothing without a role', async () => {
    const user = await userWith();
    expect(await statusOf(user)).toBe(403);
    expect(await statusOf(user, '/api/v1/me')).toBe(200);
  });

  it('does everything in its organization as a superadmin, and nothing of the platform', async () => {
    const user = await userWith({}, { is_superadmin: true });
    await newClient(user);
    expect((await register(user, { permissions: null })).status).toBe(201);
    const other = await api.orgToken();
    const refused = [
      user.ask('GET', `/api/v1/clients?org_id=${other.orgId}`),
      user.ask('POST', '/api/v1/orgs', { name: 'New', slug: `new-${randomUUID()}` }),
      register(user, { org_id: null }),
      user.ask('PATCH', `${INTEGRATIONS}/${org.integrationId}`, { rate_limit: 9_000 }),
    ];
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  it('has no more than its token is narrowed to', async () => {
    const user = await adminOf('clients:write', 'tickets:read');
    const narrowed = callsOf(api, await user.issue({ scope: ['clients:read'] }));
    expect([await statusOf(narrowed), await statusOf(narrowed, '/api/v1/tickets')]).toEqual([200, 403]);
    expect((await narrowed.ask('POST', '/api/v1/clients', { name: 'x' })).status).toBe(403);
    const superadmin = await userWith({}, { is_superadmin: true });
    const reader = callsOf(api, await superadmin.issue({ scope: ['clients:read'] }));
    expect([await statusOf(reader), await statusOf(reader, '/api/v1/tickets')]).toEqual([200, 403]);
    expect((await register(reader, { permissions: ['clients:read'] })).status).toBe(403);
  });

  it('is closed to routes that do not keep it to its clients', async () => {
    const client = await newClient(owner);
    const user = await userWith({ clients: { [client.id]: ['audit:read'] } });
    const refused = await user.ask('GET', '/api/v1/audit-events');
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'This needs the permission audit:read for the whole organization, and not for some clients only.',
    ]);
    expect(await statusOf(user, '/api/v1/usage')).toBe(403);
  });

  it('says who it is', async () => {
    const client = await newClient(owner);
    const now = Date.now();
    const user = await userWith({ permissions: ['clients:read'], clients: { [client.id]: ['tickets:write'] } });
    const token = await user.issue({ expiresAt: Math.floor(now / 1000) + 900 }, now);
    const { limits } = await api.request<{ limits: JsonBody[] }>('GET', '/api/v1/me', org).then(({ body }) => body);
    expect(await callsOf(api, token).read('/api/v1/me')).toMatchObject({
      integration: null,
      user: {
        ...{ id: user.id, name: 'Ada Byron', email: expect.stringMatching(/^ada-/) },
        ...{ identity_provider_id: user.providerId },
        clients: [{ client_id: client.id, permissions: ['tickets:write'] }],
      },
      organization: { id: org.orgId },
      permissions: ['clients:read'],
      effective_permissions: ['clients:read'],
      limits: limits.map(({ policy, limit }) => ({ policy, limit })),
      token: {
        issued_at: new Date(Math.floor(now / 1000) * 1000).toISOString(),
        expires_at: new Date((Math.floor(now / 1000) + 900) * 1000).toISOString(),
      },
    });
  });

  it('sends no log entries, and does not say where events go', async () => {
    const user = await userWith({}, { is_superadmin: true });
    const endpoint = { url: 'http://127.0.0.1:9/hook', event_types: ['client.created'] };
    const refused = [
      await user.ask('POST', '/api/v1/logs/ingest', { level: 'info', message: 'x' }),
      await user.ask('POST', '/api/v1/webhook-endpoints', endpoint),
      await user.ask('POST', '/api/v1/webhook-endpoints', { ...endpoint, integration_id: org.integrationId }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
  });
});

describe('a token of a user ends', () => {
  it.each<[string, (user: User) => Promise<unknown>]>([
    ['when the user becomes inactive', (user) => owner.ask('PATCH', `/api/v1/users/${user.id}`, { is_active: false })],
    ['when the user is deleted', (user) => owner.ask('DELETE', `/api/v1/users/${user.id}`)],
    ['when its tokens are ended', (user) => user.changeAccess({ epoch: 1 })],
    ['when its provider becomes inactive', (user) => user.changeSignIn({ providers: [randomUUID()] })],
    ['when the organization lets users in no more', (user) => user.changeSignIn({ membership_access: false })],
  ])('%s', async (_, end) => {
    const user = await adminOf('clients:read');
    expect(await statusOf(user)).toBe(200);
    await end(user);
    // The gateway still has what the authorizer said.
    expect(await statusOf(user)).toBe(200);
    afterTheCache();
    const ended = await user.ask('GET', '/api/v1/clients');
    expect([ended.status, ended.body.detail]).toEqual([401, expect.stringContaining('The token has ended')]);
    expect(await statusOf(callsOf(api, await user.issue()))).toBe(401);
    await user.changeSignIn({ membership_access: true });
  });

  it('never beyond its own time', async () => {
    const user = await adminOf('clients:read');
    const short = callsOf(api, await user.issue({ expiresAt: Math.floor(Date.now() / 1000) + 30 }));
    expect(await statusOf(short)).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    expect(await statusOf(short)).toBe(401);
  });

  it('and is no token of a user of another organization, nor of one that never was', async () => {
    const user = await adminOf('clients:read');
    const other = await api.orgToken();
    const stranger = await signIn(api, other);
    const forged = [{ orgId: other.orgId }, { userId: randomUUID() }, { userId: stranger.id }, { tokenEpoch: 7 }];
    for (const changes of forged) expect(await statusOf(callsOf(api, await user.issue(changes)))).toBe(401);
    const throughAnothers = await user.issue({ providerId: stranger.providerId });
    expect(await statusOf(callsOf(api, throughAnothers))).toBe(401);
  });
});

/** Gives a user a role with these permissions. */
const membershipOf = async (user: SignedInUser, permissions: readonly string[]) => {
  const role = await owner.create('/api/v1/roles', { code: `r-${randomUUID()}`, label: 'Role', permissions });
  return owner.create('/api/v1/users/memberships', { user_id: user.id, role_id: role.id });
};

const memberWith = async (...permissions: string[]): Promise<User> => {
  const user = await userWith();
  await membershipOf(user, permissions);
  return user;
};

describe('power of memberships', () => {
  const weaker = async () =>
    (await owner.create('/api/v1/roles', { code: randomUUID(), label: 'Role', permissions: ['tickets:read'] })).id;

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['is deleted', (path) => owner.ask('DELETE', path)],
    ['is inactive', (path) => owner.ask('PATCH', path, { status: 'inactive' })],
    ['has a weaker role', async (path) => owner.ask('PATCH', path, { role_id: await weaker() })],
  ])('ends at once for what is privileged, and for the rest within a minute, when one %s', async (_, end) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const user = await userWith();
    const { id } = await membershipOf(user, ['integrations:write', 'clients:write']);
    await newClient(user);
    expect((await register(user, { permissions: [] })).status).toBe(201);
    await end(`/api/v1/memberships/${id}`);
    const refused = await register(user, { permissions: [] });
    expect([refused.status, refused.body.detail]).toEqual([403, 'The caller no longer has integrations:write.']);
    vi.setSystemTime(Date.now() + 59_000);
    // The gateway still has what the authorizer said.
    await newClient(user);
    vi.setSystemTime(Date.now() + 1_000);
    expect([await statusOf(user), (await register(user, { permissions: [] })).status]).toEqual([403, 403]);
  });
});

describe('a privileged operation', () => {
  const WRITES = ['integrations:write', 'clients:read'];

  it('is refused at once to a user whose grant has just ended, while it still reads', async () => {
    const user = await adminOf(...WRITES);
    expect((await register(user, { permissions: ['clients:read'] })).status).toBe(201);
    await user.changeAccess({ grants: grantsOf({ permissions: ['clients:read'] }) });
    const refused = await register(user, { permissions: ['clients:read'] });
    expect([refused.status, refused.body.detail]).toEqual([403, 'The caller no longer has integrations:write.']);
    expect(await statusOf(user)).toBe(200);
  });

  it.each<[string, (user: User) => Promise<unknown>]>([
    ['is inactive', (user) => owner.ask('PATCH', `/api/v1/users/${user.id}`, { is_active: false })],
    ['was deleted', (user) => owner.ask('DELETE', `/api/v1/users/${user.id}`)],
    ['has lost its tokens', (user) => user.changeAccess({ epoch: 1 })],
    ['has lost its provider', (user) => user.changeSignIn({ providers: [randomUUID()] })],
    ['is let in no more', (user) => user.changeSignIn({ membership_access: false })],
  ])('is refused at once to a user that %s', async (_, end) => {
    const user = await adminOf(...WRITES);
    expect(await statusOf(user)).toBe(200);
    await end(user);
    const refused = await register(user, { permissions: [] });
    expect([refused.status, refused.body.detail]).toEqual([401, expect.stringContaining('may not sign in any more')]);
    await user.changeSignIn({ membership_access: true });
  });

  it('is carried out where what has changed takes nothing that it needs', async () => {
    const user = await adminOf(...WRITES);
    expect(await statusOf(user)).toBe(200);
    await user.changeAccess({ name: 'Ada Lovelace', grants: grantsOf({ permissions: [...WRITES, 'audit:read'] }) });
    await user.changeSignIn({});
    expect((await register(user, { permissions: ['clients:read'] })).status).toBe(201);
  });

  it('gives a secret no more than what its user has, and none back when that has become less', async () => {
    const user = await adminOf(...WRITES, 'clients:write');
    const headers = { 'Idempotency-Key': randomUUID() };
    const fields = { app_code: `app-${randomUUID()}`, permissions: ['clients:write'] };
    const first = await register(user, fields, { headers });
    expect((await register(user, { ...fields, permissions: null })).status).toBe(403);
    expect((await register(user, fields, { headers })).body.secret).toBe(first.body.secret);
    expect(await loginWith(api, fields.app_code, first.body.secret)).toBe(200);
    // What a secret is known with ends it where its integration gets more.
    const widened = await owner.ask('PATCH', `${INTEGRATIONS}/${first.body.id}`, { permissions: ['tickets:read'] });
    expect(widened.body).toMatchObject({ ended_secrets: 1 });
    await user.changeAccess({ grants: grantsOf({ permissions: ['integrations:write', 'clients:read'] }) });
    const again = await register(user, fields, { headers });
    expect([again.status, again.body.secret]).toEqual([201, null]);
  });

  it('of a user on itself checks and changes its access in one write', async () => {
    const user = await memberWith('users:write', 'memberships:write', 'roles:write');
    const itself = `/api/v1/users/${user.id}`;
    expect((await user.ask('PATCH', itself, { email: `ada-${randomUUID()}@acme.example` })).status).toBe(200);
    expect((await user.ask('PATCH', itself, { email: `ada-${randomUUID()}@acme.example` })).status).toBe(200);
    expect((await user.ask('PATCH', itself, { is_active: false })).status).toBe(200);
    const ended = await user.ask('PATCH', itself, { is_active: true });
    expect(ended.status).toBe(401);
  });

  it('is done by two users at once, and of two that end each other one is refused', async () => {
    const both = [await memberWith('users:write'), await memberWith('users:write')] as const;
    await Promise.all(both.map((user) => statusOf(user, '/api/v1/users')));
    const [one, other] = both;
    const end = (by: User, of: User) => by.ask('PATCH', `/api/v1/users/${of.id}`, { is_active: false });
    const statuses = (await Promise.all([end(one, other), end(other, one)])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 401]);
  });

  it('that escalates leaves an event of the user', async () => {
    const user = await adminOf('integrations:write');
    expect((await rotate(user, { path: `${INTEGRATIONS}/${org.integrationId}` })).status).toBe(403);
    const events = await owner.read(`/api/v1/audit-events?actor_id=${user.id}`);
    expect(events.data).toMatchObject([
      {
        ...{ operation: 'escalation_refused', attempted_operation: 'rotateSecret', failures: 1 },
        ...{ actor_type: 'user', actor_id: user.id, actor_name: 'Ada Byron', actor_app_code: null },
        ...{ record_type: 'User', record_id: user.id },
      },
    ]);
  });
});

describe('what a user does', () => {
  it('names it in the audit log, the journal, the history and the log of a client', async () => {
    const user = await adminOf('clients:write', 'users:write', 'tickets:write');
    const client = await newClient(user);
    const colleague = await user.create('/api/v1/users', { email: `bo-${randomUUID()}@acme.example` });
    const audited = await owner.read(`/api/v1/audit-events?record_id=${colleague.id}`);
    expect(audited.data).toMatchObject([
      { operation: 'createUser', actor_type: 'user', actor_id: user.id, actor_name: 'Ada Byron', actor_app_code: null },
    ]);
    const events = await owner.read('/api/v1/events?limit=200');
    expect(events.data.find(({ record_id }) => record_id === client.id)).toMatchObject({ actor_id: user.id });
    const actions = await owner.read(`/api/v1/clients/${client.id}/actions`);
    expect(actions.data).toMatchObject([{ type: 'created', performed_by: user.id }]);
  });

  it('is not counted as of an integration, but for its organization', async () => {
    const key = await keyMadeBy(api, owner);
    const user = await adminOf('clients:read');
    await statusOf(user);
    await statusOf(key);
    const { requests } = await owner.read('/api/v1/usage');
    expect(JSON.stringify(requests)).not.toContain(user.id);
  });

  it('is charged to a budget of its own', async () => {
    const [one, other] = [await adminOf('clients:read'), await adminOf('clients:read')];
    vi.stubEnv('RATE_LIMIT', '3');
    vi.stubEnv('TENANT_RATE_LIMIT', '100000');
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const statuses = [await statusOf(one), await statusOf(one), await statusOf(one)];
    const refused = await one.ask('GET', '/api/v1/clients');
    expect([...statuses, refused.status, await statusOf(other)]).toEqual([200, 200, 200, 429, 200]);
    expect(refused.body.detail).toBe('This user may send 3 requests a minute.');
  });

  it('is remembered for itself: two users may use the same idempotency key', async () => {
    const [one, other] = [await adminOf('clients:write'), await adminOf('clients:write')];
    const options = { headers: { 'Idempotency-Key': randomUUID() } };
    const make = (by: User, name: string) => by.ask('POST', '/api/v1/clients', { name }, options);
    const [first, second, repeated] = [await make(one, 'A'), await make(other, 'B'), await make(one, 'A')];
    expect([first.status, second.status, repeated.status]).toEqual([201, 201, 201]);
    expect(second.body.id).not.toBe(first.body.id);
    expect(repeated.body.id).toBe(first.body.id);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  });
});
