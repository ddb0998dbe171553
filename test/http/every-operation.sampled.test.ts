import { describe, expect, it } from 'vitest';
import { sampled } from '../support/extent.ts';
import { prepared } from '../support/prepared.ts';
import { operations, TestTenant } from '../support/scenario.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi();
const org = prepared(() => api.orgToken());
const testTenant = prepared(() => new TestTenant(api, org));

/**
 * Headers of the single response or of the caller's budget, and the length, which a response to HEAD may leave out (RFC
 * 9110 §9.3.2).
 */
const OF_THE_RESPONSE =
  /^(date|x-request-id|x-amzn-requestid|x-amzn-trace-id|ratelimit.*|keep-alive|connection|content-length)$/;

async function responseTo(method: 'GET' | 'HEAD', path: string, headers: Readonly<Record<string, string>>) {
  const response = await api.fetch(`${api.url}${path}`, { method, headers });
  const kept = [...response.headers].filter(([name]) => !OF_THE_RESPONSE.test(name));
  return { status: response.status, headers: Object.fromEntries(kept), text: await response.text() };
}

const bearer = (token: string | undefined) => (token === undefined ? {} : { authorization: `Bearer ${token}` });

const withToken = operations.filter(([, route]) => route.auth === 'bearer');
const reads = operations.filter(([, { method }]) => method === 'GET').map(([operationId]) => operationId);

describe('HEAD gets the response to GET, without the body', () => {
  it.each(sampled(reads, 4))('%s', async (operationId) => {
    const { path, token } = await testTenant.scenario(operationId);
    const get = await responseTo('GET', path, bearer(token));
    expect(await responseTo('HEAD', path, bearer(token))).toEqual({ ...get, text: '' });
    expect([get.status, get.text === '', get.headers.etag]).toEqual([200, false, expect.any(String)]);
    const fresh = await responseTo('HEAD', path, { ...bearer(token), 'if-none-match': get.headers.etag ?? '' });
    expect([fresh.status, fresh.headers.etag]).toEqual([304, get.headers.etag]);
    const weak = (get.headers.etag ?? '').replace(/^W\//, '');
    const again = await responseTo('GET', path, { ...bearer(token), 'if-none-match': `"other", ${weak}` });
    expect(again).toEqual({ ...fresh, text: '' });
  });

  it.each([
    ['a record that is not there', '/api/v1/clients/6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d', true, 404],
    ['a wrong parameter', '/api/v1/clients?page=0', true, 400],
    ['no token', '/api/v1/clients', false, 401],
    ['no path', '/api/v1/nothing', true, 404],
    ['no such method', '/api/v1/auth/login', true, 405],
  ])('%s', async (_, path, identified, status) => {
    const headers = bearer(identified ? org.token : undefined);
    const get = await responseTo('GET', path, headers);
    expect([get.status, await responseTo('HEAD', path, headers)]).toEqual([status, { ...get, text: '' }]);
  });
});

/** Calls every endpoint with its own example; `support/conformance.ts` checks the response against the contract. */
describe('every operation does what its example says', () => {
  it.each(operations)('%s', async (operationId, route) => {
    const { status } = await testTenant.send(await testTenant.scenario(operationId));
    expect(status).toBe(route.response.status);
  });

  it.each(sampled(withToken, 4))('%s wants a token', async (operationId) => {
    const scenario = await testTenant.scenario(operationId);
    for (const token of [undefined, 'a.b.c']) {
      const { status, headers } = await testTenant.send({ ...scenario, token });
      expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Bearer')]);
    }
  });
});

describe('a list that is asked for again', () => {
  it('is sent when a record on the page has changed, one has come, or the total is another', async () => {
    const { token } = await api.orgToken();
    const path = '/api/v1/clients?page_size=1&sort=created_at';
    const create = (name: string) => api.request('POST', '/api/v1/clients', { token, body: { name } });
    const read = (held: string | null) =>
      api.request('GET', path, { token, headers: held === null ? {} : { 'if-none-match': held } });
    const { body } = await create('First');
    const seen = [(await read(null)).headers.get('etag')];
    const changes = [
      () => create('On the second page'),
      () => api.request('PATCH', `/api/v1/clients/${body.id}`, { token, body: { name: 'Another' } }),
    ];
    for (const change of changes) {
      await change();
      const { status, headers } = await read(seen.at(-1) ?? null);
      expect(status).toBe(200);
      expect(seen).not.toContain(headers.get('etag'));
      seen.push(headers.get('etag'));
    }
    expect((await read(seen.at(-1) ?? null)).status).toBe(304);
  });
});
