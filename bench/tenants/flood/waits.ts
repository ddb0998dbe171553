import { LONGEST } from '../../../shared/http/middleware/routing.ts';
import type { Random } from '../../../test/support/random.ts';
import type { Operation } from './operations.ts';

/** The SDK's attempts of a call, and the waits of `retry` (`@custodia/counted-lists`), in milliseconds. */
const ATTEMPTS = 3;
const WAITS = { first: 25, longest: 400 };

/** The SDK's longest delay before the second attempt of a throttled call, in milliseconds; it doubles. */
const SDK_DELAY = 1_000;

/**
 * How long a request waits before each further attempt where a partition has no units, in milliseconds. Transactions are
 * retried by the service until the request's deadline, other calls a few times by the SDK.
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
