import type { TimeLimit } from '#lists';
import type { Clock } from '../../clock.ts';

/** The time of a request, and until when it may retry. */
export class RequestTime implements TimeLimit {
  /** The only clock of the request. */
  readonly clock: Clock;
  /** When the request began, in epoch milliseconds: the time of all its writes. */
  readonly now: number;
  /** Until when to retry, in epoch milliseconds of the clock. */
  readonly deadline: number;

  constructor(clock: Clock, deadline: number) {
    this.clock = clock;
    this.now = clock();
    this.deadline = deadline;
  }

  /** {@link now} in the form of timestamps in records. */
  get timestamp(): string {
    return new Date(this.now).toISOString();
  }
}
