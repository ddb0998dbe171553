import { randomUUID } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import type { Permissions } from '#identity';
import {
  equalTo,
  isUuid,
  isWellFormed,
  matching,
  nonEmptyText,
  optional,
  orNull,
  wholeNumber,
} from '../well-formed.ts';
import { decoded, partsOf } from './compact-jwt.ts';
import { environmentPublicKeys, environmentSigner, prepareSigner } from './environment.ts';
import type { PublicKey, TokenSigner } from './token-keys.ts';

/**
 * Access tokens: JWTs (RFC 9068) with the claims that the spec lists (§5) and the registered ones. Only this service
 * issues and verifies them, so every detail is fixed and any deviation is refused (RFC 8725).
 */

/**
 * In seconds: how long a token is valid (spec §8), and how far in the future it may have been issued, for the clocks of
 * issuer and verifier may differ.
 */
export const TOKEN_TIMES = { lifetime: 3600, leeway: 60 } as const;

const ISSUER = 'urn:custodia';
const AUDIENCE = 'urn:custodia:api';
/** RFC 9068 §2.1: keeps other JWTs from being accepted as access tokens. */
const TYPE = 'at+jwt';

/** The integration that a token was issued to. */
export interface IntegrationIdentity {
  readonly integrationId: string;
  readonly appCode: string;
  /** Null for the platform. */
  readonly orgId: string | null;
  /** `token_epoch` of the integration's credentials at login. Raising it there revokes the token. */
  readonly tokenEpoch: number;
  /** Id of the secret used at login: the token ends with it. Null for a secret from before such ids. */
  readonly secretId: string | null;
  /** The permission codes to which the token is narrowed; null or absent: not narrowed. */
  readonly scope?: Permissions;
}

/** The user that a token was issued to. */
export interface UserIdentity {
  readonly userId: string;
  readonly orgId: string;
  /** `epoch` of the user's access item. Raising it there ends the token. */
  readonly tokenEpoch: number;
  /** Id of the identity provider through which the user signed in: the token ends with it. */
  readonly providerId: string;
  /** The permission codes to which the token is narrowed; null: not narrowed. */
  readonly scope: Permissions;
  /** When it ends at the latest, in epoch seconds: an hour after it was issued, or earlier. */
  readonly expiresAt: number;
}

