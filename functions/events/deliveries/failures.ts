import type * as leases from '../state/lease.ts';
import type { DeliveryState } from '../state/state.ts';
import type { Stop } from './assignment.ts';
import { waitAfter } from './back-off.ts';

/** What failures leave in the state of an endpoint. */

/** An endpoint that fails for so long is disabled, in milliseconds. */
const LONGEST_FAILING = 5 * 86_400_000;
/** Most calls with an event that the receiver refuses. */
const MOST_REFUSALS = 5;
/** How much later than planned a call may be without counting as a time in which nobody has called, in milliseconds. */
const DELAY = 10 * 60_000;

interface When {
  /** Epoch milliseconds. */
  readonly now: number;
  /** When the call began, in epoch milliseconds. Default: now. */
  readonly began?: number;
  /** From 0 up to, not including, 1. */
  readonly random: number;
  readonly retryAfterSeconds?: number | undefined;
}

/** A change of the state that gives the lease back, and says when the next call is due. */
export interface Waiting extends leases.StateChange {
  readonly set: Partial<DeliveryState> & Required<Pick<DeliveryState, 'retry_at'>>;
}

const LEASE = ['lease', 'lease_until'] as const;
const FAILING = ['failing_for', 'failed_at', 'failures', 'refusals', 'retry_at'] as const;

/**
 * After a failure of the endpoint. For how long it fails is a sum of the times between calls, each of which counts no more than was planned and a
 * little: neither a worker with a wrong clock nor days without calls disable it.
 */
export function afterFailure(state: DeliveryState, { now, began = now, random, retryAfterSeconds }: When): Waiting {
  const {
    failures = 0,
    failing_since = new Date(began).toISOString(),
    failing_for = 0,
    failed_at = now,
    retry_at = failed_at,
  } = state;
  const planned = failures === 0 ? 0 : retry_at - failed_at;
  const passed = failures === 0 ? 0 : Math.min(Math.max(0, now - failed_at), Math.max(0, planned) + DELAY);
  return {
    set: {
      failing_since,
      failing_for: failing_for + passed,
      failed_at: now,
      failures: failures + 1,
      retry_at: now + waitAfter(failures + 1, random, retryAfterSeconds),
    },
    remove: LEASE,
  };
}

/** What an endpoint becomes after 410. */
export const GONE: Stop = { status: 'disabled', status_reason: 'gone' };

/** What an endpoint in this state becomes; undefined where it is called again. */
export const stopAfter = ({ failing_for = 0 }: Partial<DeliveryState>): Stop | undefined =>
  failing_for >= LONGEST_FAILING ? { status: 'disabled', status_reason: 'failing' } : undefined;

/** After an endpoint was disabled: it keeps only since when it fails. */
export const AFTER_STOP: leases.StateChange = { remove: [...LEASE, ...FAILING] };

/**
 * After the receiver has refused a single event; undefined where that is the last time, and the event is skipped. Refusals of another one, which the
 * endpoint does not get any more, do not count.
 * @param event its number, up to which the cursor moves
 */
export function afterRefusal(state: DeliveryState, event: number, { now, random }: When): Waiting | undefined {
  const refusals = 1 + (state.next === event ? (state.refusals ?? 0) : 0);
  if (refusals >= MOST_REFUSALS) return undefined;
  return { set: { next: event, refusals, retry_at: now + waitAfter(refusals, random) }, remove: LEASE };
}

/** After an event was skipped: the endpoint works, and what it says of other events is not known yet. */
export const AFTER_SKIPPING: leases.StateChange = { remove: ['failing_since', ...FAILING] };

/** After a success. */
export const afterSuccess = (now: number): leases.StateChange => ({
  ...AFTER_SKIPPING,
  set: { last_success_at: new Date(now).toISOString() },
});
