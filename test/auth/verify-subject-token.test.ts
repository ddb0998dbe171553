import { createHmac, randomUUID } from 'node:crypto';
import type { JWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { issuerNamedBy, SubjectTokenRefused, takeOnce, verifySubjectToken } from '#auth';
import { localConnection } from '#local-dynamodb';
import { tableOf } from '#table';
import { freshTable } from '../support/dynamodb.ts';
import { doIn, openTenant } from '../support/storage.ts';
import { CLAIMS, encoded, NOW, PROVIDER, providerKey, SECONDS, signatureOf, signedBy } from './subject-tokens.ts';

const ours = providerKey('one');
const second = providerKey('two');
const rsa = providerKey('rsa', 'RS256');

interface Options {
  readonly provider?: typeof PROVIDER;
  readonly keys?: readonly JWK[];
  readonly now?: number;
  readonly kind?: 'id_token' | 'access_token';
}

const verify = (token: string, { provider = PROVIDER, keys = [ours.jwk, rsa.jwk], now = NOW, kind }: Options = {}) =>
  verifySubjectToken(provider, token, { now, keysOf: async () => keys, kind: kind ?? 'id_token' });

/** Why a token is refused; undefined where it is not. */
const reasonOf = (token: string, options: Options = {}): Promise<string | undefined> =>
  verify(token, options).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof SubjectTokenRefused) return error.reason;
      throw error;
    },
  );

const reasonOfClaims = (claims: object, options: Options = {}) => reasonOf(signedBy(ours, claims), options);

describe('a token of the provider', () => {
  it('says who its subject is', async () => {
    const person = { email: 'Ann@ACME.example', email_verified: true, name: 'Ann', nonce: 'of the application' };
    expect(await verify(signedBy(ours, person))).toEqual({
      ...{ subject: 'ann', email: 'Ann@ACME.example' },
      ...{ expiresAt: SECONDS + 3_600, digest: expect.stringMatching(/^[\w-]{43}$/) },
    });
    expect(issuerNamedBy(signedBy(ours))).toBe(PROVIDER.issuer);
  });

  it.each(['EdDSA', 'ES256', 'RS256'] as const)('may be signed by %s', async (alg) => {
    const key = providerKey('k', alg);
    expect(await reasonOf(signedBy(key), { keys: [key.jwk] })).toBeUndefined();
  });

  it('asks for the key that it names, or for any', async () => {
    const asked: unknown[] = [];
    const keysOf = async (kid?: string) => {
      asked.push(kid);
      return [ours.jwk];
    };
    for (const header of [{}, { kid: undefined }])
      await verifySubjectToken(PROVIDER, signedBy(ours, {}, header), { now: NOW, keysOf, kind: 'id_token' });
    expect(asked).toEqual(['one', undefined]);
  });
});

