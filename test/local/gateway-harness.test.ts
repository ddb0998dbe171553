import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { conformance, NotConforming } from '../support/conformance.ts';
import { things } from './gateway-fixture.ts';

describe('the API of the tests', () => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  it('runs the real functions for a platform caller and for an organization', async () => {
    const token = await api.platformToken();
    const { token: own, orgId } = await api.orgToken('Acme');
    expect((await api.request('GET', `/api/v1/orgs/${orgId}`, { token: own })).body).toMatchObject({ name: 'Acme' });
    const list = await api.request<{ data: unknown[] }>('GET', '/api/v1/orgs', { token });
    expect(list.body.data).toContainEqual(expect.objectContaining({ id: orgId }));
  });

  it('takes what the gateway answers by itself', async () => {
    expect((await api.request('GET', '/api/v1/nothing')).status).toBe(404);
    expect((await api.request('DELETE', '/api/v1/orgs')).status).toBe(405);
    expect((await api.request('GET', '/api/v1/orgs')).status).toBe(401);
    expect((await api.request('GET', '/api/v1/orgs', { token: 'x' })).status).toBe(401);
    expect((await api.request('GET', '/api/v1/orgs/%ff')).status).toBe(400);
  });
});

describe('the check of answers', () => {
  const check = conformance([things]);
  const headers = new Headers({
    'X-Request-Id': 'r',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  });
  const without = (name: string) => new Headers([...headers].filter(([other]) => other !== name.toLowerCase()));
  const problem = {
    type: 'urn:problem-type:custodia:route-not-found',
    title: 'No such path',
    status: 404,
    request_id: 'r',
  };
  const problemHeaders = new Headers([...headers, ['Content-Type', 'application/problem+json']]);

  it('takes what is declared', () => {
    check({ method: 'GET', path: '/v1/things?x=1', status: 204, headers, body: '' });
    check({ method: 'GET', path: '/v1/nothing', status: 404, headers: problemHeaders, body: problem });
  });

  it.each([
    ['another status', { status: 200 }],
    ['a body where none is declared', { body: {} }],
    ['no request id', { headers: without('X-Request-Id') }],
    ['no word on caching', { headers: without('Cache-Control') }],
    ['a problem of another kind', { status: 400, headers: problemHeaders, body: { ...problem, status: 400 } }],
    ['a problem as plain JSON', { path: '/v1/nothing', status: 404, body: problem }],
    ['a problem with more', { path: '/', status: 404, headers: problemHeaders, body: { ...problem, stack: '' } }],
    ['a problem without its header', { path: '/v1/secret', status: 401, headers: problemHeaders, body: problem }],
  ])('refuses %s', (_, responded) => {
    const wrong = { method: 'GET', path: '/v1/things', status: 204, headers, body: '', ...responded };
    expect(() => check(wrong)).toThrow(NotConforming);
  });
});
