/**
 * The token bucket of one budget as one container knows it. It holds a minute's requests and fills again evenly over a minute.
 *
 * A bucket is one number, the time at which it will be full again (the generic cell rate algorithm, ITU-T I.371): a request moves that
 * time forward, and there is room as long as it is less than a minute ahead. A container decides by its own bucket alone. What it
 * has let through it settles with the shared bucket in batches, and learns then what the others have let through.
 * What that means for exactness is in `docs/decisions/0081`.
 *
 * All that is kept is time, not a count of requests: of callers with different limits that share a bucket, each spends by its own.
 */

/** In which a bucket fills from empty to full, in milliseconds. */
export const WINDOW_MS = 60_000;

/** A container settles once for this many requests at most, and this part of the limit at most. */
const LARGEST_BATCH = 1_000;
const PART_OF_LIMIT = 20;
/** As the bucket runs low, a batch is at most this part of what is left, but no smaller than this part of the limit. */
const PART_OF_REST = 8;
const LEAST_PART_OF_LIMIT = 100;

/** Sums of fractions: so small a part of a request is no reason to refuse one, or to keep a batch back. */
const ROUNDING = 0.01;

/** Requests at the same time may come by as much out of order; what is more is the clock's doing. In milliseconds. */
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
  /** What was let through and is not settled yet, in milliseconds of the minute. */
  #unsettled = 0;
  #unsettledSince = 0;
  /** The latest time seen, in epoch milliseconds. */
  #latest = 0;

  /** Seconds until there is a token for a request; 0: there is one. `limit` in requests a minute, `now` in epoch milliseconds. */
  wait(limit: number, now: number): number {
    this.#follow(now);
    const over = this.#spent(now) + WINDOW_MS / limit - WINDOW_MS;
    return over > 0.5 ? Math.max(1, Math.ceil(over / 1000)) : 0;
  }

  /** Takes a token, which {@link wait} must have found. */
  take(limit: number, now: number): void {
    const cost = WINDOW_MS / limit;
    this.#follow(now);
    this.#fullAt = now + this.#spent(now) + cost;
    // What was let through so long ago has flown back already.
    if (now - this.#unsettledSince > WINDOW_MS) {
      this.#unsettled = 0;
      this.#unsettledSince = now;
    }
    this.#unsettled += cost;
  }

  quota(limit: number, now: number): Quota {
    const spent = this.#spent(now);
    const remaining = Math.floor(((WINDOW_MS - spent) * limit) / WINDOW_MS + ROUNDING);
    return { remaining: Math.max(0, remaining), reset: Math.ceil(spent / 1000) };
  }

  /** What is to be settled now, in milliseconds; it counts as settled from here on. 0: it is not worth a write yet. */
  takeBatch(limit: number, now: number): number {
    const rest = Math.floor(this.quota(limit, now).remaining / PART_OF_REST);
    const least = Math.max(1, Math.floor(limit / LEAST_PART_OF_LIMIT));
    const batch = Math.min(Math.ceil(limit / PART_OF_LIMIT), LARGEST_BATCH, Math.max(rest, least));
    if (this.#unsettled < ((batch - ROUNDING) * WINDOW_MS) / limit) return 0;
    const taken = this.#unsettled;
    this.#unsettled = 0;
    return taken;
  }

  /** Learns the state of the shared bucket, in which everything is settled but the latest of this container. */
  learn(sharedFullAt: number): void {
    this.#fullAt = Math.max(this.#fullAt, sharedFullAt + this.#unsettled);
  }

  /** Of the minute that the bucket holds, in milliseconds. */
  #spent(now: number): number {
    return Math.max(0, this.#fullAt - now);
  }

  /** When the clock is set back, the bucket goes back with it: it is as full as it was. */
  #follow(now: number): void {
    if (this.#latest - now > CLOCK_STEP_MS) this.#fullAt -= this.#latest - now;
    this.#latest = this.#latest - now > CLOCK_STEP_MS ? now : Math.max(this.#latest, now);
  }
}
