import type { Caller } from '#identity';
import { keepNewest } from '../keep-newest.ts';
import { Bucket } from './token-bucket.ts';

/**
 * The reserve of a token for cutting off keys when the request budget is spent, so that nobody can prevent an owner from that by spending it
 * (`docs/decisions/0081-request-budgets.md`). In memory only: each container has its own.
 */

/** Requests a minute of each token and container. */
const RESERVE = 5;

/** By token id, the least recently used first. A dropped reserve is full again, so dropping takes nothing from anybody. */
const reserves = new Map<string, Bucket>();
const KEPT = 10_000;

/** Takes one request from the reserve of the caller's token. `now` in epoch milliseconds. @returns whether there was one */
export function takeReserve({ tokenId }: Caller, now: number): boolean {
  if (tokenId === null) return false;
  const reserve = reserves.get(tokenId) ?? new Bucket();
  keepNewest(reserves, tokenId, reserve, KEPT);
  if (reserve.wait(RESERVE, now) > 0) return false;
  reserve.take(RESERVE, now);
  return true;
}
