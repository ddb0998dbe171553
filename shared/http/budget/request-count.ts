import { dayOf } from '../../clock.ts';

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
