import { expect, it } from 'vitest';
import { fakeGateway } from '../local/gateway-fixture.ts';
import { directFetch } from './direct-fetch.ts';

/** What `fetch` sends besides, and what belongs to one request or connection. */
const VARYING =
  /^(accept-encoding|accept-language|connection|content-encoding|date|keep-alive|sec-fetch-mode|user-agent|x-amzn-.*|x-forwarded-.*|x-request-id)$/i;
const OF_A_REQUEST = /^(extendedRequestId|request_?[iI]d|requestTime.*|multiValueHeaders|userAgent)$/;

/** A response and the event in it, without what differs between two requests. */
async function exchangedBy(send: typeof fetch, url: string, init: RequestInit) {
  const response = await send(url, init);
  const text = await response.text();
  const body: unknown = text.startsWith('{')
    ? JSON.parse(text, (name, value) => (VARYING.test(name) || OF_A_REQUEST.test(name) ? undefined : value))
    : text;
  const headers = [...response.headers].filter(([name]) => !VARYING.test(name) && name !== 'content-length');
  return { status: response.status, headers, body };
}

it.each<[status: number, method: string, path: string, init?: RequestInit]>([
  [200, 'GET', '/v1/things/%74%2F?x=1&x=ä#fragment', { headers: { accept: 'text/plain', authorization: ' a ' } }],
  [200, 'HEAD', '/v1/things'],
  [200, 'get', '/v1/./things'],
  [200, 'POST', '/v1/things', { body: '{"a":"ü"}', headers: { 'content-type': 'application/json', 'x-one': '1' } }],
  [200, 'POST', '/v1/things', { body: new Uint8Array([0, 255, 128]) }],
  [413, 'POST', '/v1/things', { body: 'x'.repeat(101) }],
  [401, 'GET', '/v1/secret'],
  [404, 'GET', '/v1/nothing'],
  [400, 'GET', '/v1/things/%ff'],
])('%d %s %s without a socket is what it is over one', async (status, method, path, init = {}) => {
  const gateway = await fakeGateway({ limits: { bodyBytes: 100 } });
  const [direct, overSocket] = await Promise.all(
    [directFetch(gateway), fetch].map((send) => exchangedBy(send, `${gateway.url}${path}`, { method, ...init })),
  );
  expect(direct).toEqual(overSocket);
  expect(direct?.status).toBe(status);
});
