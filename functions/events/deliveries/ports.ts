import type { OutboundError } from '#outbound';
import type { RequestSession } from '#table';
import type { Clock } from '../../../shared/clock.ts';
import type { Queue } from './queue.ts';

/** What a worker depends on, besides what is stored. */
export interface Ports {
  /** A session of this function that begins now. */
  readonly open: () => RequestSession;
  readonly clock: Clock;
  readonly send: Send;
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
  readonly queue: Queue;
  /** Most workers that a tenant holds at a time: at most half of all, so that others have theirs. */
  readonly slots: number;
}

/** In how many seconds an endpoint needs another turn; undefined: when somebody wakes it. */
export type NextTurn = number | undefined;

export const WHEN_WOKEN: NextTurn = undefined;
export const AT_ONCE: NextTurn = 0;

/** Whole seconds after which so many milliseconds are over; 0 for a time that has passed. */
export const secondsOf = (wait: number): number => Math.max(0, Math.floor(wait / 1_000) + 1);

/** Makes one call. */
export type Send = (call: Call) => Promise<Outcome>;

export interface Call {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Bodies of a response that prove something; of a ping, not of a delivery. */
  readonly expects?: readonly string[];
}

export type Outcome =
  | {
      readonly status: number;
      /** From the header `Retry-After`, if it can be read. */
      readonly retryAfterSeconds?: number;
      /** Whether the body is one that the call expects. */
      readonly isExpected?: boolean;
    }
  | { readonly error: OutboundError };