describe('a signature', () => {
  it.each(['none', 'None', 'HS256', 'HS512'])('by %s is none, even where the provider lists it', async (alg) => {
    const provider = { ...PROVIDER, algorithms: [...PROVIDER.algorithms, alg] };
    const content = `${encoded({ alg, kid: 'rsa' })}.${encoded(CLAIMS)}`;
    const publicKey = JSON.stringify(rsa.jwk);
    const mac = createHmac(alg === 'HS512' ? 'sha512' : 'sha256', publicKey)
      .update(content)
      .digest('base64url');
    expect(await reasonOf(`${content}.${mac}`, { provider })).toBe('algorithm');
    expect(await reasonOf(`${content}.`, { provider })).toBe('malformed');
  });

  it('by another algorithm than those of the provider is refused', async () => {
    expect(await reasonOf(signedBy(rsa), { provider: { ...PROVIDER, algorithms: ['EdDSA'] } })).toBe('algorithm');
    // Of a key of another type than the algorithm has.
    expect(await reasonOf(signedBy(ours, {}, { alg: 'RS256', kid: 'one' }))).toBe('unknown-key');
  });

  it('by another key under the name of ours, and of changed claims, is not valid', async () => {
    expect(await reasonOf(signedBy(second, {}, { kid: 'one' }))).toBe('signature');
    const [header, , signature] = signedBy(ours).split('.');
    expect(await reasonOf(`${header}.${encoded({ ...CLAIMS, sub: 'bob' })}.${signature}`)).toBe('signature');
  });

  it.each([
    ['jwk', second.jwk],
    ['jku', 'https://evil.example/keys'],
    ['x5u', 'https://evil.example/certificate'],
    ['x5c', ['MIIB']],
    ['crit', ['b64']],
  ])('under a header with %s is refused, whoever has signed', async (name, value) => {
    expect(await reasonOf(signedBy(second, {}, { [name]: value }))).toBe('header');
    expect(await reasonOf(signedBy(ours, {}, { [name]: value }))).toBe('header');
  });

  it.each([
    ['another one', { kid: 'other' }],
    ['a number', { kid: 1 }],
    ['an empty text', { kid: '' }],
    ['a member of all objects', { kid: '__proto__' }],
  ])('of a key that is named as %s is refused', async (_, header) => {
    expect(await reasonOf(signedBy(ours, {}, header))).toBe('unknown-key');
  });

  it('names its key, unless one fits alone', async () => {
    const unnamed = signedBy(ours, {}, { kid: undefined });
    expect(await reasonOf(unnamed, { keys: [ours.jwk, rsa.jwk] })).toBeUndefined();
    expect(await reasonOf(unnamed, { keys: [ours.jwk, second.jwk] })).toBe('no-key');
    expect(await reasonOf(signedBy(ours), { keys: [ours.jwk, { ...second.jwk, kid: 'one' }] })).toBe('unknown-key');
  });

  it('under a key that is none is refused, and nothing fails', async () => {
    const broken = { ...providerKey('ec', 'ES256').jwk, x: 'A'.repeat(43), y: 'A'.repeat(43) };
    expect(await reasonOf(signedBy(providerKey('ec', 'ES256')), { keys: [broken] })).toBe('signature');
  });
});

describe('the type of a token', () => {
  it.each([
    [undefined, true, true],
    ['JWT', true, true],
    ['jwt', true, true],
    ['application/jwt', true, true],
    ['at+jwt', false, true],
    ['application/at+jwt', false, true],
    ['logout+jwt', false, false],
    ['secevent+jwt', false, false],
    ['', false, false],
    [{ toString: 1 }, false, false],
  ])('%j: an ID token: %s, an access token: %s', async (typ, isIdToken, isAccessToken) => {
    const token = signedBy(ours, {}, { typ });
    const reasons = [await reasonOf(token), await reasonOf(token, { kind: 'access_token' })];
    expect(reasons).toEqual([isIdToken, isAccessToken].map((is) => (is ? undefined : 'type')));
  });

  it('is not that of a logout token, even where that has no type', async () => {
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    expect(await reasonOfClaims({ events })).toBe('type');
  });
});

describe('issuer and audience', () => {
  it.each([
    `${PROVIDER.issuer}/`,
    'https://LOGIN.acme.example/tenant',
    'https://login.acme.example/other',
    [PROVIDER.issuer],
    null,
  ])('an issuer is no other: %j', async (iss) => {
    expect(await reasonOfClaims({ iss })).toBe('issuer');
  });

  it('of another provider are refused, whatever its keys sign', async () => {
    const provider = { ...PROVIDER, issuer: 'https://login.rival.example' };
    expect(await reasonOf(signedBy(ours), { provider })).toBe('issuer');
  });

  it.each([
    ['custodia-cli', undefined, true],
    [['custodia'], undefined, true],
    ['another-app', undefined, false],
    [['another-app'], 'custodia', false],
    [['custodia', 'another-app'], undefined, false],
    [['custodia', 'another-app'], 'another-app', false],
    [['custodia', 'another-app'], ['custodia'], false],
    [['another-app', 'custodia'], 'custodia-cli', true],
    [['custodia', 7], 'custodia', false],
    [[], undefined, false],
    [['CUSTODIA'], undefined, false],
    [{ custodia: true }, undefined, false],
    [undefined, undefined, false],
  ])('an audience of %j, authorized %j: %s', async (aud, azp, isOurs) => {
    expect(await reasonOfClaims({ aud, azp })).toBe(isOurs ? undefined : 'audience');
  });
});

