import { hexOf } from './hex.ts';

/** What the client takes from its surroundings; tests pass others in. */
export interface Timing {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Resolves after so many milliseconds; rejects with the signal's reason when that comes first. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Is aborted with a `TimeoutError` after so many milliseconds. */
  readonly timeout: (milliseconds: number) => AbortSignal;
  /** At least 0, less than 1: jitter. */
  readonly random: () => number;
  /** A text that nobody guesses: an `Idempotency-Key`. */
  readonly newKey: () => string;
}

export const systemTiming: Timing = {
  now: Date.now,
  sleep: (milliseconds, signal) =>
    unlessAborted(signal, (resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      return () => clearTimeout(timer);
    }),
  timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
  random: Math.random,
  // Not `randomUUID`, which browsers have on pages from `https:` and `localhost` alone.
  newKey: () => hexOf(crypto.getRandomValues(new Uint8Array(16))),
};

/** What a promise resolves to, unless the signal is aborted first. */
export const waitFor = <T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  unlessAborted(signal, (resolve, reject) => void promise.then(resolve, reject));

/** A promise that is rejected when the signal is aborted. `start` returns what is to be undone then. */
const unlessAborted = <T>(
  signal: AbortSignal | undefined,
  start: (resolve: (value: T) => void, reject: (reason: unknown) => void) => (() => void) | undefined,
): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    signal?.throwIfAborted();
    const settled =
      <V>(settle: (value: V) => void) =>
      (value: V): void => {
        signal?.removeEventListener('abort', abort);
        settle(value);
      };
    const undo = start(settled(resolve), settled(reject));
    const abort = (): void => {
      undo?.();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
