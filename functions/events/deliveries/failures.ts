import { LONGEST_WAIT_MS, type StateChange } from '../state/lease.ts';
import { type DeliveryState, FAILING, LEASED } from '../state/state.ts';
import type { StoredEndpoint } from '../store.ts';
import type { Outcome } from './ports.ts';

/** What the outcome of a call means, and what it leaves in the state of an endpoint. Times in milliseconds. */

/**
 * - `delivered`;
 * - `failed`: the endpoint fails, and the same events are sent again later, before any others;
 * - `refused`: these events are not accepted; other ones may be;
 * - `gone`: the receiver wants no events any more.
 */
export type Verdict = 'delivered' | 'failed' | 'refused' | 'gone';

/** Statuses that speak of the content: it is malformed, too large, or makes no sense. */
const OF_CONTENT: ReadonlySet<number> = new Set([400, 413, 422]);
const GONE = 410;

export function verdictOf(outcome: Outcome): Verdict {
  if ('error' in outcome) return 'failed';
  const { status } = outcome;
  if (status >= 200 && status < 300) return 'delivered';
  if (status === GONE) return 'gone';
  return OF_CONTENT.has(status) ? 'refused' : 'failed';
}

const FIRST_STEP = 10_000;
const LONGEST_STEP = 15 * 60_000;

/**
 * The wait after so many failures in a row: from 5 seconds up to 15 minutes, at random between a step and its half, so
 * that endpoints that fail together are not called together. Longer where the receiver says so.
 * @param failures 1 after the first
 * @param random a number from 0 up to, not including, 1
 */
export function waitAfter(failures: number, random: number, retryAfterSeconds = 0): number {
  const step = Math.min(FIRST_STEP * 2 ** (failures - 1), LONGEST_STEP);
  const own = Math.round((step / 2) * (1 + random));
  return Math.max(own, Math.min(retryAfterSeconds * 1_000, LONGEST_WAIT_MS));
}

/** What an endpoint becomes when it gets no more events. */
export type Stop = Pick<StoredEndpoint, 'status' | 'status_reason'>;

/** An endpoint that fails for so long is disabled. */
const LONGEST_FAILING = 5 * 86_400_000;
/** Most calls with an event that the receiver refuses. */
const MOST_REFUSALS = 5;
/** A call may be so much later than planned without counting as a time in which nobody has called. */
const DELAY = 10 * 60_000;

interface When {
  /** Epoch milliseconds. */
  readonly now: number;
  /** When the call began. Default: now. */
  readonly began?: number;
  /** From 0 up to, not including, 1. */
  readonly random: number;
  readonly retryAfterSeconds?: number | undefined;
}

/** A change of the state that releases the lease, and says when the next call is due. */
interface Waiting extends StateChange {
  readonly set: Partial<DeliveryState> & Required<Pick<DeliveryState, 'retry_at'>>;
}

/**
 * After a failure of the endpoint. For how long it fails is a sum of the times between calls, each of which counts at
 * most what was planned and a little: neither a worker with a wrong clock nor days without calls disable it.
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
    remove: LEASED,
  };
}

/** What an endpoint in this state becomes; undefined where it is called again. */
export const stopAfter = ({ failing_for = 0 }: Partial<DeliveryState>): Stop | undefined =>
  failing_for >= LONGEST_FAILING ? { status: 'disabled', status_reason: 'failing' } : undefined;

/** After an endpoint was disabled: it keeps only since when it fails. */
export const AFTER_STOP: StateChange = {
  remove: [...LEASED, ...FAILING.filter((name) => name !== 'failing_since')],
};

/**
 * After the receiver has refused a single event; undefined where that was the last time. Refusals of another event,
 * which the endpoint does not get any more, do not count.
 * @param event its number, up to which the cursor moves
 */
export function afterRefusal(state: DeliveryState, event: number, { now, random }: When): Waiting | undefined {
  const refusals = 1 + (state.next === event ? (state.refusals ?? 0) : 0);
  if (refusals >= MOST_REFUSALS) return undefined;
  return { set: { next: event, refusals, retry_at: now + waitAfter(refusals, random) }, remove: LEASED };
}

/** After an event was skipped: the endpoint works, and whether it takes other events is not known yet. */
export const afterSkip = (next: number): StateChange => ({ set: { next }, remove: FAILING });

export const afterSuccess = (next: number, now: number): StateChange => ({
  set: { next, last_success_at: new Date(now).toISOString() },
  remove: FAILING,
});
