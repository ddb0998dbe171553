import type { JWK } from 'jose';
import type { outbound } from '#outbound';
import { equalTo, isWellFormed, jsonOf, matching } from '../../well-formed.ts';
import { ASYMMETRIC } from './provider.ts';

type Send = ReturnType<typeof outbound>;

/** Keys could not be fetched. The message is of a closed set of words, for logs and administrators. */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed';
}

const MOST_KEYS = 100;

/**
 * The keys for signatures that an issuer publishes (OpenID Connect Discovery 1.0 §4; RFC 7517): two calls. The keys may
 * be on another host than the issuer.
 * @throws FetchFailed
 */
export async function fetchKeys(issuer: string, send: Send): Promise<readonly JWK[]> {
  const base = issuer.endsWith('/') ? issuer.slice(0, -1) : issuer;
  const discovery = await getObject(`${base}/.well-known/openid-configuration`, 'discovery', send);
  if (discovery.issuer !== issuer) throw new FetchFailed('discovery-of-another-issuer');
  const { jwks_uri: uri } = discovery;
  if (typeof uri !== 'string') throw new FetchFailed('discovery-without-keys');
  const { keys } = await getObject(uri, 'keys', send);
  if (!Array.isArray(keys) || keys.length > MOST_KEYS) throw new FetchFailed('keys-invalid');
  const usable = keys.flatMap((key) => publicKeyIn(key) ?? []);
  if (usable.length === 0) throw new FetchFailed('keys-none');
  return usable;
}

async function getObject(url: string, what: 'discovery' | 'keys', send: Send) {
  const outcome = await send({ method: 'GET', url, headers: { accept: 'application/json' }, readsBody: true });
  if ('error' in outcome) throw new FetchFailed(`${what}-${outcome.error}`);
  const { status, body } = outcome;
  if (status !== 200) throw new FetchFailed(`${what}-status-${status}`);
  const value = body === undefined ? undefined : jsonOf(body);
  // A body that is too long is none.
  if (typeof value !== 'object' || value === null) throw new FetchFailed(`${what}-invalid`);
  return value as Readonly<Record<string, unknown>>;
}

/**
 * The public members of each type (RFC 7518 §6, RFC 8037 §2). RSA has 2048 to 8192 bits and a short exponent: to verify
 * with larger ones would take long.
 */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, ReturnType<typeof matching>>>>> = {
  RSA: { n: matching(/^[\w-]{342,1366}$/), e: matching(/^[\w-]{1,8}$/) },
  EC: { crv: matching(/^P-(256|384|521)$/), x: matching(/^[\w-]{43,88}$/), y: matching(/^[\w-]{43,88}$/) },
  OKP: { crv: equalTo('Ed25519'), x: matching(/^[\w-]{43}$/) },
};

/** The public key in a member of a set; undefined for one that signs nothing here, or whose private part is shown. */
function publicKeyIn(value: unknown): JWK | undefined {
  const { kty, kid, use, alg, key_ops: operations, d, ...others } = Object(value) as JWK;
  const members = typeof kty === 'string' && Object.hasOwn(MEMBERS, kty) ? MEMBERS[kty] : undefined;
  if (members === undefined || !isWellFormed(others, members) || d !== undefined) return undefined;
  const verifies = operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
  const isForSignatures = (use === undefined || use === 'sig') && verifies;
  const isNamed = kid === undefined || (typeof kid === 'string' && kid !== '');
  if (!isForSignatures || !isNamed || !(alg === undefined || ASYMMETRIC.has(alg))) return undefined;
  const parts = Object.keys(members).map((member) => [member, Reflect.get(others, member)]);
  return { kty, ...(kid !== undefined && { kid }), ...(alg !== undefined && { alg }), ...Object.fromEntries(parts) };
}
