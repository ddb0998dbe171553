import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ObjectRequest, presign } from '@custodia/lean-dynamodb';
import { afterAll, expect, it } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { startObjectStore } from '../../local/objects/index.ts';

const { credentials } = localConnection('http://127.0.0.1:1');
const NOW = Date.parse('2026-11-26T23:59:50.000Z');
const store = await startObjectStore({
  directory: mkdtempSync(join(tmpdir(), 'objects-')),
  corsOrigins: ['https://app.example.com'],
  clock: () => NOW,
});
afterAll(() => store[Symbol.asyncDispose]());

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');
const KEY = '1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04/babb9a7d-89a0-4b11-a7d0-3f9b8f1e6c52';

const signed = (request: ObjectRequest, { at = NOW, expiresIn = 900, secret = credentials.secretAccessKey } = {}) =>
  presign(store.url, request, {
    credentials: { ...credentials, secretAccessKey: secret },
    region: 'eu-west-1',
    signingDate: new Date(at),
    expiresIn,
  });

const upload = (text: string): ObjectRequest & { readonly headers: Record<string, string> } => ({
  method: 'PUT',
  key: KEY,
  headers: { 'x-amz-checksum-sha256': sha256(text), 'content-length': `${text.length}`, 'if-none-match': '*' },
});

/** What a caller sends: `fetch` adds the length. */
const sent = ({ 'content-length': _, ...headers }: Record<string, string>) => headers;

async function codeOf(response: Response): Promise<unknown[]> {
  return [response.status, /<Code>(\w+)/.exec(await response.text())?.[1]];
}

it('stores an object once, shows it, and deletes it', async () => {
  const { headers, ...request } = upload('hello');
  const url = await signed({ ...request, headers });
  expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toBe(
    'content-length;host;if-none-match;x-amz-checksum-sha256',
  );
  expect([...new URL(url).searchParams.keys()].filter((name) => /checksum/i.test(name))).toEqual([]);
  const put = () => fetch(url, { method: 'PUT', headers: sent(headers), body: 'hello' });
  expect((await put()).status).toBe(200);
  expect(await codeOf(await put())).toEqual([412, 'PreconditionFailed']);

  const checksum = { 'x-amz-checksum-mode': 'ENABLED' };
  const looked = await fetch(await signed({ method: 'HEAD', key: KEY, headers: checksum }), {
    method: 'HEAD',
    headers: checksum,
  });
  expect([looked.status, looked.headers.get('content-length'), looked.headers.get('x-amz-checksum-sha256')]).toEqual([
    200,
    '5',
    sha256('hello'),
  ]);
  const query = {
    'response-content-disposition': `attachment; filename*=UTF-8''a%20b.txt`,
    'response-content-type': 'a/b',
  };
  const got = await fetch(await signed({ method: 'GET', key: KEY, query }));
  expect([await got.text(), got.headers.get('content-disposition'), got.headers.get('content-type')]).toEqual([
    'hello',
    query['response-content-disposition'],
    'a/b',
  ]);
  const listed = await fetch(
    await signed({ method: 'GET', key: '', query: { versions: '', prefix: KEY.slice(0, 37) } }),
  );
  expect(await listed.text()).toContain(`<Key>${KEY}</Key>`);
  const remove = await signed({ method: 'DELETE', key: KEY });
  for (let times = 0; times < 2; times++) expect((await fetch(remove, { method: 'DELETE' })).status).toBe(204);
  expect(await codeOf(await fetch(await signed({ method: 'GET', key: KEY })))).toEqual([404, 'NoSuchKey']);
});

it('refuses what was not signed so', async () => {
  const { headers, ...request } = upload('hello');
  const url = await signed({ ...request, headers });
  const put = (address: string, given: Record<string, string>, body = 'hello') =>
    fetch(address, { method: 'PUT', headers: sent(given), body }).then(codeOf);
  const mismatch = [403, 'SignatureDoesNotMatch'];
  expect(await put(url, headers, 'hello, world')).toEqual(mismatch);
  expect(await put(url, { ...headers, 'if-none-match': 'x' })).toEqual(mismatch);
  expect(await put(url, { 'if-none-match': '*' })).toEqual(mismatch);
  expect(await put(url, { ...headers, 'x-amz-checksum-sha256': sha256('other') })).toEqual(mismatch);
  expect(await put(url.replace(KEY, KEY.replace('1690', '1691')), headers)).toEqual(mismatch);
  expect(await put(url.replace('X-Amz-Expires=900', 'X-Amz-Expires=9000'), headers)).toEqual(mismatch);
  expect(await put(url, headers, 'HELLO')).toEqual([400, 'BadDigest']);
  expect(await put(url, { ...headers, 'x-amz-acl': 'public-read' })).toEqual([403, 'AccessDenied']);
  const denied = [403, 'AccessDenied'];
  expect(await put(await signed({ ...request, headers }, { at: NOW - 901_000 }), headers)).toEqual(denied);
  expect(await put(await signed({ ...request, headers }, { at: NOW + 901_000 }), headers)).toEqual(denied);
  expect(await put(await signed({ ...request, headers }, { secret: 'x' }), headers)).toEqual(mismatch);
  expect(await put(`${store.url}/${KEY}`, headers)).toEqual(denied);
  expect(await put(url.replaceAll('20261126', '20261326'), headers)).toEqual(denied);
  expect(await codeOf(await fetch(`${new URL(store.url).origin}//`))).toEqual([400, 'InvalidURI']);
  const outside = await signed({ method: 'GET', key: 'a/b/c' });
  expect(await codeOf(await fetch(outside))).toEqual([404, 'NoSuchKey']);
});

it('lets pages of the named origins call', async () => {
  const asked = (origin: string) => fetch(`${store.url}/${KEY}`, { method: 'OPTIONS', headers: { origin } });
  expect((await asked('https://app.example.com')).headers.get('access-control-allow-headers')).toBe('*');
  expect((await asked('https://other.example.com')).headers.get('access-control-allow-origin')).toBeNull();
});
