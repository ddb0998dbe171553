import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient, TableUnavailable } from '../errors.ts';

/** Waits between attempts: the first is about this long, each further one twice as long up to the longest. In milliseconds. */
export interface Waits {
  readonly first: number;
  readonly longest: number;
}

export const WAITS: Waits = { first: 25, longest: 400 };

/**
 * Retries a call on transient errors, with exponential backoff and jitter, until the deadline. The call must be safe to repeat.
 * @param beforeWait is called with the error and the wait before the next attempt; what it throws ends the attempts
 * @throws TableUnavailable when time runs out; what else the call throws
 */
export async function retry<T>(
  call: () => Promise<T>,
  { clock, deadline, observer }: TimeLimit,
  { first, longest }: Waits = WAITS,
  beforeWait?: (error: unknown, pause: number) => void,
): Promise<T> {
  for (let wait = first; ; wait = Math.min(wait * 2, longest)) {
    try {
      return await call();
    } catch (error) {
      const pause = wait * (0.5 + Math.random());
      if (!isTransient(error)) throw error;
      beforeWait?.(error, pause);
      if (clock() + pause > deadline) throw new TableUnavailable('the table did not answer in time', { cause: error });
      observer?.count('retries', 1);
      await sleep(pause);
      // A process that was paused meanwhile sends nothing any more.
      if (clock() > deadline) throw new TableUnavailable('the table did not answer in time', { cause: error });
    }
  }
}

/** In epoch milliseconds. */
export type Clock = () => number;

/** Until when a call is tried, and by whom that is observed. */
export interface TimeLimit {
  readonly clock: Clock;
  /** On that clock, in epoch milliseconds. */
  readonly deadline: number;
  readonly observer?: Observer | undefined;
}

/** Observes what a table does, such as for metrics. */
export interface Observer {
  /**
   * Something happened so many times: calls of DynamoDB, calls that were repeated, calls that it refused because of
   * another transaction; numbers that were fenced, numbers that were released, items that were deleted by compaction.
   */
  readonly count: (
    what: 'calls' | 'retries' | 'conflicts' | 'fences' | 'releases' | 'compactions',
    times: number,
  ) => void;
  /** Calls took so many read or write units. */
  readonly countUnits: (units: number) => void;
  /** How many calls the request at hand has made so far. */
  readonly callsMade: () => number;
}
