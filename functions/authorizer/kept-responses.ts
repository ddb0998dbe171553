import { createHash } from 'node:crypto';
import { keepNewest } from '../../shared/memory.ts';
import type { Authorized } from './authorize.ts';

/**
 * A container's cache of verified tokens, for as long as the gateway would cache them. The gateway caches nothing for
 * the route that also takes anonymous callers, because it caches by the header. That route's operation is conditional
 * on the caller's credentials at its commit (`docs/decisions/0012`).
 */

interface Kept {
  readonly response: Authorized;
  /** In epoch milliseconds. */
  readonly until: number;
}

/** By the digest of the token, so that no token is kept. */
const kept = new Map<string, Kept>();
const MOST = 1_000;

const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** The cached result for a token, unless it is too old. `now` in epoch milliseconds. */
export function keptResponse(token: string, now: number): Authorized | undefined {
  const found = kept.get(digestOf(token));
  return found !== undefined && found.until > now ? found.response : undefined;
}

/** Caches it for `AUTHORIZER_CACHE_SECONDS`; not at all where that is not set or 0. */
export function keepResponse(token: string, response: Authorized, now: number): void {
  const seconds = Number(process.env.AUTHORIZER_CACHE_SECONDS ?? 0);
  if (seconds > 0) keepNewest(kept, digestOf(token), { response, until: now + seconds * 1000 }, MOST);
}
