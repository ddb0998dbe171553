import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { loadFromSource } from '../../local/functions.ts';
import { type Gateway, startGateway } from '../../local/gateway/gateway.ts';
import { basePathOf, requestOf } from '../../shared/http/request/http-request.ts';
import { underBasePath } from '../../shared/http/response.ts';
import { type Api, callersAt, type OrgAccess, startApi } from '../support/api.ts';

/** The API at API Gateway's own address, whose paths begin with the stage, and at a custom domain, at the same time. */

let staged: Api;
let atRoot: Gateway;
let org: OrgAccess;
beforeAll(async () => {
  staged = await startApi({ stage: 'prod' });
  atRoot = await startGateway({ contracts, loadFunction: loadFromSource });
  org = await staged.orgToken();
});
afterAll(async () => {
  await atRoot.close();
  await staged.close();
});

const CLIENTS = '/api/v1/clients';
const get = (url: string | URL) => fetch(url, { headers: { authorization: `Bearer ${org.token}` } });
/** The target of a response's reference, for a caller that used this address. */
const from = (base: string, reference: string | null | undefined): URL => new URL(reference ?? '', `${base}${CLIENTS}`);
const relations = (link: string | null): Map<string, string> =>
  new Map(Array.from((link ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g), ([, path = '', name = '']) => [name, path]));

const create = (base: string, key: string) =>
  callersAt(base, { appCode: '', secret: '' }).request('POST', CLIENTS, {
    token: org.token,
    body: { name: 'Acme', slug: key },
    headers: { 'idempotency-key': key },
  });

describe('under a stage', () => {
  it('a record is found where its Location says', async () => {
    const { headers, body } = await create(staged.url, randomUUID());
    expect(headers.get('location')).toBe(`/prod${CLIENTS}/${body.id}`);
    const found = await get(from(staged.url, headers.get('location')));
    expect([found.status, ((await found.json()) as { id: string }).id]).toEqual([200, body.id]);
  });

  it('all the pages of a list are found from page to page', async () => {
    for (const _ of Array(3)) await create(staged.url, randomUUID());
    const seen = new Set<string>();
    let next: string | undefined = `/prod${CLIENTS}?page_size=1`;
    while (next !== undefined) {
      const page: Response = await get(from(staged.url, next));
      const { data } = (await page.json()) as { data: { id: string }[] };
      for (const { id } of data) seen.add(id);
      const links = relations(page.headers.get('link'));
      for (const path of links.values()) expect(path).toMatch(/^\/prod\/api\/v1\/clients\?/);
      next = links.get('next');
    }
    expect(seen.size).toBeGreaterThanOrEqual(3);
  });

  it('slashes at the end of a path, and before and behind the stage, lead to the same place and are not in links', async () => {
    const { origin } = new URL(staged.url);
    for (const path of [`/prod${CLIENTS}/`, `/prod/${CLIENTS}`, `//prod${CLIENTS}`]) {
      const list = await get(`${origin}${path}?page_size=1`);
      expect(list.status, path).toBe(200);
      expect(list.headers.get('link')).toMatch(/^<\/prod\/api\/v1\/clients\?/);
    }
    const { headers, body } = await callersAt(staged.url, { appCode: '', secret: '' }).request('POST', `${CLIENTS}/`, {
      token: org.token,
      body: { name: 'Acme', slug: randomUUID() },
    });
    expect(headers.get('location')).toBe(`/prod${CLIENTS}/${body.id}`);
  });

  it('nothing responds beside it', async () => {
    const { origin } = new URL(staged.url);
    for (const path of ['/api/v1/openapi', '/other/api/v1/openapi', '/', '/PROD/api/v1/openapi']) {
      expect((await fetch(`${origin}${path}`)).status, path).toBe(403);
    }
    expect((await fetch(`${staged.url}/api/v1/openapi`)).status).toBe(200);
  });
});

describe('a response that is given again', () => {
  it('links to the address that asks for it, not to the one that asked first', async () => {
    const key = randomUUID();
    const first = await create(staged.url, key);
    const again = await create(atRoot.url, key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe(`${CLIENTS}/${first.body.id}`);
    const back = await create(staged.url, key);
    expect(back.headers.get('location')).toBe(`/prod${CLIENTS}/${first.body.id}`);
  });
});

describe('what comes before the route’s own path', () => {
  const of = (path: string | undefined, resource: string) =>
    basePathOf({ resource, requestContext: { path } } as unknown as APIGatewayProxyEvent);

  it.each([
    ['/prod/api/v1/clients', '/api/v1/clients', '/prod'],
    ['/api/v1/clients', '/api/v1/clients', ''],
    ['/api/v1/clients/', '/api/v1/clients', ''],
    ['/crm/api/v1/clients/7', '/api/v1/clients/{id}', '/crm'],
    ['/a/b/api/v1/clients/7/', '/api/v1/clients/{id}', '/a/b'],
    ['/api/api/v1/clients', '/api/v1/clients', '/api'],
    ['/prod/.well-known/jwks.json', '/.well-known/jwks.json', '/prod'],
    ['//evil.example/api/v1/clients', '/api/v1/clients', '/evil.example'],
    ['/', '/api/v1/clients', ''],
    [undefined, '/api/v1/clients', ''],
  ])('of %s is found by the route %s', (path, resource, expected) => expect(of(path, resource)).toBe(expected));
});

it.each([
  ['api.example.com', CLIENTS, 'https://api.example.com'],
  ['api.example.com', `/crm${CLIENTS}`, 'https://api.example.com/crm'],
  ['a1.execute-api.eu-west-1.amazonaws.com', `/prod${CLIENTS}`, 'https://a1.execute-api.eu-west-1.amazonaws.com/prod'],
  ['127.0.0.1:3000', CLIENTS, 'http://127.0.0.1:3000'],
])('a request knows the address that was called: %s%s', (domainName, path, expected) => {
  const event = { resource: CLIENTS, requestContext: { domainName, path } } as unknown as APIGatewayProxyEvent;
  expect(requestOf(event).baseUrl).toBe(expected);
});

it('nothing in a base path is anything but text', () => {
  const headers = { Link: '</a?page=1>; rel="first", </a?page=2>; rel="next"', Location: '/a/1', ETag: '"1"' };
  expect(underBasePath(headers, "/$&$'")).toEqual({
    Link: `</$&$'/a?page=1>; rel="first", </$&$'/a?page=2>; rel="next"`,
    Location: "/$&$'/a/1",
    ETag: '"1"',
  });
});
