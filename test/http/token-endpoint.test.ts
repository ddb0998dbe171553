import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { suspendOrganization } from '../../operator/suspending.ts';
import { keyMadeBy } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** The token endpoint of OAuth, by its responses. Each is checked for the form of its errors (`conformance.ts`). */

const api = useApi({ authorizerTtlSeconds: 0 });
const org = prepared(() => api.orgToken());
const PATH = '/api/v1/auth/token';
const LOGIN = '/api/v1/auth/login';
const FORM = 'application/x-www-form-urlencoded';

type Fields = Readonly<Record<string, string>>;
const GRANT = { grant_type: 'client_credentials' };

const sendForm = (fields: Fields | string, headers: Fields = {}) =>
  api.request('POST', PATH, {
    raw: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
    headers: { 'content-type': FORM, ...headers },
  });
const sendJson = (body: unknown, headers: Fields = {}) => api.request('POST', PATH, { body, headers });
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});
const inHeader = () => basic(org.appCode, org.secret);
const inBody = () => ({ client_id: org.appCode, client_secret: org.secret });

const claimsOf = (token: unknown): Record<string, unknown> =>
  JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());

describe('a client gets a token', () => {
  it.each<[string, () => ReturnType<typeof sendForm>]>([
    ['as a form, with Basic', () => sendForm(GRANT, inHeader())],
    ['as a form, with the secret in it', () => sendForm({ ...GRANT, ...inBody() })],
    [
      'as a form in UTF-8, and its id in both places',
      () => sendForm({ ...GRANT, client_id: org.appCode }, { ...inHeader(), 'content-type': `${FORM}; charset=UTF-8` }),
    ],
    ['as JSON, with Basic', () => sendJson(GRANT, inHeader())],
    ['as JSON, with the secret in it', () => sendJson({ ...GRANT, ...inBody() })],
    [
      'with parameters that are unknown or have no value',
      () => sendForm({ ...GRANT, ...inBody(), scope: '', resource: 'x', audience: '' }),
    ],
  ])('%s', async (_, sent) => {
    const { status, headers, body } = await sent();
    expect(body).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 3600 });
    expect([status, headers.get('cache-control'), headers.get('pragma')]).toEqual([200, 'no-store', 'no-cache']);
    expect(claimsOf(body.access_token)).toMatchObject({ sub: org.integrationId, type: 'api_key' });
    const me = await api.request('GET', '/api/v1/me', { token: String(body.access_token) });
    expect(me.body).toMatchObject({ permissions: null });
  });

  it('that is as good as the one of a login', async () => {
    const { body } = await sendForm(GRANT, inHeader());
    const names = (token: unknown) => Object.keys(claimsOf(token));
    expect(names(body.access_token)).toEqual(names(await api.login(org.appCode, org.secret)));
  });

  it('with a secret that has to be encoded', async () => {
    const secret = `${randomUUID()}&+%41 /:=${randomUUID()}`;
    const key = await keyMadeBy(api, callsOf(api, org.token), { secret });
    expect((await sendForm(GRANT, basic(key.appCode, secret))).status).toBe(200);
    expect((await sendForm({ ...GRANT, client_id: key.appCode, client_secret: secret })).status).toBe(200);
  });

  it('in the body, when it sends its last token with all requests', async () => {
    for (const token of [org.token, 'ended'])
      expect((await sendForm({ ...GRANT, ...inBody() }, { authorization: `Bearer ${token}` })).status).toBe(200);
  });
});

describe('a request is refused', () => {
  const big = () => ({ ...GRANT, ...inBody(), subject_token: 'x'.repeat(20_480) });

  it.each<[string, () => ReturnType<typeof sendForm>, number, string]>([
    ['without a grant type', () => sendForm(inBody()), 400, 'invalid_request'],
    ['with an empty body', () => sendForm(''), 400, 'invalid_request'],
    ['with a parameter twice', () => sendForm('grant_type=a&grant_type=a'), 400, 'invalid_request'],
    ['with JSON that is no object', () => sendJson(['client_credentials']), 400, 'invalid_request'],
    ['with JSON that is none', () => sendForm('{', { 'content-type': 'application/json' }), 400, 'invalid_request'],
    ['with a number in JSON', () => sendJson({ grant_type: 1 }), 400, 'invalid_request'],
    ['with a parameter in the URL', () => api.request('POST', `${PATH}?a=1`, { body: GRANT }), 400, 'invalid_request'],
    ['with the secret in two places', () => sendForm({ ...GRANT, ...inBody() }, inHeader()), 400, 'invalid_request'],
    ['with two ids', () => sendForm({ ...GRANT, client_id: 'x' }, inHeader()), 400, 'invalid_request'],
    ['with another grant type', () => sendForm({ grant_type: 'password' }), 400, 'unsupported_grant_type'],
    ['with one of the language', () => sendForm({ grant_type: 'constructor' }), 400, 'unsupported_grant_type'],
    ['with a type that is no form', () => sendForm('a=1', { 'content-type': 'text/plain' }), 415, 'invalid_request'],
    ['with a large body', () => sendForm(big()), 413, 'invalid_request'],
    ['without a client', () => sendForm(GRANT), 401, 'invalid_client'],
    ['without a secret', () => sendForm({ ...GRANT, client_id: org.appCode }), 401, 'invalid_client'],
    ['with a wrong secret', () => sendForm(GRANT, basic(org.appCode, 'x')), 401, 'invalid_client'],
    ['by nobody', () => sendForm(GRANT, basic(randomUUID(), org.secret)), 401, 'invalid_client'],
    ['with an endless id', () => sendForm(GRANT, basic('x'.repeat(3_000), 'x')), 401, 'invalid_client'],
    ['with another scheme', () => sendForm(GRANT, { authorization: `Bearer ${org.token}` }), 401, 'invalid_client'],
    ['with Basic without a colon', () => sendForm(GRANT, { authorization: 'Basic eHg=' }), 401, 'invalid_client'],
    ['with no base64', () => sendForm(GRANT, { authorization: 'Basic §' }), 401, 'invalid_client'],
    ['with an unknown scope', () => sendForm({ ...GRANT, ...inBody(), scope: 'openid' }), 400, 'invalid_scope'],
    ['with "the" scope', () => sendForm({ ...GRANT, ...inBody(), scope: '"é\\' }), 400, 'invalid_scope'],
  ])('%s', async (_, sent, status, error) => {
    const response = await sent();
    expect([response.status, response.body.error]).toEqual([status, error]);
    const challenge = status === 401 ? 'Basic realm="custodia"' : null;
    expect(response.headers.get('www-authenticate')).toBe(challenge);
  });

  it('for a suspended organization, with the right secret only', async () => {
    const other = await api.orgToken();
    await suspendOrganization(other.orgId);
    const right = await sendForm(GRANT, basic(other.appCode, other.secret));
    expect([right.status, right.body.error]).toEqual([400, 'unauthorized_client']);
    const wrong = await sendForm(GRANT, basic(other.appCode, 'x'));
    expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client']);
  });

  it('after failed logins, which both routes count together', async () => {
    const key = await keyMadeBy(api, callsOf(api, org.token));
    const login = { app_code: key.appCode, secret: 'x' };
    for (let turn = 0; turn < 5; turn++) {
      const isEven = turn % 2 === 0;
      const sent = isEven ? sendForm(GRANT, basic(key.appCode, 'x')) : api.request('POST', LOGIN, { body: login });
      expect((await sent).status).toBe(401);
    }
    const { status, headers, body } = await sendForm(GRANT, basic(key.appCode, key.secret));
    expect([status, body.error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
