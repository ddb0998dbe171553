import { type Clock, systemClock } from '../../shared/clock.ts';
import { failure, overloaded } from './failure.ts';
import type { Limits, Throttling } from './options.ts';

/** Most requests that wait, and most bytes of their bodies: what they hold in memory. */
const MOST_WAITING = 2_000;
const MOST_BYTES = 64 * 1_048_576;

/** The mean time of a request in milliseconds, before any has ended, and how much the latest one counts in it. */
const FIRST_MEAN = 20;
const WEIGHT = 0.05;

interface Waiting {
  readonly bytes: number;
  readonly admit: () => void;
}

/**
 * Lets so many requests be worked on at the same time. Others wait in the order in which they came, those that can be
 * expected to be served in time; the rest is refused.
 */
export class Admission {
  readonly #limits: Pick<Limits, 'inFlight' | 'waitMs'>;
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();
  #bytes = 0;
  #served = 0;
  #mean = FIRST_MEAN;

  constructor(limits: Pick<Limits, 'inFlight' | 'waitMs'>, clock: Clock = systemClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /**
   * Waits for a place, which is held until the result is disposed.
   * @param bytes of its body
   * @throws GatewayFailure 503 at once where it would wait too long, or after the longest wait
   */
  async enter(bytes: number): Promise<Disposable> {
    if (this.#served < this.#limits.inFlight) this.#served += 1;
    else await this.#wait(bytes);
    const began = this.#clock();
    return { [Symbol.dispose]: () => this.#leave(began) };
  }

  #wait(bytes: number): Promise<void> {
    const { inFlight, waitMs } = this.#limits;
    const expected = ((this.#waiting.size + 1) * this.#mean) / inFlight;
    const isFull = this.#waiting.size >= MOST_WAITING || this.#bytes + bytes > MOST_BYTES;
    if (expected > waitMs || isFull) throw overloaded();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = {
      bytes,
      admit: () => {
        this.#remove(waiting);
        clearTimeout(timer);
        resolve();
      },
    };
    // Those before it may take longer than any has taken so far.
    const timer = setTimeout(() => {
      this.#remove(waiting);
      reject(overloaded());
    }, waitMs);
    this.#waiting.add(waiting);
    this.#bytes += bytes;
    return promise;
  }

  #remove(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    this.#bytes -= waiting.bytes;
  }

  /** Hands the place on to who has waited longest. */
  #leave(began: number): void {
    this.#mean += WEIGHT * (Math.max(0, this.#clock() - began) - this.#mean);
    const [next] = this.#waiting;
    if (next === undefined) this.#served -= 1;
    else next.admit();
  }
}

/** Admits a request of a method. @throws GatewayFailure 429 */
export type Throttle = (method: string) => void;

interface Bucket {
  tokens: number;
  /** The time of that count, in epoch milliseconds. */
  at: number;
}

/**
 * The throttling of a stage: a token bucket for each of its methods.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
 * @param throttling undefined: no limits
 */
export function methodThrottle(throttling: Throttling | undefined, clock: Clock = systemClock): Throttle {
  if (throttling === undefined) return () => undefined;
  const { rate, burst } = throttling;
  const buckets = new Map<string, Bucket>();
  return (method) => {
    const now = clock();
    const { tokens, at } = buckets.get(method) ?? { tokens: burst, at: now };
    const filled = Math.min(burst, tokens + (Math.max(0, now - at) / 1000) * rate);
    if (filled < 1) throw failure('THROTTLED');
    buckets.set(method, { tokens: filled - 1, at: now });
  };
}
