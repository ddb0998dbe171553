import { LONGEST } from '../../shared/http/middleware/routing.ts';
import type { Random } from '../../test/support/random.ts';
import type { Operation } from './operations.ts';

interface Event {
  readonly at: number;
  readonly happen: () => void | Promise<void>;
}

/** What will happen, by time. */
export class Events {
  /** The next one is the last. */
  readonly #events: Event[] = [];

  add(at: number, happen: Event['happen']): void {
    let place = this.#events.length;
    while (place > 0 && (this.#events[place - 1] as Event).at <= at) place -= 1;
    this.#events.splice(place, 0, { at, happen });
  }

  /**
   * Lets everything happen up to a time, and what follows from it.
   * @param set sets the clock
   */
  async until(time: number, set: (at: number) => void): Promise<void> {
    for (let next = this.#events.at(-1); next !== undefined && next.at <= time; next = this.#events.at(-1)) {
      this.#events.pop();
      set(next.at);
      await next.happen();
    }
  }
}

/** The SDK's attempts of a call, and the waits of `retry` (`@custodia/counted-lists`), in milliseconds. */
const ATTEMPTS = 3;
const WAITS = { first: 25, longest: 400 };

/** The SDK's longest delay before the second attempt of a throttled call, in milliseconds; it doubles. */
const SDK_DELAY = 1_000;

/**
 * How long a request waits before each further attempt where a partition has no units, in milliseconds. Transactions
 * are retried by the service until the request's deadline, other calls a few times by the SDK.
 */
export function* waitsOf({ hasTransaction }: Operation, random: Random): Generator<number> {
  const fraction = (): number => random.below(1_000) / 1_000;
  if (hasTransaction) {
    for (let [wait, waited] = [WAITS.first, 0]; ; wait = Math.min(wait * 2, WAITS.longest)) {
      const pause = wait * (0.5 + fraction());
      waited += pause;
      if (waited > LONGEST) return;
      yield pause;
    }
  }
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) yield fraction() * SDK_DELAY * 2 ** (attempt - 1);
}
