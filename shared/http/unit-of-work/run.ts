import { setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { Problem } from '#contract/problem';
import { listErrors } from '#lists';
import { NotUnique, type RequestSession, StaleRead } from '#table';
import type { IdempotentRequest } from './idempotency.ts';

/**
 * Longest random wait before an operation is run again after a stale read: so long times the number of tries, up to the longest. In milliseconds. A
 * longer one would only let those who came later go first.
 */
const STALE_WAIT = { each: 15, longest: 100 } as const;

/**
 * Runs an operation and commits its staged writes. The operation is run again from the start
 * - when a record that it read has changed meanwhile, while there is time;
 * - once, when its commit was refused: the conflict may be with this request's own first attempt, which the operation recognizes on fresh
 *   reads (an event processed, a key used). A conflict with another request happens again and counts.
 * @throws TableUnavailable when there is no time for that second run, or the outcome of the commit is unknown; and whatever the operation throws
 */
export async function runToCommit<T>(session: RequestSession, operation: () => Promise<T>): Promise<T> {
  let refused = false;
  for (let tries = 1; ; tries++) {
    let committing = false;
    try {
      const response = await operation();
      committing = true;
      await session.commit();
      return response;
    } catch (error) {
      const isStale = error instanceof StaleRead;
      const isFirstRefusal: boolean = committing && !refused && isRefusal(error);
      const pause = pauseAfter(error, tries);
      const isPastDeadline = session.clock() + pause > session.deadline;
      if (!(isStale || isFirstRefusal) || isPastDeadline) {
        await session.abandon(error);
        throw isFirstRefusal ? uncheckedConflict(error) : error;
      }
      refused ||= isFirstRefusal;
      await sleep(pause);
      session.restart();
    }
  }
}

/** The wait before the next run, in milliseconds. Only conflicts with other requests need a wait. */
export const pauseAfter = (error: unknown, tries: number): number =>
  error instanceof StaleRead ? Math.random() * Math.min(STALE_WAIT.each * tries, STALE_WAIT.longest) : 0;

const uncheckedConflict = (cause: unknown): listErrors.TableUnavailable =>
  new listErrors.TableUnavailable('no time left to check whether the conflict is with an earlier attempt', { cause });

/** Whether an error refuses the request itself. */
export const isRefusal = (error: unknown): boolean => error instanceof Problem || error instanceof NotUnique;

/**
 * Runs an operation under an idempotency key: a key used before gets the stored response. Most keys are new, so the operation runs in parallel to the
 * look-up, and its staged writes are dropped where the key was used (`docs/decisions/0060`). A refusal may be a conflict with this request's
 * own first attempt (a slug that exists by now), so the key is looked up once more before the refusal counts.
 */
export async function runOnce(
  request: IdempotentRequest,
  session: RequestSession,
  operation: () => Promise<APIGatewayProxyResult>,
): Promise<APIGatewayProxyResult> {
  const looking = request.earlierResponse();
  const [earlier, responded] = request.isProbablyRepeated
    ? [await looking, undefined]
    : await bothOf(looking, operation());
  if (earlier !== undefined) {
    session.restart();
    return earlier;
  }
  try {
    const response = await (responded ?? operation());
    await request.remember(response);
    return response;
  } catch (error) {
    const meanwhile = error instanceof Problem ? await request.earlierResponse() : undefined;
    if (meanwhile === undefined) throw error;
    session.restart();
    return meanwhile;
  }
}

/** Waits for both. @returns the result of the first and the outcome of the second. @throws what the first throws */
async function bothOf<T, U>(first: Promise<T>, second: Promise<U>): Promise<[T, Promise<U>]> {
  const [found] = await Promise.allSettled([first, second]);
  if (found.status === 'rejected') throw found.reason;
  return [found.value, second];
}
