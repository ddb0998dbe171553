import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshDirectory } from '../support/directory.ts';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';

/** Rotation of the key that signs tokens, unnoticed by callers (`docs/decisions/0010-access-tokens.md`). */

const api = useApi({ authorizerTtlSeconds: 0 });
const org = prepared(() => api.orgToken());

const KEYS = '/.well-known/jwks.json';

type SigningKey = Record<string, string>;

const newKey = (): SigningKey => {
  const { kty, crv, x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as SigningKey;
  return { kty, crv, x, d } as SigningKey;
};

/** Makes the functions use these signing keys, the first of which signs; the other keys of the machine stay. */
async function rotateTo(signing: readonly SigningKey[]): Promise<void> {
  const before = process.env.KEY_FILE ?? '';
  const file = join(await freshDirectory(), 'keys.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(before, 'utf8')), signing }), { mode: 0o600 });
  process.env.KEY_FILE = file;
  onTestFinished(() => {
    process.env.KEY_FILE = before;
  });
}

const currentKey = (): SigningKey => JSON.parse(readFileSync(process.env.KEY_FILE ?? '', 'utf8')).signing[0];

const publishedIds = async (): Promise<string[]> => {
  const { body } = await api.request<{ keys: { kid: string }[] }>('GET', KEYS);
  return body.keys.map(({ kid }) => kid);
};

const kidOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

const statusWith = async (token: string): Promise<number> =>
  (await api.request('GET', '/api/v1/clients', { token })).status;

describe('the key set', () => {
  it('checks a token with any JWT library, and holds nothing private', async () => {
    const { status, headers, body } = await api.request<JSONWebKeySet>('GET', KEYS);
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
    const { payload } = await jwtVerify(org.token, createLocalJWKSet(body), { issuer: 'urn:custodia' });
    expect(payload.org_id).toBe(org.orgId);
    expect(Object.keys(body.keys[0] ?? {}).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
  });

  it('is read again only when it has changed', async () => {
    const etag = (await api.request('GET', KEYS)).headers.get('etag') ?? '';
    const again = { headers: { 'if-none-match': etag } };
    expect((await api.request('GET', KEYS, again)).status).toBe(304);
    await rotateTo([newKey(), currentKey()]);
    expect((await api.request('GET', KEYS, again)).status).toBe(200);
  });
});

it('a rotation: published before it signs, good until its last token has expired, then nothing', async () => {
  const [old, next] = [currentKey(), newKey()];
  const [oldId] = await publishedIds();

  await rotateTo([old, next]);
  const [signing, announced] = await publishedIds();
  expect([signing, announced]).toEqual([oldId, expect.not.stringMatching(`^${oldId}$`)]);
  expect(kidOf(await api.login(org.appCode, org.secret))).toBe(oldId);

  await rotateTo([next, old]);
  expect(await publishedIds()).toEqual([announced, oldId]);
  const token = await api.login(org.appCode, org.secret);
  expect(kidOf(token)).toBe(announced);
  expect([await statusWith(org.token), await statusWith(token)]).toEqual([200, 200]);

  await rotateTo([next]);
  expect(await publishedIds()).toEqual([announced]);
  expect([await statusWith(org.token), await statusWith(token)]).toEqual([401, 200]);
});
