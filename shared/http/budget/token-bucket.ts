import { BUDGET_WINDOW } from '#tenancy';

/**
 * One container's copy of a budget's token bucket. It holds a minute's requests and refills evenly over a minute.
 *
 * A bucket is one number, the time at which it will be full again (the generic cell rate algorithm, ITU-T I.371): a
 * request moves that time forward, and is admitted as long as the time is less than a minute ahead. A container decides
 * by its own copy alone. It adds the requests that it has admitted to the shared bucket in batches, and so learns of
 * those of other containers. `docs/decisions/0081` says how exact that is.
 *
 * A bucket stores time and not a number of requests, so that callers with different limits can share one.
 */

const { refillMs: WINDOW_MS, mostSpentMs: MOST_SPENT_MS } = BUDGET_WINDOW;

/** A batch is at most LARGEST_BATCH requests and at most limit / PART_OF_LIMIT. */
const LARGEST_BATCH = 1_000;
const PART_OF_LIMIT = 20;
/** When the bucket runs low, a batch is at most remaining / PART_OF_REST, but at least limit / LEAST_PART_OF_LIMIT. */
const PART_OF_REST = 8;
const LEAST_PART_OF_LIMIT = 100;

/** Tolerance for rounding errors, in requests. */
const ROUNDING = 0.01;

/** So much is refilled before a container's next batch. In milliseconds. */
const SPENT_BY_OTHERS_MS = 1_000;

/**
 * Concurrent requests may be out of order by this much; a larger step back means that the clock was set. In
 * milliseconds.
 */
const CLOCK_STEP_MS = 5_000;

interface Quota {
  /** Requests left. */
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly reset: number;
}

export class Bucket {
  /** Epoch milliseconds. */
  #fullAt = 0;
  /** Cost of the admitted requests that are not flushed yet, in milliseconds of the window. */
  #unflushed = 0;
  #unflushedSince = 0;
  /** The latest time seen, in epoch milliseconds. */
  #latest = 0;
  /** Whether other containers had spent something of the shared bucket when this one last learned of it. */
  #isShared = false;

  /**
   * Seconds until there is room for this many requests, or for the bucket's capacity; 0: now. `limit` in requests a
   * minute, `now` in epoch milliseconds.
   */
  wait(limit: number, now: number, requests = 1): number {
    this.#follow(now);
    const over = this.#spent(now) + (requests * WINDOW_MS) / limit - WINDOW_MS;
    return over > 0.5 ? Math.max(1, Math.ceil(over / 1000)) : 0;
  }

  /**
   * Takes tokens: for a request, after {@link wait} has returned 0; for its work always, as debt. A negative number
   * returns tokens.
   */
  take(limit: number, now: number, requests = 1): void {
    const cost = (requests * WINDOW_MS) / limit;
    this.#follow(now);
    this.#fullAt = now + Math.min(this.#spent(now) + cost, MOST_SPENT_MS);
    // Requests older than the window have been refilled already.
    if (now - this.#unflushedSince > WINDOW_MS) {
      this.#unflushed = 0;
      this.#unflushedSince = now;
    }
    this.#unflushed += cost;
  }

  quota(limit: number, now: number): Quota {
    const spent = this.#spent(now);
    const remaining = Math.floor(((WINDOW_MS - spent) * limit) / WINDOW_MS + ROUNDING);
    return { remaining: Math.max(0, remaining), reset: Math.ceil(spent / 1000) };
  }

  /**
   * The cost to flush now, in milliseconds; it counts as flushed from now on. 0: not worth a write yet.
   * @param isUrgent whether any request is worth a write
   */
  takeBatch(limit: number, now: number, isUrgent = false): number {
    const rest = Math.floor(this.quota(limit, now).remaining / PART_OF_REST);
    const least = Math.max(1, Math.floor(limit / LEAST_PART_OF_LIMIT));
    const batch = Math.min(Math.ceil(limit / PART_OF_LIMIT), LARGEST_BATCH, Math.max(rest, least));
    const worthIt = isUrgent ? 1 : batch;
    if (this.#unflushed < ((worthIt - ROUNDING) * WINDOW_MS) / limit) return 0;
    const taken = Math.min(this.#unflushed, MOST_SPENT_MS);
    this.#unflushed = 0;
    return taken;
  }

  /**
   * Whether the shared bucket probably was full before a batch of this cost: this container's copy was, and no other
   * spent of it the last time.
   */
  seemsFullBefore(batch: number, now: number): boolean {
    return !this.#isShared && this.#spent(now) <= batch + 1;
  }

  /**
   * Takes over the state of the shared bucket, as far as it is believed, and adds what this container has not flushed
   * yet.
   * @param batch the cost that this container has just flushed
   */
  learn(sharedFullAt: number, now: number, batch = 0): void {
    this.#isShared = sharedFullAt > Math.max(this.#fullAt, now + batch) + SPENT_BY_OTHERS_MS;
    this.#fullAt = Math.max(this.#fullAt, Math.min(sharedFullAt + this.#unflushed, now + MOST_SPENT_MS));
  }

  /** The spent part of the window, in milliseconds. */
  #spent(now: number): number {
    return Math.max(0, this.#fullAt - now);
  }

  /** When the clock is set back, the bucket is moved with it and stays as full as it was. */
  #follow(now: number): void {
    if (this.#latest - now > CLOCK_STEP_MS) this.#fullAt -= this.#latest - now;
    this.#latest = this.#latest - now > CLOCK_STEP_MS ? now : Math.max(this.#latest, now);
  }
}
