import { randomUUID } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import * as z from 'zod';
import type { PublicKey, Signer } from './keys.ts';

/**
 * Access tokens: JWTs (RFC 9068) with the claims that the spec lists (§5) and the registered ones. Only this service issues and verifies
 * them, so every detail is fixed and any deviation is refused (RFC 8725).
 */

/** Lifetime of a token, in seconds (spec §8). */
export const TOKEN_LIFETIME = 3600;

const ISSUER = 'urn:custodia';
const AUDIENCE = 'urn:custodia:api';
/** RFC 9068 §2.1: keeps other JWTs from being accepted as access tokens. */
const TYPE = 'at+jwt';

/** How far in the future a token may have been issued, in seconds: the clocks of issuer and verifier may differ. */
const LEEWAY = 60;

/** The integration that a token was issued to. */
export interface Identity {
  readonly integrationId: string;
  readonly appCode: string;
  /** Null for the platform. */
  readonly orgId: string | null;
  /** `token_epoch` of the integration's credentials at login. Raising it there revokes the token. */
  readonly tokenEpoch: number;
  /** Id of the secret used at login: the token ends with it. Null for a secret from before such ids. */
  readonly secretId: string | null;
}

export interface VerifiedToken extends Identity {
  /** The token's own id, its claim `jti`. */
  readonly tokenId: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** The token is not one of this service, or has ended. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
  readonly reason: 'invalid' | 'expired' | 'ended';

  constructor(
    message: string,
    { reason = 'invalid', ...options }: ErrorOptions & Partial<Pick<InvalidToken, 'reason'>> = {},
  ) {
    super(message, options);
    this.reason = reason;
  }
}

/** `now` in epoch milliseconds. */
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

/** Strict, so that a header which carries or points to a key (`jwk`, `jku`, `x5u`) is refused. */
const headerSchema = z.strictObject({ alg: z.enum(['EdDSA', 'ES256']), typ: z.literal(TYPE), kid: z.string() });

const claimsSchema = z
  .object({
    sub: z.guid(),
    app_code: z.string().min(1),
    org_id: z.guid().nullable(),
    epoch: z.int().min(0),
    secret_id: z.guid().nullable(),
    type: z.literal('api_key'),
    // A list of audiences is refused, even with this one in it.
    aud: z.literal(AUDIENCE),
    exp: z.int(),
    iat: z.int(),
    jti: z.string().min(1),
  })
  .refine(({ iat, exp }) => exp === iat + TOKEN_LIFETIME);

/**
 * Verifies a token. Its key is the one of `keys` with its `kid`; the key decides the algorithm, never the token. There is no tolerance for
 * the expiry, and {@link LEEWAY} for the time of issue. `now` in epoch milliseconds.
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
    const reason = cause instanceof errors.JWTExpired ? 'expired' : 'invalid';
    throw cause instanceof errors.JOSEError ? new InvalidToken('the token is not valid', { reason, cause }) : cause;
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

/** Longest text that is decoded, in characters: far longer than any token of this service. */
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
