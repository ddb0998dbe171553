import type { Caller } from '#identity';
import type { Tenant } from '#table';
import { keepNewest } from '../../memory.ts';
import { RequestCount } from './request-count.ts';
import { Bucket } from './token-bucket.ts';

/**
 * The token buckets of this container: those of request budgets, with what was counted besides, and the reserves of
 * tokens.
 */

/** Most of each kind. */
const KEPT = 10_000;

/** What this container knows of the requests of an integration, or of a whole tenant. */
interface Known {
  readonly bucket: Bucket;
  readonly count: RequestCount;
}

/** By tenant and owner, the least recently used first. */
const known = new Map<string, Known>();

/** Of an integration, or of the whole tenant (null), whose requests are only counted by integration. */
export function knownOf(tenant: Tenant, integrationId: string | null): Known {
  const name = `${tenant.id}#${integrationId ?? ''}`;
  const found = known.get(name) ?? { bucket: new Bucket(), count: new RequestCount() };
  keepNewest(known, name, found, KEPT);
  return found;
}

/** Requests a minute of each token and container. */
const RESERVE = 5;

/**
 * By token id, the least recently used first. A dropped reserve is full again, so dropping takes nothing from anybody.
 */
const reserves = new Map<string, Bucket>();

/**
 * Takes one request from the reserve of the caller's token. The reserve is for cutting off keys when the request budget
 * is spent, so that nobody can prevent an owner from that by spending it (`docs/decisions/0081-request-budgets.md`). In
 * memory only: each container has its own. `now` in epoch milliseconds.
 * @returns whether there was one
 */
export function takeReserve({ tokenId }: Caller, now: number): boolean {
  if (tokenId === null) return false;
  const reserve = reserves.get(tokenId) ?? new Bucket();
  keepNewest(reserves, tokenId, reserve, KEPT);
  if (reserve.wait(RESERVE, now) > 0) return false;
  reserve.take(RESERVE, now);
  return true;
}
