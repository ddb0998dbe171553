import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { invalidField, Problem } from '#contract';
import type { Tenant } from '#table';
import { stagePingCount } from '../state/limits.ts';
import type { StoredEndpoint } from '../store.ts';
import { MOST_PINGS } from './records.ts';

/**
 * A receiver proves that it wants deliveries before it gets any (`docs/decisions/0201-events.md`), at each `url` anew:
 *
 *     created, or another url ─▶ unverified: ping_pending, a ping is going to be sent
 *                                 ├─ answered with the HMAC of its challenge ─▶ active
 *                                 ├─ otherwise ─▶ unverified: ping_failed, ping_answer_wrong
 *                                 └─ too many pings ─▶ unverified: not_pinged
 *     unverified ─ POST …/ping ─▶ ping_pending, with another challenge
 *                ─ POST …/verify with the challenge, by a person ─▶ active
 *                ─ paused, and active again ─▶ as another url
 */

type Status = Pick<StoredEndpoint, 'status' | 'status_reason'>;
type Proof = Status & Required<Pick<StoredEndpoint, 'challenge'>>;

/** An endpoint whose receiver has proved it. */
export const VERIFIED = { status: 'active', status_reason: null, challenge: null } as const satisfies Proof;

/** One that waits for a ping that somebody asks for. */
export const NOT_PINGED: Status = { status: 'unverified', status_reason: 'not_pinged' };

export const isVerified = ({ challenge }: Pick<StoredEndpoint, 'challenge'>): boolean => challenge == null;

/** 256 random bits, as letters, digits, `-` and `_`. */
export const newChallenge = (): string => randomBytes(32).toString('base64url');

/** What an endpoint becomes that is going to be pinged. */
export const pinged = (): Proof => ({
  status: 'unverified',
  status_reason: 'ping_pending',
  challenge: newChallenge(),
});

/** Makes an endpoint wait for its receiver's proof. It is pinged, unless its tenant has had too many pings. */
export const askForProof = async (tenant: Tenant): Promise<Proof> =>
  (await stagePingCount(tenant, maxPings())) === 0 ? pinged() : { ...NOT_PINGED, challenge: newChallenge() };

/** `MAX_WEBHOOK_PINGS`, which tests set, or else {@link MOST_PINGS}. */
const maxPings = (): number => mostOf('MAX_WEBHOOK_PINGS', MOST_PINGS);

export function mostOf(variable: string, standard: number): number {
  const most = process.env[variable] ?? '';
  return /^[1-9]\d{0,8}$/.test(most) ? Number(most) : standard;
}

/** Counts a ping. @throws Problem `too-many-requests` */
export async function requirePing(tenant: Tenant): Promise<void> {
  const seconds = await stagePingCount(tenant, maxPings());
  if (seconds === 0) return;
  throw new Problem('too-many-requests', {
    detail: `All endpoints of the tenant together may be pinged ${maxPings()} times an hour.`,
    headers: { 'Retry-After': String(seconds) },
  });
}

/**
 * @throws Problem `conflict` for an endpoint that needs no proof now, or `invalid-body` for the code of another ping
 */
export function checkCode({ status, challenge }: StoredEndpoint, code: string): void {
  if (status !== 'unverified') throw new Problem('conflict', { detail: `The endpoint is ${status}, not unverified.` });
  if (!isSame(code, challenge ?? '')) throw invalidField('code', 'must be the `challenge` of the last ping');
}

/**
 * How a receiver answers a challenge: HMAC-SHA256 in hexadecimal digits.
 * @param secret as it is shown, `whsec_` included: another key than that of signatures
 */
export const answerTo = (challenge: string, secret: string): string =>
  createHmac('sha256', secret).update(challenge).digest('hex');

/** In constant time for texts of one length. */
export function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
