import type { Caller } from '#identity';
import type { Tenant } from '#table';
import { dayOf } from '../../clock.ts';
import { keepNewest } from '../../memory.ts';
import { BUDGET_WINDOW } from './stored-budget.ts';

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

/** How long a bucket refills before a container's next batch, in milliseconds. */
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

/**
 * With so many unflushed requests, or so long after the last flush, the number of requests is worth a write of its own.
 */
const MOST_UNFLUSHED = 100;
const FLUSHED_EVERY_MS = 15 * 60_000;

/**
 * One container's number of requests of an integration that it has not flushed yet, by day of UTC, apart from what they
 * cost. It is flushed with the budget's cost, or alone: with the first request, because the container may be frozen
 * after any, and when {@link isDue} says so. A request is flushed once at most: what a failed flush or an ended
 * container had taken is lost (`docs/decisions/0200-usage.md`).
 */
export class RequestCount {
  #requests = new Map<number, number>();
  #unflushed = 0;
  #surplus: readonly string[] = [];
  /** Epoch milliseconds. */
  #flushedAt = Number.NEGATIVE_INFINITY;

  /** `now` in epoch milliseconds; `requests` also parts of one. */
  add(now: number, requests = 1): void {
    const day = dayOf(now);
    this.#requests.set(day, (this.#requests.get(day) ?? 0) + requests);
    this.#unflushed += requests;
  }

  /** Whether it is worth a write of its own: also with the first request of a day. */
  isDue(now: number): boolean {
    if (this.#unflushed === 0) return false;
    return (
      this.#unflushed >= MOST_UNFLUSHED ||
      Math.abs(now - this.#flushedAt) >= FLUSHED_EVERY_MS ||
      dayOf(now) !== dayOf(this.#flushedAt)
    );
  }

  /** What is to flush; it counts as flushed from now on. */
  take(now: number) {
    const taken = { requests: this.#requests, surplus: this.#surplus };
    this.#requests = new Map();
    this.#unflushed = 0;
    this.#surplus = [];
    this.#flushedAt = now;
    return taken;
  }

  /** Notes what a flush has found to be removed by the next one. */
  learn(surplus: readonly string[]): void {
    this.#surplus = surplus;
  }
}

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

/** What is known of a caller's bucket, or the tenant's (null), whose requests are counted by caller. */
export function knownOf(tenant: Tenant, owner: string | null): Known {
  const name = `${tenant.id}#${owner ?? ''}`;
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
