import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { JWK } from 'jose';

/** Tokens of a provider whose keys the test has, right and wrong ones. */

export const NOW = Date.parse('2026-11-20T09:30:00.000Z');
export const SECONDS = NOW / 1_000;

/** A key of a provider. */
export interface ProviderKey {
  readonly privateKey: KeyObject;
  readonly alg: string;
  /** As the provider publishes it. */
  readonly jwk: JWK;
}

const KINDS = {
  EdDSA: () => generateKeyPairSync('ed25519'),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
} as const;

export function providerKey(kid: string, alg: keyof typeof KINDS = 'EdDSA'): ProviderKey {
  const { privateKey, publicKey } = KINDS[alg]();
  return { privateKey, alg, jwk: { ...(publicKey.export({ format: 'jwk' }) as JWK), kid, use: 'sig' } };
}

export const PROVIDER = {
  id: '0b0f5f3e-3c5c-4a38-8e0a-0a4c2f0f6a11',
  issuer: 'https://login.acme.example/tenant',
  audiences: ['custodia', 'custodia-cli'],
  algorithms: ['EdDSA', 'ES256', 'RS256'],
  email_domains: ['acme.example', 'bücher.example'],
  required_claims: {},
};

export const CLAIMS = {
  iss: PROVIDER.issuer,
  aud: 'custodia',
  sub: 'ann',
  iat: SECONDS - 5,
  exp: SECONDS + 3_600,
};

export const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token with these members of header and claims in place of the usual ones; an undefined one is left out. */
export function signedBy({ privateKey, alg, jwk }: ProviderKey, claims: object = {}, header: object = {}): string {
  const content = `${encoded({ alg, kid: jwk.kid, ...header })}.${encoded({ ...CLAIMS, ...claims })}`;
  return `${content}.${signatureOf(content, privateKey)}`;
}

export function signatureOf(content: string, privateKey: KeyObject): string {
  const key = { key: createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' })) };
  const algorithm = privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  return sign(algorithm, Buffer.from(content), { ...key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
}