describe('the time of a token', () => {
  it.each([
    ['ended now', { exp: SECONDS }, 'expired'],
    ['ends in a second', { exp: SECONDS + 1 }, undefined],
    ['is ten minutes old', { iat: SECONDS - 600 }, undefined],
    ['is older', { iat: SECONDS - 601 }, 'old'],
    ['is a minute ahead', { iat: SECONDS + 60, nbf: SECONDS + 60 }, undefined],
    ['is further ahead', { iat: SECONDS + 61 }, 'early'],
    ['is for later', { nbf: SECONDS + 61 }, 'early'],
    ['has no end', { exp: undefined }, 'claims'],
    ['has no beginning', { iat: undefined }, 'claims'],
    ['ends as a text', { exp: `${SECONDS + 60}` }, 'claims'],
    ['begins as a text', { iat: `${SECONDS}` }, 'claims'],
    ['is for as a text', { nbf: `${SECONDS}` }, 'claims'],
  ])('that %s', async (_, claims, reason) => {
    expect(await reasonOfClaims(claims)).toBe(reason);
  });

  it('has an end in whole seconds: it is not exchanged for a token that has ended', async () => {
    expect(await reasonOfClaims({ exp: SECONDS + 0.9 }, { now: NOW + 500 })).toBe('expired');
    expect(await reasonOfClaims({ exp: SECONDS + 1.9 }, { now: NOW + 500 })).toBeUndefined();
  });

  it('has an end that is a time', async () => {
    const content = `${encoded({ alg: 'EdDSA', kid: 'one' })}.${Buffer.from(
      JSON.stringify({ ...CLAIMS, exp: 1 }).replace('"exp":1', '"exp":1e999'),
    ).toString('base64url')}`;
    expect(await reasonOf(`${content}.${signatureOf(content, ours.privateKey)}`)).toBe('claims');
  });

  it('is wrong by a clock that is ten minutes off', async () => {
    const token = signedBy(ours);
    expect(await reasonOf(token, { now: NOW + 600_000 })).toBe('old');
    expect(await reasonOf(token, { now: NOW - 600_000 })).toBe('early');
  });
});

describe('what a token says of its subject', () => {
  it.each([undefined, '', 7, null, ['ann'], 'a'.repeat(256), 'ä', 'ann\n', '\ud800'])(
    'is no subject: %j',
    async (sub) => {
      expect(await reasonOfClaims({ sub })).toBe('subject');
    },
  );

  it.each(['a', 'repo:acme/shop:ref:refs/heads/main', 'ANN', 'a'.repeat(255)])('is a subject: %s', async (sub) => {
    expect((await verify(signedBy(ours, { sub }))).subject).toBe(sub);
  });

  it.each([
    [true, 'ann@acme.example', true],
    [true, 'ANN@Acme.Example', true],
    [true, 'ann@xn--bcher-kva.example', true],
    [true, 'ann@Bücher.example', true],
    ['true', 'ann@acme.example', false],
    [1, 'ann@acme.example', false],
    [undefined, 'ann@acme.example', false],
    [false, 'ann@acme.example', false],
    [true, 'ann@rival.example', false],
    [true, 'ann@evil.acme.example', false],
    [true, 'ann@notacme.example', false],
    [true, 'ann@rival.example@acme.example', false],
    [true, 'ann@acme.example ', false],
    [true, ['ann@acme.example'], false],
    [true, undefined, false],
  ])('verified %j, mail address %j: it counts: %s', async (email_verified, email, counts) => {
    const verified = await verify(signedBy(ours, { email, email_verified }));
    expect(verified.email).toBe(counts ? email : undefined);
  });

  it('counts by no domain where none is listed', async () => {
    const token = signedBy(ours, { email: 'ann@acme.example', email_verified: true });
    expect((await verify(token, { provider: { ...PROVIDER, email_domains: [] } })).email).toBeUndefined();
  });

  it.each([
    [{ hd: 'acme.example' }, true],
    [{ hd: 'ACME.example' }, false],
    [{ hd: ['acme.example'] }, false],
    [{}, false],
  ])('is what the provider requires: %j: %s', async (claims, is) => {
    const provider = { ...PROVIDER, required_claims: { hd: 'acme.example' } };
    expect(await reasonOfClaims(claims, { provider })).toBe(is ? undefined : 'required');
  });

  it('is compared as text, and only where it is said', async () => {
    const required = { level: '2', mfa: 'true' };
    const requiring = (required_claims: object) => ({ provider: { ...PROVIDER, required_claims } as typeof PROVIDER });
    expect(await reasonOfClaims({ level: 2, mfa: true }, requiring(required))).toBeUndefined();
    expect(await reasonOfClaims({}, requiring({ toString: String(Object.prototype.toString) }))).toBe('required');
  });
});

