import * as leases from '../state/lease.ts';

/** How long the first events wait after a call that failed. Times in milliseconds. */

const SHORTEST = 5_000;
/** Of our own choice. */
const LONGEST = 15 * 60_000;

/**
 * The wait after so many failures in a row: from 5 seconds up to 15 minutes, at random between a step and its half, so that endpoints that fail
 * together are not called together. Longer where the receiver says so.
 * @param failures 1 after the first
 * @param random a number from 0 up to, not including, 1
 */
export function waitAfter(failures: number, random: number, retryAfterSeconds = 0): number {
  const step = Math.min(2 * SHORTEST * 2 ** (failures - 1), LONGEST);
  const own = Math.round((step / 2) * (1 + random));
  return Math.max(own, Math.min(retryAfterSeconds * 1_000, leases.LONGEST_WAIT_MS));
}
