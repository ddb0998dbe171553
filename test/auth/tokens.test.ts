import { createHmac, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { InvalidToken, issueToken, verifyToken } from '#auth';
import { type PublicKey, publicKeyOf, type TokenSigner } from '../../shared/auth/token-keys.ts';
import { codePoint } from '../support/code-point.ts';

const NOW = Date.parse('2026-11-20T09:30:00.000Z');
const identity = {
  integrationId: randomUUID(),
  appCode: 'acme-billing',
  orgId: randomUUID(),
  tokenEpoch: 3,
  secretId: randomUUID(),
};

interface KeyPair {
  readonly signer: TokenSigner;
  readonly published: PublicKey;
}

async function keyPair(kind: 'ed25519' | 'P-256' = 'ed25519'): Promise<KeyPair> {
  const privateKey =
    kind === 'ed25519'
      ? generateKeyPairSync('ed25519').privateKey
      : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const published = await publicKeyOf(createPublicKey(privateKey.export({ format: 'pem', type: 'pkcs8' })));
  const signed = (bytes: Uint8Array): Buffer =>
    kind === 'ed25519'
      ? sign(null, bytes, privateKey)
      : sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return { published, signer: { kid: published.kid, algorithm: published.alg, sign: async (bytes) => signed(bytes) } };
}

let ours: KeyPair;
let theirs: KeyPair;
let token: string;

beforeAll(async () => {
  [ours, theirs] = [await keyPair(), await keyPair()];
  token = await issueToken(identity, NOW, ours.signer);
});

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
const parts = (text: string): string[] => text.split('.');

/** A token signed with a key of ours, header and claims changed as given; an undefined member is left out. */
async function forged(header: object, claims: object, { signer } = ours): Promise<string> {
  const [ownHeader, ownClaims] = parts(token);
  const signed = `${encode({ ...decode(ownHeader), ...header })}.${encode({ ...decode(ownClaims), ...claims })}`;
  return `${signed}.${Buffer.from(await signer.sign(Buffer.from(signed))).toString('base64url')}`;
}

const read = (text: string, now = NOW) => verifyToken(text, now, [ours.published]);
const expectRefused = (text: string, now = NOW) => expect(read(text, now)).rejects.toThrow(InvalidToken);

describe('a token', () => {
  it('carries exactly the claims of the spec and the registered ones', () => {
    const [header, claims] = parts(token).map((part, index) => (index < 2 ? decode(part) : {}));
    expect(header).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: ours.published.kid });
    const begin = NOW / 1000;
    expect(claims).toEqual({
      sub: identity.integrationId,
      app_code: identity.appCode,
      org_id: identity.orgId,
      epoch: 3,
      secret_id: identity.secretId,
      type: 'api_key',
      iss: 'urn:custodia',
      aud: 'urn:custodia:api',
      iat: begin,
      exp: begin + 3600,
      jti: expect.any(String),
    });
  });

  it('says who holds it, for an organization and for the platform', async () => {
    expect(await read(token)).toEqual({
      ...identity,
      scope: null,
      tokenId: expect.any(String),
      expiresAt: NOW / 1000 + 3600,
    });
    const platform = await issueToken({ ...identity, orgId: null }, NOW, ours.signer);
    expect((await read(platform)).orgId).toBeNull();
  });

  it('may be narrowed to a scope', async () => {
    const scope = ['clients:read', 'tickets:write'];
    const narrow = await issueToken({ ...identity, scope }, NOW, ours.signer);
    expect(decode(parts(narrow)[1]).scope).toBe('clients:read tickets:write');
    expect((await read(narrow)).scope).toEqual(scope);
  });

  it('is good to the last second of its hour and not one more', async () => {
    await expect(read(token, NOW + 3_599_999)).resolves.toBeDefined();
    await expectRefused(token, NOW + 3_600_000);
  });

  it('may come from a clock that is a minute ahead', async () => {
    const ahead = await issueToken(identity, NOW + 60_000, ours.signer);
    await expect(read(ahead)).resolves.toMatchObject(identity);
  });

  it('is signed with ES256 where the key is on P-256', async () => {
    const other = await keyPair('P-256');
    const es256 = await issueToken(identity, NOW, other.signer);
    expect(decode(parts(es256)[0]).alg).toBe('ES256');
    await expect(verifyToken(es256, NOW, [other.published])).resolves.toMatchObject(identity);
    await expectRefused(es256);
  });

  it('is taken from both keys of a rotation', async () => {
    const keys = [theirs.published, ours.published];
    await expect(verifyToken(token, NOW, keys)).resolves.toMatchObject(identity);
    const rotated = await issueToken(identity, NOW, theirs.signer);
    await expect(verifyToken(rotated, NOW, keys)).resolves.toMatchObject(identity);
  });
});

