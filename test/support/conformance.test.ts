import { expect, it } from 'vitest';
import { things } from '../local/gateway-fixture.ts';
import { conformance, NotConforming } from './conformance.ts';

/** The check of every response in tests. */

const check = conformance([things]);
const headers = new Headers({ 'X-Request-Id': 'r', 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' });
const problemHeaders = new Headers([...headers, ['Content-Type', 'application/problem+json']]);
const without = (name: string) => new Headers([...headers].filter(([other]) => other !== name));
const type = 'urn:problem-type:custodia:route-not-found';
const problem = { type, title: 'No such path', status: 404, request_id: 'r' };
const unauthorized = { ...problem, type: 'urn:problem-type:custodia:unauthorized', status: 401 };
const response = { method: 'GET', path: '/v1/things?x=1', status: 204, headers, body: '' };

it('takes what is declared', () => {
  check(response);
  check({ ...response, path: '/v1/nothing', status: 404, headers: problemHeaders, body: problem });
});

it.each([
  ['another status', { status: 200 }],
  ['a body where none is declared', { body: {} }],
  ['no request id', { headers: without('x-request-id') }],
  ['no word on caching', { headers: without('cache-control') }],
  ['a problem of another kind', { status: 400, headers: problemHeaders, body: { ...problem, status: 400 } }],
  ['a problem as plain JSON', { path: '/v1/nothing', status: 404, body: problem }],
  ['a problem with more', { path: '/', status: 404, headers: problemHeaders, body: { ...problem, stack: '' } }],
  ['a problem without its header', { path: '/v1/secret', status: 401, headers: problemHeaders, body: unauthorized }],
])('refuses %s', (_, different) => {
  expect(() => check({ ...response, ...different })).toThrow(NotConforming);
});
