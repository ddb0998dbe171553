import { isIPv6 } from 'node:net';
import { Problem } from '#contract';
import type { RequestSession } from '#table';
import { type Credentials, LoginAttempt } from '#tenancy';
import { allDone } from '../all-done.ts';
import { canonicalAddress } from '../ip-address.ts';
import { recordRefusal } from './refusals.ts';

/**
 * Slows the guessing of secrets (`docs/decisions/0080`). Failed logins and wrong webhook signatures are counted by app
 * code and source network together, never by the app code alone: that would let anyone lock a tenant out. Failed logins
 * with an unknown app code are counted too, so a refusal does not reveal which codes exist.
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

type Failures = Awaited<ReturnType<LoginAttempt['failures']>>;

/** One attempt to log in, or to deliver a webhook under a signature. */
export class ThrottledLogin {
  readonly #session: RequestSession;
  readonly #attempt: LoginAttempt;
  readonly #failures: Failures;

  /**
   * Reads how often such attempts have failed. They are counted by `kind`, so that neither blocks the other.
   * @param sourceAddress network address of the caller
   */
  static async begin(
    session: RequestSession,
    kind: LoginAttempt['kind'],
    appCode: string,
    sourceAddress: string,
  ): Promise<ThrottledLogin> {
    const attempt = new LoginAttempt(session, { kind, appCode, network: sourceNetwork(sourceAddress) });
    return new ThrottledLogin(session, attempt, await attempt.failures());
  }

  private constructor(session: RequestSession, attempt: LoginAttempt, failures: Failures) {
    this.#session = session;
    this.#attempt = attempt;
    this.#failures = failures;
  }

  /**
   * Refuses the attempt during a wait. The right secret is refused too, otherwise the wait would not slow an attacker.
   * @throws Problem `too-many-requests`
   */
  requireNoWait(): void {
    const { count, lastAt } = this.#failures;
    const wait = waitAfter(count) * 1000;
    const left = lastAt + wait - this.#session.now;
    // A failure that needs no wait may be later than the time of this request, which began before it.
    if (wait === 0 || left <= 0) return;
    throw new Problem('too-many-requests', {
      detail: TOO_MANY[this.#attempt.kind],
      headers: { 'Retry-After': String(Math.ceil(left / 1000)) },
    });
  }

  /**
   * Counts a failure. For a known app code it leaves an audit event, too.
   * @throws TableUnavailable when it cannot be counted, so that uncounted attempts get no result
   */
  async fail(credentials: Credentials | undefined): Promise<void> {
    await allDone([
      this.#attempt.countFailure(),
      credentials && recordRefusal(this.#session, credentials, `${this.#attempt.kind}_refused`),
    ]);
  }

  /** Forgets earlier failures. */
  async succeed(): Promise<void> {
    if (this.#failures.count > 0) await this.#attempt.forgetFailures();
  }
}

/**
 * The network that a request came from: an IPv4 address, or the /64 of an IPv6 address. One subscriber has at least a
 * /64 (RFC 6177 §2) and could use a new address for every login attempt.
 */
export function sourceNetwork(address: string): string {
  const canonical = canonicalAddress(address) ?? address;
  // The expression that recognizes IPv6 takes 5 ms to compile, and most addresses are IPv4.
  if (!canonical.includes(':') || !isIPv6(canonical)) return canonical;
  return `${groupsOf(canonical).slice(0, 4).join(':')}::/64`;
}

/**
 * The eight groups of an IPv6 address, each without leading zeros. The end may be written as an IPv4 address (RFC 4291
 * §2.2).
 */
function groupsOf(address: string): string[] {
  const [withoutZone = ''] = address.split('%');
  const [front = [], back] = withoutZone.split('::').map((half) => half.split(':').flatMap(groupOf));
  if (back === undefined) return front;
  return [...front, ...Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0'), ...back];
}

const groupOf = (text: string): string[] => {
  if (text === '') return [];
  return text.includes('.') ? ['v4', 'v4'] : [Number.parseInt(text, 16).toString(16)];
};
