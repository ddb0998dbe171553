import { hash } from 'node:crypto';
import { createLocalJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { isMailAddressOf } from '#contract';
import type { Tenant } from '#table';
import { decoded, partsOf } from '../compact-jwt.ts';
import { ASYMMETRIC, type IdentityProvider } from './provider.ts';
import type { KeysOf } from './provider-keys.ts';
import { SubjectTokenRefused } from './refused.ts';

/**
 * Tokens of identity providers, which are exchanged for tokens of this service (RFC 8693): ID tokens (OpenID Connect
 * Core 1.0 §3.1.3.7) and JWT access tokens (RFC 9068) for an audience of the provider (RFC 8725).
 */

/** What a token says about somebody, once everything of it is verified. */
export interface VerifiedSubject {
  /** The claim `sub`, which is unique among the users of this provider alone. */
  readonly subject: string;
  /** The mail address as it was given, where it counts: it is verified, and its domain is one of the provider's. */
  readonly email?: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
  /** Digest of what is signed. A signature does not count: there may be several for one content (ECDSA). */
  readonly digest: string;
}

interface Verification {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly keysOf: KeysOf;
  /** By `subject_token_type`. */
  readonly kind: 'id_token' | 'access_token';
}

/** Longest token, in characters. */
const LONGEST = 16 * 1_024;
/** In seconds: how old a token may be, and how far ahead its issuer's clock. There is no leeway for its end. */
const OLDEST = 600;
const LEEWAY = 60;

/** Headers that carry or point to a key (RFC 8725 §3.10), or that change what the others mean. */
const REFUSED_HEADERS = ['jwk', 'jku', 'x5u', 'x5c', 'crit'] as const;
const TYPES = { id_token: ['jwt'], access_token: ['jwt', 'at+jwt'] } as const;

/**
 * The issuer that a token names, by which its provider is looked up. Nothing of it is verified.
 * @throws SubjectTokenRefused
 */
export function issuerNamedBy(token: string): string {
  const parts = partsOf(token, LONGEST);
  if (parts === undefined) throw new SubjectTokenRefused('malformed');
  const { iss } = Object(decoded(parts[1])) as JWTPayload;
  if (typeof iss !== 'string' || !URL.canParse(iss)) throw new SubjectTokenRefused('claims');
  return iss;
}

/**
 * Verifies a token of an identity provider. The claim `nonce` is ignored: it is between provider and application.
 * @throws SubjectTokenRefused, and what `keysOf` throws
 * @example const keysOf = keysOfProvider(tenant, provider);
 * await verifySubjectToken(provider, token, { now: tenant.serverTime, keysOf, kind: 'id_token' });
 */
export async function verifySubjectToken(
  provider: IdentityProvider,
  token: string,
  { now, keysOf, kind }: Verification,
): Promise<VerifiedSubject> {
  const parts = partsOf(token, LONGEST);
  if (parts === undefined) throw new SubjectTokenRefused('malformed');
  const algorithms = provider.algorithms.filter((algorithm) => ASYMMETRIC.has(algorithm));
  const kid = checkHeader(decoded(parts[0]), algorithms, kind);
  const keys = createLocalJWKSet({ keys: [...(await keysOf(kid))] });
  const { payload } = await jwtVerify(token, keys, {
    algorithms,
    issuer: provider.issuer,
    clockTolerance: LEEWAY,
    currentDate: new Date(now),
  }).catch((cause: unknown) => {
    throw new SubjectTokenRefused(reasonOf(cause, kid), { cause });
  });
  checkClaims(payload, provider, now / 1_000);
  const digest = hash('sha256', `${parts[0]}.${parts[1]}`, 'base64url');
  return { ...subjectIn(payload, provider), digest };
}

/** @returns the id of the key, if the header names one */
function checkHeader(value: unknown, algorithms: readonly string[], kind: Verification['kind']): string | undefined {
  const header = Object(value) as Readonly<Record<string, unknown>>;
  const { alg, typ = 'JWT', kid } = header;
  if (REFUSED_HEADERS.some((name) => Object.hasOwn(header, name))) throw new SubjectTokenRefused('header');
  if (!algorithms.some((algorithm) => algorithm === alg)) throw new SubjectTokenRefused('algorithm');
  // A media type (RFC 7515 §4.1.9).
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : undefined;
  if (!TYPES[kind].some((each) => each === type)) throw new SubjectTokenRefused('type');
  if (kid !== undefined && (typeof kid !== 'string' || kid === '')) throw new SubjectTokenRefused('unknown-key');
  return kid;
}

/** Nothing is asked of anybody meanwhile, so every other error comes of the token and the keys. */
function reasonOf(cause: unknown, kid: string | undefined): SubjectTokenRefused['reason'] {
  if (cause instanceof errors.JWKSNoMatchingKey) return 'unknown-key';
  if (cause instanceof errors.JWKSMultipleMatchingKeys) return kid === undefined ? 'no-key' : 'unknown-key';
  if (cause instanceof errors.JWTExpired) return 'expired';
  if (cause instanceof errors.JWTInvalid) return 'claims';
  if (!(cause instanceof errors.JWTClaimValidationFailed)) return 'signature';
  const { claim, reason } = cause;
  if (claim === 'iss') return 'issuer';
  return claim === 'nbf' && reason === 'check_failed' ? 'early' : 'claims';
}

type Rule = (claims: JWTPayload, provider: IdentityProvider, seconds: number) => boolean;

/** The rules beyond those of `jwtVerify`, which has refused what is no number among times. */
const RULES: readonly (readonly [SubjectTokenRefused['reason'], Rule])[] = [
  ['claims', ({ exp, iat }) => Number.isFinite(exp) && Number.isFinite(iat)],
  // In whole seconds, as tokens end.
  ['expired', ({ exp = 0 }, _, seconds) => Math.floor(exp) > seconds],
  ['early', ({ iat = 0 }, _, seconds) => iat <= seconds + LEEWAY],
  ['old', ({ iat = 0 }, _, seconds) => iat >= seconds - OLDEST],
  // A security event, such as a logout token, which may have no `typ` (RFC 8417 §2.2).
  ['type', (claims) => !Object.hasOwn(claims, 'events')],
  ['audience', (claims, { audiences }) => isFor(claims, audiences)],
  // ASCII (OpenID Connect Core §2): other characters may be one once they are stored.
  ['subject', ({ sub }) => typeof sub === 'string' && /^[\x20-\x7e]{1,255}$/.test(sub)],
  [
    'required',
    (claims, { required_claims: required }) =>
      Object.entries(required).every(([name, value]) => textOf(claims, name) === value),
  ],
];

function checkClaims(claims: JWTPayload, provider: IdentityProvider, seconds: number): void {
  const broken = RULES.find(([, holds]) => !holds(claims, provider, seconds));
  if (broken !== undefined) throw new SubjectTokenRefused(broken[0]);
}

/** A token for several audiences must have been issued to one of ours (`azp`). */
function isFor({ aud, azp }: JWTPayload, ours: readonly string[]): boolean {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  const isOurs = (audience: unknown): boolean => ours.some((each) => each === audience);
  if (!named.every((audience) => typeof audience === 'string') || !named.some(isOurs)) return false;
  return named.length === 1 || isOurs(azp);
}

/** A claim as a text: of a text, a number or a boolean. */
function textOf(claims: JWTPayload, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

/** Only `true` verifies an address, never the text "true": a provider with that does not follow OpenID Connect. */
function subjectIn({ sub = '', exp = 0, email, email_verified }: JWTPayload, { email_domains }: IdentityProvider) {
  const counts = email_verified === true && typeof email === 'string' && isMailAddressOf(email, email_domains);
  return { subject: sub, ...(counts && { email }), expiresAt: Math.floor(exp) };
}

/** In seconds: far longer than a token may be exchanged after it was issued, whatever clocks say. */
const KEPT = 86_400;

/**
 * Stages that a token is exchanged, so that it is exchanged once. This is a part of the exchange's own transaction:
 * both or neither, so that a token is not used up by an exchange that fails, and no two of one token succeed. The new
 * token is for nobody before the commit.
 * @param refusal the error that the commit throws for one that was exchanged before
 */
export function takeOnce(
  tenant: Tenant,
  { digest }: Pick<VerifiedSubject, 'digest'>,
  refusal: (reason: SubjectTokenRefused) => Error,
): void {
  tenant.deduplication('TOKEN').remember(digest, {}, KEPT, () => refusal(new SubjectTokenRefused('used')));
}
