import { createPublicKey } from 'node:crypto';
import { bytesOf, type Kms } from '@custodia/lean-dynamodb';
import { type Algorithm, type PublicKey, publicKeyOf, type TokenSigner } from './token-keys.ts';

/**
 * Token keys in AWS KMS: asymmetric keys of the spec `ECC_NIST_EDWARDS25519` or `ECC_NIST_P256`, usage `SIGN_VERIFY`.
 */

/** https://docs.aws.amazon.com/kms/latest/developerguide/symm-asymm-choose-key-spec.html */
const SIGNING_ALGORITHMS = { EdDSA: 'ED25519_SHA_512', ES256: 'ECDSA_SHA_256' } as const satisfies Record<
  Algorithm,
  string
>;

/** The public half of a KMS key. One call. */
export async function kmsPublicKey(kms: Kms, keyId: string): Promise<PublicKey> {
  const { PublicKey: der } = await kms('GetPublicKey', { KeyId: keyId });
  return publicKeyOf(createPublicKey({ key: Buffer.from(bytesOf(der)), format: 'der', type: 'spki' }));
}

/** Signs with a KMS key, whose public half this is: one call for each signature, of up to 4,096 bytes. */
export function kmsSigner(kms: Kms, keyId: string, { kid, alg }: Pick<PublicKey, 'kid' | 'alg'>): TokenSigner {
  return {
    kid,
    algorithm: alg,
    sign: async (bytes) => {
      const Message = Buffer.from(bytes).toString('base64');
      const input = { KeyId: keyId, Message, MessageType: 'RAW', SigningAlgorithm: SIGNING_ALGORITHMS[alg] };
      const { Signature: signature } = await kms('Sign', input);
      return alg === 'ES256' ? derToJose(bytesOf(signature)) : bytesOf(signature);
    },
  };
}

const P256_BYTES = 32;

/**
 * An ECDSA signature on P-256 in the form of JWS: R and S, each in 32 bytes. KMS returns DER, `SEQUENCE { INTEGER R,
 * INTEGER S }` (RFC 3279 §2.2.3), whose integers drop leading zeros and gain one where the first bit is set.
 */
export function derToJose(der: Uint8Array): Uint8Array {
  const bytes = Buffer.from(der);
  const r = integerAt(bytes, 2);
  const s = integerAt(bytes, 4 + r.length);
  return Buffer.concat([r, s].map(padded));
}

/** A P-256 signature has at most 72 bytes, so every length in it is one byte. */
const integerAt = (der: Buffer, offset: number): Buffer =>
  der.subarray(offset + 2, offset + 2 + (der[offset + 1] ?? 0));

function padded(integer: Buffer): Buffer {
  const field = Buffer.alloc(P256_BYTES);
  integer.subarray(-P256_BYTES).copy(field, Math.max(0, P256_BYTES - integer.length));
  return field;
}
