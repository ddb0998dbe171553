import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { environmentTable, RequestSession, Tenant } from '#table';
import { userEntity } from '../../functions/access/store.ts';
import { suspendOrganization } from '../../operator/suspending.ts';
import type { OrgAccess } from '../support/api.ts';
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts';
import { useApi } from '../support/use-api.ts';

/** People sign in: tokens of a real identity provider for tokens of this service, and what ends them. */

const api = useApi({ authorizerTtlSeconds: 0 });
let oidc: OidcProvider;
let org: OrgAccess;

beforeAll(async () => {
  oidc = await startOidcProvider();
});
afterAll(() => oidc.close());

type Body = Readonly<Record<string, unknown>>;
const call = async (method: string, path: string, body?: Body, token = org.token) =>
  api.request<Record<string, unknown>>(method, `/api/v1${path}`, { token, ...(body && { body }) });
const made = async (path: string, body: Body, token = org.token): Promise<string> => {
  const { status, body: record } = await call('POST', path, body, token);
  expect(status, JSON.stringify(record)).toBe(201);
  return String(record.id);
};

const TYPES = 'urn:ietf:params:oauth:token-type';
const exchange = async (token: string, more: Readonly<Record<string, string>> = {}) =>
  api.request<Record<string, unknown>>('POST', '/api/v1/auth/token', {
    raw: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      ...{ subject_token: token, subject_token_type: `${TYPES}:id_token`, organization: org.orgId },
      ...more,
    }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
/** A token of a person who signs in now. */
async function signedIn(person: Parameters<OidcProvider['signIn']>[0], more = {}): Promise<string> {
  const { status, body } = await exchange(await oidc.signIn(person), more);
  expect(status, JSON.stringify(body)).toBe(200);
  return String(body.access_token);
}

const addProvider = (more: Body = {}, token = org.token) =>
  made(
    '/identity-providers',
    {
      ...{ name: 'Ours', issuer: oidc.issuer, audiences: [oidc.clientId], email_domains: ['acme.example'] },
      ...more,
    },
    token,
  );
const letIn = (isOn = true) => call('PATCH', `/orgs/${org.orgId}`, { membership_access: isOn });
const role = (permissions: readonly string[]) =>
  made('/roles', { code: `r-${randomUUID().slice(0, 8)}`, label: 'A role', permissions });
const join = (user_id: string, role_id: string, more: Body = {}) =>
  made('/users/memberships', { user_id, role_id, ...more });

const ada = () => ({ sub: randomUUID(), email: 'ada@acme.example', email_verified: true });

beforeEach(async () => {
  org = await api.orgToken();
});

describe('a person signs in', () => {
  it('by mail once, by the subject of the token from then on, whatever the mail says', async () => {
    const provider = await addProvider();
    await letIn();
    const user = await made('/users', { email: 'Ada@Acme.example', name: 'Ada' });
    await join(user, await role(['clients:read']));
    const person = ada();
    const { status, headers, body } = await exchange(await oidc.signIn(person));
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      ...{ access_token: expect.any(String), token_type: 'bearer', expires_in: expect.any(Number) },
      issued_token_type: `${TYPES}:access_token`,
    });
    const token = String(body.access_token);
    const me = await call('GET', '/me', undefined, token);
    expect(me.body).toMatchObject({ user: { id: user, name: 'Ada' }, permissions: ['clients:read'] });
    expect((await call('GET', '/clients', undefined, token)).status).toBe(200);
    expect((await call('GET', '/tickets', undefined, token)).status).toBe(403);
    expect((await call('GET', `/users/${user}/identities`)).body).toMatchObject({
      data: [{ provider_id: provider, subject: person.sub, linked_by: 'mail' }],
    });
    // Another address, not verified, and then one of another user.
    await made('/users', { email: 'eve@acme.example' });
    for (const more of [{ email: 'x@other.example', email_verified: false }, { email: 'eve@acme.example' }])
      expect((await call('GET', '/me', undefined, await signedIn({ ...person, ...more }))).body).toMatchObject({
        user: { id: user },
      });
  });

  it('once with each token, of two at once too', async () => {
    await addProvider();
    await letIn();
    await made('/users', { email: 'ada@acme.example' });
    const token = await oidc.signIn(ada());
    const results = await Promise.all([exchange(token), exchange(token)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect((await exchange(token)).body).toMatchObject({ error: 'invalid_request', error_description: /before/ });
  });

  it('by the slug of the organization, which another one can then not have', async () => {
    const slug = `acme-${randomUUID().slice(0, 8)}`;
    await addProvider();
    await call('PATCH', `/orgs/${org.orgId}`, { slug, membership_access: true });
    await made('/users', { email: 'ada@acme.example' });
    await signedIn(ada(), { organization: slug });
    const other = await api.orgToken();
    const taken = await call('PATCH', `/orgs/${other.orgId}`, { slug, membership_access: true }, other.token);
    expect(taken.status).toBe(409);
    // The platform takes it back from who has no right to the name (docs/security.md).
    const platform = await api.platformToken();
    const renamed = await call('PATCH', `/orgs/${org.orgId}`, { slug: `not-${slug}` }, platform);
    expect(renamed.status).toBe(200);
    const given = await call('PATCH', `/orgs/${other.orgId}`, { slug, membership_access: true }, other.token);
    expect(given.status).toBe(200);
    const back = await call('PATCH', `/orgs/${org.orgId}`, { slug });
    expect(back.status).toBe(409);
    expect((await exchange(await oidc.signIn(ada()), { organization: slug })).status).toBe(400);
    await signedIn(ada(), { organization: `not-${slug}` });
  });

  it('with a token that may do less, and notes when', async () => {
    await addProvider();
    await letIn();
    const user = await made('/users', { email: 'ada@acme.example' });
    await join(user, await role(['clients:write', 'tickets:read']));
    const token = await signedIn(ada(), { scope: 'clients:read' });
    expect((await call('GET', '/clients', undefined, token)).status).toBe(200);
    expect((await call('POST', '/clients', { name: 'A', slug: 'a' }, token)).status).toBe(403);
    expect((await call('GET', '/tickets', undefined, token)).status).toBe(403);
    const { last_login } = (await call('GET', `/users/${user}`)).body;
    expect(Date.parse(String(last_login))).toBeGreaterThan(0);
    const version = (await call('GET', `/users/${user}`)).headers.get('etag');
    await signedIn({ ...ada(), sub: 'again' }).catch(() => undefined);
    const again = await call('GET', `/users/${user}`);
    expect([again.body.last_login, again.headers.get('etag')]).toEqual([last_login, version]);
    const never = await made('/users', { email: 'eve@acme.example' });
    const found = async (query: string) =>
      ((await call('GET', `/users?${query}`)).body.data as { id: string }[]).map(({ id }) => id);
    expect(await found(`last_login_after=${last_login}`)).toEqual([user]);
    expect(await found(`last_login_before=${last_login}`)).toEqual([]);
    expect(await found('last_login=null')).toEqual([never]);
    expect(await found('sort=-last_login')).toEqual([user, never]);
    // A container whose clock is ahead has noted it.
    const records = Tenant.ofOperator(org.orgId, RequestSession.ofEnvironment(10_000)).records(userEntity);
    const UpdateExpression = 'SET last_login = :ahead';
    const ExpressionAttributeValues = { ':ahead': '2099-01-01T00:00:00.000Z' };
    const { client, name: TableName } = environmentTable();
    const Key = { ...records.keyOf(user) };
    await client.send(new UpdateCommand({ TableName, Key, UpdateExpression, ExpressionAttributeValues }));
    await signedIn(ada());
    expect((await call('GET', `/users/${user}`)).body.last_login).toMatch(/^20[2-8]/);
  });
});

describe('nobody gets a token', () => {
  const refusal = async (sent: ReturnType<typeof exchange>) => {
    const { status, body } = await sent;
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'invalid_request', request_id: expect.any(String) });
    return String(body.error_description);
  };

  it('of an organization without such a provider, or of none, with the same words', async () => {
    await letIn();
    await made('/users', { email: 'ada@acme.example' });
    const token = await oidc.signIn(ada());
    const words = await refusal(exchange(token));
    expect(await refusal(exchange(token, { organization: randomUUID() }))).toBe(words);
    expect(await refusal(exchange(token, { organization: 'nobody-has-this' }))).toBe(words);
    await addProvider({ status: 'inactive' });
    expect(await refusal(exchange(token))).toBe(words);
  });

  it('without a session of an organization that nobody signs in to: each is a call of STS, and anybody may ask', async () => {
    const opened = vi.spyOn(Tenant, 'ofSignIn');
    const token = await oidc.signIn(ada());
    for (const organization of [randomUUID(), org.orgId, 'nobody-has-this'])
      await refusal(exchange(token, { organization }));
    expect(opened).not.toHaveBeenCalled();
    await letIn();
    await refusal(exchange(token, { organization: org.orgId.toUpperCase() }));
    expect(opened.mock.calls.map(([orgId]) => orgId)).toEqual([org.orgId]);
  });

  it('of a provider that another organization has registered', async () => {
    await addProvider();
    await letIn();
    await made('/users', { email: 'ada@acme.example' });
    const other = await api.orgToken();
    await call('PATCH', `/orgs/${other.orgId}`, { membership_access: true }, other.token);
    await refusal(exchange(await oidc.signIn(ada()), { organization: other.orgId }));
  });

  it.each<[string, Body, Partial<ReturnType<typeof ada>>, Body]>([
    ['whose mail is not verified', {}, { email_verified: false }, {}],
    ['whose mail is of another domain', {}, { email: 'ada@evil.example' }, { email: 'ada@evil.example' }],
    ['who is inactive', {}, {}, { is_active: false }],
    ['where no domain is listed', { email_domains: [] }, {}, {}],
    ['whose token lacks a required claim', { required_claims: { hd: 'acme.example' } }, {}, {}],
    ['whose token is for another audience', { audiences: ['another'] }, {}, {}],
    ['whose token has an algorithm that is not listed', { algorithms: ['ES256'] }, {}, {}],
  ])('%s', async (_, provider, person, user) => {
    await addProvider(provider);
    await letIn();
    await made('/users', { email: 'ada@acme.example', ...user });
    await refusal(exchange(await oidc.signIn({ ...ada(), ...person })));
  });

  it('who is a superadmin, by mail', async () => {
    await addProvider();
    await letIn();
    const platform = await api.platformToken();
    await api.request('POST', `/api/v1/users?org_id=${org.orgId}`, {
      token: platform,
      body: { email: 'ada@acme.example', is_superadmin: true },
    });
    await refusal(exchange(await oidc.signIn(ada())));
  });

  it('before users are let in, and of a suspended organization', async () => {
    await addProvider();
    await made('/users', { email: 'ada@acme.example' });
    await refusal(exchange(await oidc.signIn(ada())));
    await letIn();
    await suspendOrganization(org.orgId);
    const { status, body } = await exchange(await oidc.signIn(ada()));
    expect([status, body.error]).toEqual([400, 'unauthorized_client']);
  });

  it.each([
    ['without a token', { subject_token: '' }],
    ['without its type', { subject_token_type: '' }],
    ['with another type', { subject_token_type: `${TYPES}:saml2` }],
    ['without an organization', { organization: '' }],
    ['for somebody else', { actor_token: 'x' }],
    ['with what is no token', { subject_token: 'x.y.z' }],
    ['with 1 MB of a token', { subject_token: 'x'.repeat(15_000) }],
  ])('%s', async (_, more) => {
    await refusal(exchange('x', more));
  });

  it('for a scope that there is not', async () => {
    const { body } = await exchange('x.y.z', { scope: 'everything:now' });
    expect(body.error).toBe('invalid_scope');
  });
});

