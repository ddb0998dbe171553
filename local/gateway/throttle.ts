import { type Clock, systemClock } from '../../shared/clock.ts';
import { failure } from './failure.ts';

/** The limits of a method of the stage, for all callers together. */
export interface Throttling {
  /** Requests a second in the long run. */
  readonly rate: number;
  /** Requests at once: the size of the bucket. */
  readonly burst: number;
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
