import { randomUUID } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import * as z from 'zod';
import type { PublicKey, Signer } from './keys.ts';

/**
 * Access tokens: JWTs (RFC 9068) with the claims that the spec lists (§5) and the registered ones. They are made and read by this
 * service alone, so everything about them is fixed and every deviation is a refusal (RFC 8725).
 */

/** How long a token is good for, in seconds (spec §8). */
export const TOKEN_LIFETIME = 3600;

const ISSUER = 'urn:custodia';
const AUDIENCE = 'urn:custodia:api';
/** RFC 9068 §2.1: no other JWT can be taken for an access token. */
const TYPE = 'at+jwt';

/** How far in the future a token may have been issued, in seconds: the clocks of issuer and reader are two. */
const LEEWAY = 60;

/** Who a token speaks for. */
export interface Identity {
  readonly integrationId: string;
  readonly appCode: string;
  /** Null for the platform. */
  readonly orgId: string | null;
  /** The `token_epoch` of the integration's credentials as the login read them: raised, it ends the token. */
  readonly tokenEpoch: number;
  /** Id of the secret that made it, with which it ends; null: of one that is older than such ids. */
  readonly secretId: string | null;
}

export interface VerifiedToken extends Identity {
  /** The token's own id, its claim `jti`. */
  readonly tokenId: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** Not a token of ours, or no longer. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}

/** Makes a token that begins now. `now` in epoch milliseconds. */
export async function issueToken(signer: Signer, identity: Identity, now: number): Promise<string> {
  const issuedAt = Math.floor(now / 1000);
  const header = { alg: signer.algorithm, typ: TYPE, kid: signer.kid };
  const claims = {
    sub: identity.integrationId,
    app_code: identity.appCode,
    org_id: identity.orgId,
    epoch: identity.tokenEpoch,
    secret_id: identity.secretId,
    type: 'api_key',
    iss: ISSUER,
    aud: AUDIENCE,
    iat: issuedAt,
    exp: issuedAt + TOKEN_LIFETIME,
    jti: randomUUID(),
  };
  const signed = `${encoded(header)}.${encoded(claims)}`;
  const signature = await signer.sign(Buffer.from(signed));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Ours are strict: a header that carries or points to a key (`jwk`, `jku`, `x5u`) has more members than it may. */
const headerSchema = z.strictObject({ alg: z.enum(['EdDSA', 'ES256']), typ: z.literal(TYPE), kid: z.string() });

const claimsSchema = z
  .object({
    sub: z.guid(),
    app_code: z.string().min(1),
    org_id: z.guid().nullable(),
    epoch: z.int().min(0),
    secret_id: z.guid().nullable(),
    type: z.literal('api_key'),
    // A list of audiences that has ours among them is none of ours.
    aud: z.literal(AUDIENCE),
    exp: z.int(),
    iat: z.int(),
    jti: z.string().min(1),
  })
  .refine(({ iat, exp }) => exp === iat + TOKEN_LIFETIME);

/**
 * Reads a token. Its key is looked up by its `kid` among `keys`, and the key decides the algorithm, never the token. Its end gets no
 * tolerance, its beginning {@link LEEWAY}. `now` in epoch milliseconds.
 * @throws InvalidToken
 */
export async function verifyToken(token: string, keys: readonly PublicKey[], now: number): Promise<VerifiedToken> {
  const key = keyOf(token, keys);
  const { payload } = await jwtVerify(token, key, {
    algorithms: [key.alg],
    typ: TYPE,
    issuer: ISSUER,
    audience: AUDIENCE,
    requiredClaims: ['exp', 'iat'],
    clockTolerance: 0,
    currentDate: new Date(now),
  }).catch((cause: unknown) => {
    throw cause instanceof errors.JOSEError ? new InvalidToken('the token is not valid', { cause }) : cause;
  });
  const claims = claimsSchema.safeParse(payload);
  if (!claims.success) throw new InvalidToken('the claims are not those of an access token', { cause: claims.error });
  const { sub, app_code, org_id, epoch, secret_id, jti, iat, exp } = claims.data;
  if (iat > now / 1000 + LEEWAY) throw new InvalidToken('the token was issued in the future');
  return {
    integrationId: sub,
    appCode: app_code,
    orgId: org_id,
    tokenEpoch: epoch,
    secretId: secret_id,
    tokenId: jti,
    expiresAt: exp,
  };
}

/** Far more than a token of ours has; a longer text is not worth decoding. In characters. */
const LONGEST = 4_096;

function keyOf(token: string, keys: readonly PublicKey[]): PublicKey {
  const parts = token.split('.');
  if (token.length > LONGEST || parts.length !== 3 || !parts.every(isBase64Url)) {
    throw new InvalidToken('the token does not have three parts in base64url');
  }
  const header = headerSchema.safeParse(json(parts[0] ?? ''));
  if (!header.success) throw new InvalidToken('the header is not that of an access token', { cause: header.error });
  const key = keys.find(({ kid }) => kid === header.data.kid);
  if (key === undefined || key.alg !== header.data.alg) throw new InvalidToken('the token is signed with another key');
  return key;
}

/** Exactly base64url (RFC 7515 §2). Node also decodes padding, white space, `+` and `/`, and unused bits that are set. */
const isBase64Url = (part: string): boolean =>
  part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;

function json(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}
