import type { KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';

/** The keys of access tokens, kept in AWS KMS (`kms-keys.ts`) or in a file (`local-keys.ts`). */

/** Signature algorithms of JWS (RFC 8037 §3.1, RFC 7518 §3.4). A key has one, and is used with no other. */
export type Algorithm = 'EdDSA' | 'ES256';

/** Signs tokens with one private key, which is never exported. */
export interface TokenSigner {
  /** Id of the key: the thumbprint of its public half (RFC 7638), which does not reveal where the key is kept. */
  readonly kid: string;
  readonly algorithm: Algorithm;
  /** The signature in the form of JWS: for ES256 R and S concatenated, not DER (RFC 7518 §3.4). */
  readonly sign: (bytes: Uint8Array) => Promise<Uint8Array>;
}

/** A public key as it may be published in a JWK set (RFC 7517). */
export interface PublicKey extends JWK {
  readonly kid: string;
  readonly alg: Algorithm;
  readonly use: 'sig';
}

/**
 * A public key as a JWK with its id and algorithm.
 * @throws TypeError for a curve that no token is signed with
 */
export async function publicKeyOf(key: KeyObject): Promise<PublicKey> {
  const { kty = '', crv, x, y } = key.export({ format: 'jwk' });
  const alg = algorithmOf(crv);
  const jwk = { kty, crv, x, ...(y === undefined ? {} : { y }) } as JWK;
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg, use: 'sig' };
}

function algorithmOf(curve: string | undefined): Algorithm {
  if (curve === 'Ed25519') return 'EdDSA';
  if (curve === 'P-256') return 'ES256';
  throw new TypeError(`tokens cannot be signed with a key on the curve ${curve}`);
}
