import { describe, expect, it } from 'vitest';
import { originsOf } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';
import { responseHeaderComponents } from '../../functions/docs/openapi/headers.ts';
import { requestHeaders } from '../../functions/docs/openapi/request-headers.ts';
import { EXPOSED_HEADERS } from '../../shared/contract/cors.ts';
import { fakeGateway, problemOf } from './gateway-fixture.ts';

const APP = 'https://app.example.com';
const LOCAL = 'http://localhost:5173';
const from = (origin: string) => ({ headers: ['Origin', origin, 'Access-Control-Request-Method', 'GET'] });

describe('a preflight', () => {
  it('gets a response without a function, with what the path’s routes take, in the name of each allowed origin', async () => {
    const things = (): never => {
      throw new Error('asked');
    };
    const { send } = await fakeGateway({ things, corsOrigins: [APP, LOCAL] });
    for (const origin of [APP, LOCAL]) {
      const sent = await send('OPTIONS', '/v1/keys', from(origin));
      expect([sent.status, sent.text]).toEqual([204, '']);
      expect(Object.fromEntries(sent.headers)).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': expect.stringMatching(/Authorization.*Mcp-Method.*If-Match.*Idempotency-Key/),
        'access-control-max-age': '7200',
        vary: 'Origin',
      });
      expect(sent.headers.has('access-control-allow-credentials')).toBe(false);
    }
    expect((await send('OPTIONS', '/v1/secret', from(APP))).headers.get('access-control-allow-methods')).toBe(
      'GET, HEAD',
    );
  });

  it('names an allowed origin to another one, whose browser compares it', async () => {
    const { send } = await fakeGateway({ corsOrigins: [APP, LOCAL] });
    for (const origin of ['https://evil.example', 'null', `${APP}.evil.example`, APP.toUpperCase()])
      expect((await send('OPTIONS', '/v1/secret', from(origin))).headers.get('access-control-allow-origin')).toBe(APP);
  });

  it('allows everybody, where everybody may', async () => {
    const { send } = await fakeGateway({ corsOrigins: ['*'] });
    const { headers } = await send('OPTIONS', '/v1/secret', from(APP));
    expect([headers.get('access-control-allow-origin'), headers.has('vary')]).toEqual(['*', false]);
    // The same to everybody, whatever the stage says.
    const off = await fakeGateway();
    const open = await off.send('OPTIONS', '/v1/things/7', from(APP));
    expect([open.status, open.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  });

  it('of a path that is not there succeeds, so that a page can read the 404', async () => {
    const { send } = await fakeGateway({ corsOrigins: [APP] });
    expect((await send('OPTIONS', '/v1/nothing', from(APP))).status).toBe(204);
    const sent = await send('GET', '/v1/nothing', from(APP));
    expect([problemOf(sent), sent.headers.get('access-control-allow-origin')]).toEqual(['404 route-not-found', '*']);
  });

  it('is a 405 where no page may call: of webhooks, and of a stage that allows no origin', async () => {
    const { send } = await fakeGateway({ corsOrigins: ['*'] });
    const hook = await send('OPTIONS', '/v1/hooks', from(APP));
    expect([problemOf(hook), hook.headers.get('allow')]).toEqual(['405 method-not-allowed', 'POST']);
    const off = await fakeGateway();
    const sent = await off.send('OPTIONS', '/v1/secret', from(APP));
    expect(problemOf(sent)).toBe('405 method-not-allowed');
    expect([...sent.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('what the gateway says by itself', () => {
  it.each([
    ['401', '/v1/secret'],
    ['405', '/v1/keys'],
    ['429', '/v1/things'],
    ['502', '/v1/things/7'],
  ])('can be read by pages where the stage allows any: %s', async (status, path) => {
    const things = (): never => {
      throw new Error('it failed');
    };
    const { send } = await fakeGateway({ things, corsOrigins: [APP], throttling: { rate: 1e-9, burst: 1 } });
    if (status === '429') await send('GET', path);
    const { status: responded, headers } = await send('GET', path, from(APP));
    expect([String(responded), headers.get('access-control-allow-origin')]).toEqual([status, '*']);
    expect(headers.get('access-control-expose-headers')).toContain('Retry-After');
  });

  it('is no page’s where the stage allows none', async () => {
    const { send } = await fakeGateway();
    expect((await send('GET', '/v1/secret', from(APP))).headers.has('access-control-allow-origin')).toBe(false);
  });
});

describe('the lists of headers', () => {
  it('have each that the document declares of a response, but the one that pages always read, and each of a request', async () => {
    const declared = Object.keys(responseHeaderComponents).filter((name) => name !== 'Cache-Control');
    expect(declared.filter((name) => !EXPOSED_HEADERS.includes(name))).toEqual([]);
    const { send } = await fakeGateway({ corsOrigins: [APP] });
    const { headers } = await send('OPTIONS', '/v1/secret', from(APP));
    const allowed = headers.get('access-control-allow-headers')?.split(', ');
    const routes = contracts.flatMap((each) => Object.values(each.routes)).filter(({ auth }) => auth !== 'signature');
    const taken = routes.flatMap((route) => Object.keys(route.headers ?? {}));
    expect([...Object.keys(requestHeaders), ...taken].filter((name) => !allowed?.includes(name))).toEqual([]);
    expect(new Set(allowed).size).toBe(allowed?.length);
  });
});

describe('the setting', () => {
  it.each<[string, readonly string[] | undefined]>([
    ['', []],
    ['*', ['*']],
    [`${APP},${LOCAL}`, [APP, LOCAL]],
    [`${APP},*`, undefined],
    [`${APP}/`, undefined],
    ['app.example.com', undefined],
    ['https://*.example.com', undefined],
    ['https://App.example.com', undefined],
    ['https://a"b', undefined],
    ['null', undefined],
    [[APP, APP].join(), [APP]],
    [Array(21).fill(APP).join(), undefined],
  ])('%s', (setting, origins) => {
    expect(originsOf(setting)).toEqual(origins);
  });
});
