import { describe, expect, it } from 'vitest';
import type { JsonBody } from '../support/api.ts';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi({ authorizerTtlSeconds: 0 });
const org = prepared(() => api.orgToken());

const login = (body: unknown) => api.request('POST', '/api/v1/auth/login', { body });
const client = () => api.request('GET', '/api/v1/clients', { token: org.token });
const claimsOf = (token: string): JsonBody =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

/** A response without what differs between responses. */
const anonymous = ({ status, headers, body }: Awaited<ReturnType<typeof login>>) => ({
  status,
  headers: [...headers].filter(
    ([name]) => !['date', 'x-request-id', 'x-amzn-requestid', 'x-amzn-trace-id'].includes(name),
  ),
  body: { ...body, request_id: '' },
});

describe('logging in', () => {
  it('gives a bearer token for an hour, which no cache keeps', async () => {
    const { status, headers, body } = await login({ app_code: org.appCode, secret: org.secret });
    expect([status, body.token_type, body.expires_in]).toEqual([200, 'bearer', 3600]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('etag')).toBeNull();
    expect(claimsOf(String(body.access_token))).toMatchObject({
      sub: org.integrationId,
      app_code: org.appCode,
      org_id: org.orgId,
      type: 'api_key',
    });
  });

  it('gives the platform a token without an organization', async () => {
    expect(claimsOf(await api.platformToken()).org_id).toBeNull();
  });

  it('says the same whatever was wrong', async () => {
    const inactive = await api.orgToken();
    // The last key of an organization: only the platform may do that.
    await api.request('PATCH', `/api/v1/integrations/${inactive.integrationId}?org_id=${inactive.orgId}`, {
      token: await api.platformToken(),
      body: { status: 'inactive' },
    });
    const responses = await Promise.all([
      login({ app_code: org.appCode, secret: `${org.secret}x` }),
      login({ app_code: org.appCode, secret: 'x' }),
      login({ app_code: 'nobody', secret: org.secret }),
      login({ app_code: 'no such code!', secret: org.secret }),
      login({ app_code: org.appCode.toUpperCase(), secret: org.secret }),
      login({ app_code: inactive.appCode, secret: inactive.secret }),
      login({ app_code: inactive.appCode, secret: 'wrong' }),
    ]);
    for (const response of responses) {
      expect(response.status).toBe(401);
      expect(response.body.type).toBe('urn:problem-type:custodia:invalid-credentials');
      expect(anonymous(response)).toEqual(anonymous(responses[0] ?? response));
    }
  });
});

const metadataAt = () => `, resource_metadata="${api.url}/.well-known/oauth-protected-resource"`;

describe('a token', () => {
  it('opens the API', async () => {
    expect((await client()).status).toBe(200);
  });

  const HOW = 'Send the header Authorization: Bearer <access_token>. POST /api/v1/auth/login returns ';

  it.each<[string, Record<string, string>, RegExp]>([
    ['none', {}, /^Send the header .* such as X-Api-Key/],
    ['that of another header', { 'x-api-key': 'SECRET' }, /^Send the header .* such as X-Api-Key/],
    ['an empty token', { authorization: 'Bearer ' }, /the word Bearer, a space and one token\./],
    ['two credentials', { authorization: 'Bearer TOKEN, Bearer TOKEN' }, /a space and one token\./],
    ['that of another scheme', { authorization: 'Token TOKEN' }, /has another scheme than Bearer\./],
    ['that of no scheme', { authorization: 'TOKEN' }, /lacks the word Bearer/],
    ['named twice', { authorization: 'Bearer Bearer TOKEN' }, /has the word Bearer twice\./],
    ['a secret without a scheme', { authorization: 'SECRET' }, /has the secret of an integration/],
    ['a secret', { authorization: 'Bearer SECRET' }, /has the secret of an integration/],
  ])('is a 401 with a challenge, and says what to send, when it is %s', async (_, sent, wrong) => {
    const filled = (text: string) => text.replaceAll('TOKEN', org.token).replaceAll('SECRET', org.secret);
    const headers = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, filled(value)]));
    for (const path of ['/api/v1/clients', '/api/v1/integrations']) {
      const { status, headers: answered, body } = await api.request('GET', path, { headers });
      expect([status, body.type]).toEqual([401, 'urn:problem-type:custodia:unauthorized']);
      expect([body.detail, body.detail]).toEqual([expect.stringMatching(wrong), expect.stringContaining(HOW)]);
      // Without any token the gateway responds by itself, and does not know the address.
      const metadata = sent.authorization === undefined ? '' : metadataAt();
      expect(answered.get('www-authenticate')).toBe(`Bearer realm="custodia"${metadata}`);
      expect(JSON.stringify(body)).not.toContain(org.secret);
    }
  });

  it.each(['TOKE', 'nonsense', 'a.b.c'])('is said to be none of this service where it is %s', async (text) => {
    const token = text.replace('TOKE', org.token.slice(0, -2));
    const { status, headers, body } = await api.request('GET', '/api/v1/clients', { token });
    const detail = `The token is not one of this service. ${HOW}`;
    expect([status, body.type]).toEqual([401, 'urn:problem-type:custodia:unauthorized']);
    expect(body.detail).toContain(detail);
    expect(headers.get('www-authenticate')).toBe(
      'Bearer realm="custodia", error="invalid_token", error_description="The token is not one of this service"' +
        metadataAt(),
    );
  });

  it('ends with its integration, and stays so when that is active again', async () => {
    const other = await api.orgToken();
    const path = `/api/v1/integrations/${other.integrationId}`;
    const set = (status: string, token: string) =>
      api.request('PATCH', `${path}?org_id=${other.orgId}`, { token, body: { status } });
    expect((await set('inactive', await api.platformToken())).status).toBe(200);
    const refused = await api.request('GET', path, { token: other.token });
    expect([refused.status, refused.body.detail]).toEqual([401, expect.stringMatching(/^The token has ended/)]);
    expect(refused.headers.get('www-authenticate')).toMatch(
      /^Bearer realm="custodia", error="invalid_token", error_description="The token has ended/,
    );
    expect((await set('active', await api.platformToken())).status).toBe(200);
    expect((await api.request('GET', path, { token: other.token })).status).toBe(401);
    const token = await api.login(other.appCode, other.secret);
    expect((await api.request('GET', path, { token })).status).toBe(200);
  });

  it.each([
    ['a rotation that ends the secret before', 'rotate-secret', { previous_valid_for: 0 }],
    ['the end of all tokens', 'revoke-tokens', {}],
  ])('ends with %s', async (_, what, body) => {
    const other = await api.orgToken();
    const path = `/api/v1/integrations/${other.integrationId}`;
    const { status, body: record } = await api.request('POST', `${path}/${what}`, { token: other.token, body });
    expect(status).toBeLessThan(300);
    expect((await api.request('GET', path, { token: other.token })).status).toBe(401);
    const token = await api.login(other.appCode, String(record.secret ?? other.secret));
    expect((await api.request('GET', path, { token })).status).toBe(200);
  });
});