describe('what a user may do ends', () => {
  const enter = async () => {
    const provider = await addProvider();
    await letIn();
    const user = await made('/users', { email: 'ada@acme.example' });
    const membership = await join(user, await role(['clients:read']));
    const token = await signedIn(ada());
    expect((await call('GET', '/clients', undefined, token)).status).toBe(200);
    return { provider, user, membership, token };
  };

  it.each<[string, number, (found: Awaited<ReturnType<typeof enter>>) => Promise<unknown>]>([
    [
      'with its membership',
      403,
      ({ membership }) => call('PATCH', `/memberships/${membership}`, { status: 'inactive' }),
    ],
    ['with a deleted membership', 403, ({ membership }) => call('DELETE', `/memberships/${membership}`)],
    [
      'with a weaker role',
      403,
      async ({ membership }) => call('PATCH', `/memberships/${membership}`, { role_id: await role(['logs:read']) }),
    ],
    ['when it is inactive', 401, ({ user }) => call('PATCH', `/users/${user}`, { is_active: false })],
    [
      'with its provider',
      401,
      ({ provider }) => call('PATCH', `/identity-providers/${provider}`, { status: 'inactive' }),
    ],
    ['when users are not let in any more', 401, () => letIn(false)],
    ['with its tokens', 401, ({ user }) => call('POST', `/users/${user}/revoke-tokens`)],
    ['when it leaves', 401, ({ user }) => call('POST', `/users/${user}/offboard`)],
  ])('%s', async (_, status, end) => {
    const found = await enter();
    expect((await end(found)) as { status: number }).toMatchObject({
      status: expect.toSatisfy((s: number) => s < 300),
    });
    expect((await call('GET', '/clients', undefined, found.token)).status).toBe(status);
  });
});