describe('a token is refused', () => {
  it.each(['none', 'None', 'NONE'])('unsigned, with the algorithm %s', async (alg) => {
    const [, claims] = parts(token);
    const header = encode({ alg, typ: 'at+jwt', kid: ours.published.kid });
    await expectRefused(`${header}.${claims}.`);
    await expectRefused(`${header}.${claims}.${parts(token)[2]}`);
  });

  it('signed with HMAC, keyed with the public key in any form', async () => {
    const [, claims] = parts(token);
    const signed = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: ours.published.kid })}.${claims}`;
    const pem = createPublicKey({ key: ours.published as never, format: 'jwk' }).export({
      format: 'pem',
      type: 'spki',
    });
    for (const key of [pem, Buffer.from(ours.published.x ?? '', 'base64url'), JSON.stringify(ours.published)]) {
      await expectRefused(`${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`);
    }
  });

  it('signed with another key that claims the name of ours', async () => {
    await expectRefused(await forged({}, {}, theirs));
  });

  it.each([
    ['another key', { kid: 'other' }],
    ['no key', { kid: undefined }],
    ['no text', { kid: 1 }],
    ['a prototype member', { kid: '__proto__' }],
    ['another type', { typ: 'JWT' }],
    ['no type', { typ: undefined }],
    ['another algorithm of a key of ours', { alg: 'ES256' }],
    ['a critical extension', { crit: ['b64'], b64: false }],
    ['an unknown member', { x: 1 }],
  ])('whose header names %s', async (_, header) => {
    await expectRefused(await forged(header, {}));
  });

  it('whose header brings or points to its own key', async () => {
    const { kid, alg, use, ...jwk } = theirs.published;
    for (const header of [
      { jwk },
      { jwk, kid: theirs.published.kid },
      { jku: 'https://evil.example/jwks.json' },
      { x5u: 'https://evil.example/cert.pem' },
      { x5c: ['MIIB'] },
    ]) {
      await expectRefused(await forged(header, {}, theirs));
      await expectRefused(await forged(header, {}));
    }
  });

  it.each([
    ['another issuer', { iss: 'urn:other' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'urn:other' }],
    ['no audience', { aud: undefined }],
    ['no expiry', { exp: undefined }],
    ['an expiry that is text', { exp: '9999999999' }],
    ['an expiry that is past', { exp: NOW / 1000 }],
    ['another type', { type: 'user' }],
    ['no subject', { sub: undefined }],
    ['a subject that is no id', { sub: '*' }],
    ['no organization', { org_id: undefined }],
    ['an organization that is no id', { org_id: 'PLATFORM' }],
    ['an empty organization', { org_id: '' }],
    ['no app code', { app_code: undefined }],
    ['ours among several audiences', { aud: ['urn:custodia:api', 'urn:other'] }],
    ['ours alone in a list of audiences', { aud: ['urn:custodia:api'] }],
    ['a longer life than an hour', { exp: NOW / 1000 + 3601 }],
    ['a shorter life than an hour', { exp: NOW / 1000 + 3599 }],
    ['a beginning that would make its life longer', { iat: NOW / 1000 - 1 }],
    ['a beginning in the future', { iat: NOW / 1000 + 61, exp: NOW / 1000 + 3661 }],
    ['no beginning', { iat: undefined }],
    ['no id', { jti: undefined }],
    ['no epoch', { epoch: undefined }],
    ['an epoch that is none', { epoch: -1 }],
    ['an epoch that is text', { epoch: '3' }],
    ['a time before which it is not good', { nbf: NOW / 1000 + 1 }],
  ])('whose claims have %s', async (_, claims) => {
    await expectRefused(await forged({}, claims));
  });

  it('whose claims were changed after signing', async () => {
    const [header, claims, signature] = parts(token);
    await expectRefused(`${header}.${encode({ ...decode(claims), org_id: null })}.${signature}`);
  });

  it('cut, extended, or in another form', async () => {
    const [header = '', claims = '', signature = ''] = parts(token);
    for (const text of [
      '',
      '.',
      '..',
      header,
      `${header}.${claims}`,
      `${header}.${claims}.`,
      `.${claims}.${signature}`,
      `${token}.`,
      `${token}.${signature}`,
      `${token}=`,
      `${token}\n`,
      ` ${token}`,
      `${token}AA`,
      token.slice(0, -1),
      `${header}.${claims}.${signature.slice(0, 40)}`,
      `${header}.${claims}\u0000.${signature}`,
      'a'.repeat(5_000),
      JSON.stringify({ protected: header, payload: claims, signature }),
    ]) {
      await expectRefused(text);
    }
  });

  it('in base64url that is not canonical, though Node decodes it to the same bytes', async () => {
    const [header = '', claims = '', signature = ''] = parts(token);
    const variants = [0, 1, 2, 3].flatMap((extra) => {
      const last = ALPHABET.indexOf(signature.at(-1) ?? '');
      const other = ALPHABET[(last & ~3) | extra];
      return other === signature.at(-1) ? [] : [`${signature.slice(0, -1)}${other}`];
    });
    const same = variants.filter((text) => Buffer.from(text, 'base64url').equals(Buffer.from(signature, 'base64url')));
    expect(same.length).toBeGreaterThan(0);
    for (const text of [...same, `${signature}==`, `${signature.slice(0, 9)} ${signature.slice(9)}`]) {
      await expectRefused(`${header}.${claims}.${text}`);
    }
  });

  it('with any one character changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.constantFrom(...ALPHABET, '.', '=', ' '), async (place, character) => {
        const index = place % token.length;
        fc.pre(token[index] !== character);
        await expectRefused(`${token.slice(0, index)}${character}${token.slice(index + 1)}`);
      }),
      { numRuns: 100 },
    );
  });

  it('when it is any text at all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: codePoint }), async (text) => {
        await expectRefused(text);
        await expectRefused(`${text}.${text}.${text}`);
      }),
    );
  });
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('a token of a user', () => {
  const user = {
    userId: randomUUID(),
    orgId: randomUUID(),
    tokenEpoch: 4,
    providerId: randomUUID(),
    scope: ['tickets:read', 'clients:write'],
    expiresAt: NOW / 1000 + 900,
  };
  let ofUser: string;
  beforeAll(async () => {
    ofUser = await issueToken(user, NOW, ours.signer);
  });

  /** A token of a user with changed claims, signed with a key of ours. */
  const changed = (claims: object) =>
    forged({}, { app_code: undefined, secret_id: undefined, ...decode(parts(ofUser)[1]), ...claims });

  it('says who holds it, through which provider, and for how long', async () => {
    expect(decode(parts(ofUser)[1])).toEqual({
      ...{ sub: user.userId, type: 'user', org_id: user.orgId, epoch: 4, provider_id: user.providerId },
      ...{ scope: 'tickets:read clients:write', iss: 'urn:custodia', aud: 'urn:custodia:api' },
      ...{ iat: NOW / 1000, exp: NOW / 1000 + 900, jti: expect.any(String) },
    });
    expect(await read(ofUser)).toEqual({ ...user, tokenId: expect.any(String), issuedAt: NOW / 1000 });
    const whole = await issueToken({ ...user, scope: null }, NOW, ours.signer);
    expect(decode(parts(whole)[1])).not.toHaveProperty('scope');
    expect(await read(whole)).toMatchObject({ scope: null });
    await expect(read(await changed({}))).resolves.toMatchObject(user);
  });

  it('ends after an hour, however long the subject token is good', async () => {
    const long = await issueToken({ ...user, expiresAt: NOW / 1000 + 86_400 }, NOW, ours.signer);
    expect(await read(long)).toMatchObject({ expiresAt: NOW / 1000 + 3_600 });
  });

  it.each<[string, object]>([
    ['longer than an hour', { exp: NOW / 1000 + 3_601 }],
    ['of no organization, as one of the platform', { org_id: null }],
    ['without a provider', { provider_id: undefined }],
    ['with a provider that is no id', { provider_id: 'google' }],
    ['with a list as scope', { scope: ['tickets:read'] }],
    ['with an empty scope', { scope: '' }],
    ['with a line break in its scope', { scope: 'tickets:read\nclients:write' }],
    ['with the epoch as text', { epoch: '4' }],
    ['for several audiences', { aud: ['urn:custodia:api'] }],
    ['of the type of integrations', { type: 'api_key' }],
    ['of another type', { type: 'User' }],
    ['of two types', { type: ['user', 'api_key'] }],
  ])('is refused %s', async (_, claims) => {
    await expectRefused(await changed(claims));
  });

  it('is none of an integration, whose token is none of a user', async () => {
    await expectRefused(await forged({}, { type: 'user' }));
    await expectRefused(await changed({ type: 'api_key', app_code: 'acme-billing', secret_id: null }));
    expect(await read(await changed({ app_code: 'acme-billing', secret_id: randomUUID() }))).not.toHaveProperty(
      'appCode',
    );
  });
});