describe('a text that is no token', () => {
  it('is refused before any key is looked up', async () => {
    const keysOf = async () => Promise.reject(new Error('no key was to be looked up'));
    const token = signedBy(ours);
    const [header, claims, signature] = token.split('.');
    const texts = ['', '..', `${header}.${claims}`, `${token}.`, `${token}=`, ` ${token}`, `${header}.${claims}.`];
    for (const text of [...texts, `.${claims}.${signature}`, `${token}${'A'.repeat(16_384)}`, `null.${claims}.AA`]) {
      const refused = verifySubjectToken(PROVIDER, text, { now: NOW, keysOf, kind: 'id_token' });
      await expect(refused, text).rejects.toThrow(SubjectTokenRefused);
    }
  });

  it('of claims that are no object is refused', async () => {
    for (const claims of ['null', '[]', '1', '{', '{"iss":"\xff"}']) {
      const content = `${encoded({ alg: 'EdDSA', kid: 'one' })}.${Buffer.from(claims, 'latin1').toString('base64url')}`;
      expect(await reasonOf(`${content}.${signatureOf(content, ours.privateKey)}`), claims).toBe('claims');
    }
  });

  it('names no issuer', () => {
    for (const text of [
      '',
      'a.b.c',
      `${encoded({})}.${encoded({ iss: 7 })}.AAAA`,
      // Nothing is stored under an empty key.
      ...['', ' ', '\u200b'].map((iss) => `${encoded({})}.${encoded({ iss })}.AAAA`),
      `${encoded({})}.${encoded(null)}.AAAA`,
    ])
      expect(() => issuerNamedBy(text), text).toThrow(SubjectTokenRefused);
  });
});

describe('a token is exchanged once', () => {
  it('also when two exchanges run at once, and in each organization', async () => {
    const { tableName, endpoint } = await freshTable();
    const table = tableOf(tableName, localConnection(endpoint));
    const [org, other] = [randomUUID(), randomUUID()];
    const verified = await verify(signedBy(ours));
    const exchange = (orgId: string, digest = verified.digest) =>
      doIn(openTenant(table, orgId), async (tenant) => takeOnce(tenant, { digest }, (reason) => reason));
    const ends = await Promise.allSettled([exchange(org), exchange(org)]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expect(exchange(org)).rejects.toMatchObject({ name: 'SubjectTokenRefused', reason: 'used' });
    await exchange(other);
    await exchange(org, (await verify(signedBy(ours, { sub: 'bob' }))).digest);
  });

  it('under whichever of its signatures', async () => {
    const ec = providerKey('ec', 'ES256');
    const token = signedBy(ec);
    const content = token.slice(0, token.lastIndexOf('.'));
    const again = `${content}.${signatureOf(content, ec.privateKey)}`;
    expect(again).not.toBe(token);
    const digests = [token, again].map(async (each) => (await verify(each, { keys: [ec.jwk] })).digest);
    expect(new Set(await Promise.all(digests)).size).toBe(1);
  });
});

it('what a caller is told is in the characters of error_description, and repeats nothing of the token', async () => {
  const secrets = ['evil.example', 'bob', 'rival-app'];
  const claims = [{ iss: 'https://evil.example' }, { aud: 'rival-app' }, { sub: 'bob\n' }, { exp: 1 }];
  for (const each of claims) {
    const { message } = (await verify(signedBy(ours, each)).catch((error: unknown) => error)) as Error;
    // RFC 6749 §5.2.
    expect(message).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]{10,}$/);
    expect(secrets.filter((secret) => message.includes(secret))).toEqual([]);
  }
});
