import { Problem } from '#contract/problem';
import type { LoginAttempt } from '#tenancy/credentials';

/**
 * Slows the guessing of secrets (`docs/decisions/0080`). Failed logins and wrong webhook signatures are counted by app code and source
 * network together, never by the app code alone: that would let anyone lock a tenant out. Failed logins with an unknown app code are
 * counted too, so a refusal does not reveal which codes exist.
 */

/** Failures without a wait, for someone who pasted the wrong secret. */
const FREE_FAILURES = 5;
/** The wait after the next failure; it doubles with every further one. In seconds. */
const FIRST_WAIT = 1;
const LONGEST_WAIT = 900;

/** The wait after so many failures, in seconds. */
export const waitAfter = (failures: number): number =>
  failures < FREE_FAILURES ? 0 : Math.min(FIRST_WAIT * 2 ** (failures - FREE_FAILURES), LONGEST_WAIT);

const TOO_MANY = {
  login: 'Too many failed logins with this app code from this address.',
  signature: 'Too many wrong signatures with this app code from this address.',
} as const;

/**
 * Refuses a login attempt during a wait. The right secret is refused too, otherwise the wait would not slow an attacker.
 * `lastAt` and `now` in epoch milliseconds.
 * @throws Problem `too-many-requests`
 */
export function checkLoginThrottle(
  { kind }: Pick<LoginAttempt, 'kind'>,
  { count, lastAt }: { readonly count: number; readonly lastAt: number },
  now: number,
): void {
  const left = lastAt + waitAfter(count) * 1000 - now;
  if (left <= 0) return;
  throw new Problem('too-many-requests', {
    detail: TOO_MANY[kind],
    headers: { 'Retry-After': String(Math.ceil(left / 1000)) },
  });
}
