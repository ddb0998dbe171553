import { createServer, type Server } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type OrgAccess, startApi } from '../support/api.ts';
import { listening } from '../support/listening.ts';
import { PATIENCE } from '../support/patience.ts';
import { launchChromium, noChromium } from './chromium.ts';

/** What a page of another origin can do with the API, in the browser that decides it. */

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A page at an origin of its own. */
interface Site {
  readonly origin: string;
  readonly close: () => void;
}

async function site(): Promise<Site> {
  const server: Server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A page</title>'),
  );
  return { origin: await listening(server), close: () => server.close() };
}

describe.skipIf(noChromium !== undefined)(`a page in a browser${noChromium ? ` (${noChromium})` : ''}`, () => {
  let api: Api;
  let org: OrgAccess;
  let browser: Browser;
  let sites: Site[];
  let [allowed, second, other]: (Page | undefined)[] = [];

  beforeAll(async () => {
    sites = await Promise.all([site(), site(), site()]);
    const [one, two, three] = sites.map(({ origin }) => origin);
    api = await startApi({ corsOrigins: [one ?? '', two ?? ''] });
    org = await api.orgToken();
    browser = await launchChromium();
    [allowed, second, other] = await Promise.all([one, two, three].map((origin) => pageAt(origin ?? '')));
  });
  afterAll(async () => {
    await browser?.close();
    for (const { close } of sites) close();
    await api.close();
  });

  async function pageAt(origin: string): Promise<Page> {
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE);
    await page.goto(origin);
    return page;
  }

  /** The result of `fetch` in a script of the page; `refused` where the browser withholds the response. */
  const fetched = (page: Page | undefined, path: string, asked: Asked = {}) =>
    page?.evaluate(
      async ([url, options]) => {
        try {
          const response = await fetch(url, options);
          return {
            status: response.status,
            headers: Object.fromEntries(response.headers),
            body: JSON.parse((await response.text()) || 'null'),
          };
        } catch {
          return 'refused';
        }
      },
      [`${api.url}${path}`, asked] as const,
    );

  const bearer = (token = org.token) => ({ authorization: `Bearer ${token}` });

  it('of an allowed origin lists clients, and reads the headers of the response', async () => {
    for (const page of [allowed, second]) {
      expect(await fetched(page, '/api/v1/clients', { headers: bearer() })).toMatchObject({
        status: 200,
        headers: {
          etag: expect.stringMatching(/^W\//),
          link: expect.stringContaining('rel="first"'),
          ratelimit: expect.any(String),
          'ratelimit-policy': expect.any(String),
          'x-request-id': expect.any(String),
        },
        body: { total: expect.any(Number) },
      });
    }
  });

  it('logs in, creates once with an Idempotency-Key, and changes what it read with If-Match', async () => {
    const json = { 'content-type': 'application/json' };
    const login = {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ app_code: org.appCode, secret: org.secret }),
    };
    const session = await fetched(allowed, '/api/v1/auth/login', login);
    const token = (session as { body: { access_token: string } }).body.access_token;
    const creation = {
      method: 'POST',
      headers: { ...json, ...bearer(token), 'idempotency-key': 'from-a-page' },
      body: JSON.stringify({ name: 'From a page' }),
    };
    const made = await fetched(allowed, '/api/v1/clients', creation);
    expect(made).toMatchObject({ status: 201, headers: { location: expect.stringContaining('/clients/') } });
    const again = await fetched(allowed, '/api/v1/clients', creation);
    expect(again).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } });
    const { headers, body } = made as { headers: Record<string, string>; body: { id: string } };
    const change = {
      method: 'PATCH',
      headers: { ...json, ...bearer(token), 'if-match': headers.etag ?? '' },
      body: '{"plan":"gold"}',
    };
    expect(await fetched(allowed, `/api/v1/clients/${body.id}`, change)).toMatchObject({ status: 200 });
    expect(await fetched(allowed, `/api/v1/clients/${body.id}`, change)).toMatchObject({ status: 412 });
  });

  it('of an allowed origin reads refusals, of the gateway itself and of functions', async () => {
    for (const [status, path, headers] of [
      [401, '/api/v1/clients', {}],
      [404, '/api/v1/nothing', bearer('a.b.c')],
      [403, '/api/v1/orgs', bearer()],
    ] as const) {
      const body = { type: expect.stringContaining('urn:') };
      expect(await fetched(allowed, path, { headers })).toMatchObject({
        ...{ status, body, headers: { 'x-request-id': expect.any(String) } },
      });
    }
  });

  it('of another origin gets nothing, with a token or without, and creates nothing', async () => {
    expect(await fetched(other, '/api/v1/clients', { headers: bearer() })).toBe('refused');
    const total = async () =>
      ((await fetched(allowed, '/api/v1/clients', { headers: bearer() })) as { body: { total: number } }).body.total;
    const before = await total();
    const headers = { ...bearer(), 'content-type': 'application/json' };
    expect(await fetched(other, '/api/v1/clients', { method: 'POST', headers, body: '{"name":"x"}' })).toBe('refused');
    expect(await total()).toBe(before);
  });

  it('of any origin reads what everybody may read, also with a header that asks first', async () => {
    for (const path of ['/api/v1/openapi', '/.well-known/jwks.json']) {
      const first = await fetched(other, path);
      expect(first).toMatchObject({ status: 200, headers: { etag: expect.any(String) } });
      const { etag = '' } = (first as { headers: Record<string, string> }).headers;
      expect(await fetched(other, path, { headers: { 'if-none-match': etag } })).toMatchObject({ status: 304 });
    }
  });

  it('of an allowed origin sends no webhook: a page cannot keep the secret', async () => {
    const headers = { 'content-type': 'application/json', 'x-signature': '0'.repeat(64), 'x-event-id': 'e' };
    expect(await fetched(allowed, `/api/v1/webhooks/${org.appCode}`, { method: 'POST', headers, body: '{}' })).toBe(
      'refused',
    );
  });
});
