import { setTimeout as sleep } from 'node:timers/promises';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { increment } from '#telemetry';
import type { Clock } from '../../clock.ts';
import { TableUnavailable } from '../errors.ts';

/** Waits between attempts: the first is about this long, each further one twice as long up to the longest. In milliseconds. */
const FIRST_WAIT = 25;
const LONGEST_WAIT = 400;

/** Until when to retry. */
export interface TimeLimit {
  readonly clock: Clock;
  /** On that clock, in epoch milliseconds. */
  readonly deadline: number;
}

/**
 * Retries a call on transient errors, with exponential backoff and jitter, until the deadline. The call must be safe to repeat.
 * @throws TableUnavailable when time runs out; what else the call throws
 */
export async function retry<T>(call: () => Promise<T>, { clock, deadline }: TimeLimit): Promise<T> {
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      return await call();
    } catch (error) {
      const pause = wait * (0.5 + Math.random());
      if (!isTransient(error)) throw error;
      if (clock() + pause > deadline) throw new TableUnavailable('the table did not answer in time', { cause: error });
      increment('TableRetries');
      await sleep(pause);
      // A process that was paused meanwhile sends nothing any more.
      if (clock() > deadline) throw new TableUnavailable('the table did not answer in time', { cause: error });
    }
  }
}

/** DynamoDB has only partly processed a call: the rest must be requested again. */
export class Unprocessed extends Error {
  override readonly name = 'Unprocessed';
}

const TRANSIENT_REASONS = new Set(['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/** Whether a call can be sent again unchanged: it did not happen, or is safe to repeat. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof Unprocessed) return true;
  if (error instanceof TransactionCanceledException) {
    return (error.CancellationReasons ?? []).every((reason) => TRANSIENT_REASONS.has(reason.Code ?? 'None'));
  }
  const { $metadata: metadata, $fault: fault } = error as {
    $metadata?: { httpStatusCode?: number };
    $fault?: 'client' | 'server';
  };
  if (
    /Throttl|ProvisionedThroughputExceeded|RequestLimitExceeded|TransactionConflict|TransactionInProgress/.test(
      error.name,
    )
  )
    return true;
  if (fault === 'server' || (metadata?.httpStatusCode ?? 0) >= 500) return true;
  return /TimeoutError|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|NetworkingError|socket hang up/i.test(
    `${error.name} ${(error as { code?: string }).code ?? ''} ${error.message}`,
  );
}