interface Verified {
  /** The token's own id, its claim `jti`. */
  readonly tokenId: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

interface VerifiedIntegration extends Required<IntegrationIdentity>, Verified {}

export interface VerifiedUser extends UserIdentity, Verified {
  /** Epoch seconds. */
  readonly issuedAt: number;
}

type Identity = IntegrationIdentity | UserIdentity;

/**
 * Why a token is refused. Only a token with a right signature gets a precise reason: `expired`, `ended` (revoked, or
 * its integration or user is inactive or deleted), `early` (issued in the future, by another clock). `unknown-key`
 * reveals nothing, because the keys are public.
 */
type Refusal = 'invalid' | 'unknown-key' | 'expired' | 'ended' | 'early';

/** The token is not one of this service, or has ended. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
  readonly reason: Refusal;

  constructor(
    message: string,
    { reason = 'invalid', ...options }: ErrorOptions & Partial<Pick<InvalidToken, 'reason'>> = {},
  ) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * Issues a token. `now` in epoch milliseconds. A container's first call reads the signer's key while the caller still
 * finds out the identity; nothing is signed before (`docs/decisions/0010-access-tokens.md`).
 * @param found its rejection is thrown at once, whatever the signer does
 * @param signer by default the one of the environment
 */
export async function issueToken(
  found: Identity | Promise<Identity>,
  now: number,
  signer?: TokenSigner,
): Promise<string> {
  if (signer === undefined) void prepareSigner();
  const identity = await found;
  const key = signer ?? (await environmentSigner());
  const issuedAt = Math.floor(now / 1000);
  const header = { alg: key.algorithm, typ: TYPE, kid: key.kid };
  const claims = {
    ...('userId' in identity ? claimsOfUser(identity) : claimsOfIntegration(identity)),
    org_id: identity.orgId,
    epoch: identity.tokenEpoch,
    ...(identity.scope ? { scope: identity.scope.join(' ') } : {}),
    iss: ISSUER,
    aud: AUDIENCE,
    iat: issuedAt,
    exp: Math.min('userId' in identity ? identity.expiresAt : Infinity, issuedAt + TOKEN_TIMES.lifetime),
    jti: randomUUID(),
  };
  const signed = `${encoded(header)}.${encoded(claims)}`;
  const signature = await key.sign(Buffer.from(signed));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}

const claimsOfIntegration = ({ integrationId, appCode, secretId }: IntegrationIdentity) => ({
  sub: integrationId,
  app_code: appCode,
  secret_id: secretId,
  type: 'api_key',
});

const claimsOfUser = ({ userId, providerId }: UserIdentity) => ({
  sub: userId,
  provider_id: providerId,
  type: 'user',
});

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

interface Header {
  readonly alg: string;
  readonly typ: string;
  readonly kid: string;
}

const HEADER = { alg: nonEmptyText, typ: equalTo(TYPE), kid: nonEmptyText };

/** Exactly these fields, so that a header which carries or points to a key (`jwk`, `jku`, `x5u`) is refused. */
const isHeader = (value: unknown): value is Header =>
  isWellFormed<Header>(value, HEADER) && Object.keys(value).length === Object.keys(HEADER).length;

interface CommonClaims {
  readonly sub: string;
  readonly epoch: number;
  readonly scope: string | undefined;
  readonly aud: string;
  readonly exp: number;
  readonly iat: number;
  readonly jti: string;
}

interface Claims extends CommonClaims {
  readonly app_code: string;
  readonly org_id: string | null;
  readonly secret_id: string | null;
  readonly type: 'api_key';
}

interface UserClaims extends CommonClaims {
  readonly org_id: string;
  readonly provider_id: string;
  readonly type: 'user';
}

/** Codes with a space between two (RFC 9068 §2.2.3). */
const isScope = matching(/^[!-~]+(?: [!-~]+)*$/);

const COMMON = {
  sub: isUuid,
  epoch: (value: unknown) => wholeNumber(value) && Number(value) >= 0,
  scope: optional(isScope),
  // A list of audiences is refused, even if it contains this one.
  aud: equalTo(AUDIENCE),
  exp: wholeNumber,
  iat: wholeNumber,
  jti: nonEmptyText,
};

const CLAIMS = {
  ...COMMON,
  app_code: nonEmptyText,
  org_id: orNull(isUuid),
  secret_id: orNull(isUuid),
  type: equalTo('api_key'),
};

const CLAIMS_OF_USER = {
  ...COMMON,
  org_id: isUuid,
  provider_id: isUuid,
  type: equalTo('user'),
};

const areClaims = (payload: unknown): payload is Claims =>
  isWellFormed<Claims>(payload, CLAIMS) && payload.exp === payload.iat + TOKEN_TIMES.lifetime;

const areClaimsOfUser = (payload: unknown): payload is UserClaims =>
  isWellFormed<UserClaims>(payload, CLAIMS_OF_USER) &&
  payload.exp > payload.iat &&
  payload.exp <= payload.iat + TOKEN_TIMES.lifetime;

/**
 * Verifies a token. Its key is the one of `keys` with its `kid`; the key decides the algorithm, never the token. There
 * is no tolerance for the expiry, and the leeway of {@link TOKEN_TIMES} for the time of issue. `now` in epoch
 * milliseconds.
 * @param keys by default those of the environment
 * @throws InvalidToken
 * @example const { orgId, tokenId } = await verifyToken(token, Date.now());
 */
export async function verifyToken(
  token: string,
  now: number,
  keys?: readonly PublicKey[],
): Promise<VerifiedIntegration | VerifiedUser> {
  const key = keyOf(token, keys ?? (await environmentPublicKeys()));
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
  const isOfUser = areClaimsOfUser(payload);
  if (!isOfUser && !areClaims(payload)) throw new InvalidToken('the claims are not those of an access token');
  if (payload.iat > now / 1000 + TOKEN_TIMES.leeway) {
    throw new InvalidToken('the token was issued in the future', { reason: 'early' });
  }
  return isOfUser ? userOf(payload) : integrationOf(payload);
}

const commonIn = ({ epoch, scope, jti, exp }: Pick<CommonClaims, 'epoch' | 'scope' | 'jti' | 'exp'>) => ({
  ...{ tokenEpoch: epoch, scope: scope?.split(' ') ?? null, tokenId: jti, expiresAt: exp },
});

const integrationOf = ({ sub, app_code, org_id, secret_id, ...common }: Claims): VerifiedIntegration => ({
  ...commonIn(common),
  ...{ integrationId: sub, appCode: app_code, orgId: org_id, secretId: secret_id },
});

const userOf = ({ sub, org_id, provider_id, iat, ...common }: UserClaims): VerifiedUser => ({
  ...commonIn(common),
  ...{ userId: sub, orgId: org_id, providerId: provider_id, issuedAt: iat },
});

/** Longest text that is decoded, in characters: far longer than any token of this service. */
const LONGEST = 4_096;

function keyOf(token: string, keys: readonly PublicKey[]): PublicKey {
  const parts = partsOf(token, LONGEST);
  if (parts === undefined) throw new InvalidToken('the token does not have three parts in base64url');
  const header = decoded(parts[0]);
  if (!isHeader(header)) throw new InvalidToken('the header is not that of an access token');
  const key = keys.find(({ kid }) => kid === header.kid);
  if (key === undefined) throw new InvalidToken('the token is signed with another key', { reason: 'unknown-key' });
  if (key.alg !== header.alg) throw new InvalidToken('the token names another algorithm than its key has');
  return key;
}
