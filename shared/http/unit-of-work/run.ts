import { setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { Problem } from '#contract/problem';
import { listErrors } from '#lists';
import { NotUnique, type RequestSession, StaleRead } from '#table';
import type { IdempotentRequest } from './idempotency.ts';

/**
 * Longest random wait before an operation is run again after a stale read, in milliseconds. It doubles with each try up to the longest: a request
 * that must not give up takes few calls until its deadline.
 */
const STALE_WAIT = { first: 15, longest: 4_000 } as const;

/**
 * Runs an operation and commits its staged writes. The operation is run again from the start
 * - when a record that it read has changed meanwhile, while there is time;
 * - once, when its commit was refused: the conflict may be with this request's own first attempt, which the operation recognizes on fresh
 *   reads (an event processed, a key used). A conflict with another request happens again and counts.
 * @throws Contended where others have changed the same records each time (`session.contention`); TableUnavailable when there is no time for that second run, or the outcome of the commit is unknown; and whatever the operation throws
 */
export async function runToCommit<T>(session: RequestSession, operation: () => Promise<T>): Promise<T> {
  let refused = false;
  for (let tries = 1; ; tries++) {
    let committing = false;
    session.contention.beginRun();
    try {
      const response = await operation();
      committing = true;
      await session.commit();
      return response;
    } catch (error) {
      const isFirstRefusal: boolean = committing && !refused && isRefusal(error);
      const pause = pauseAfter(error, tries);
      const last = isFirstRefusal ? lastOfRefused(session, error) : lastOf(session, error, pause);
      if (last !== undefined) {
        await session.abandon(isFirstRefusal ? error : last);
        throw last;
      }
      refused ||= isFirstRefusal;
      await Promise.all([sleep(pause), session.changes.settle()]);
      session.restart();
    }
  }
}

/** The wait before the next run, in milliseconds. Only conflicts with other requests need a wait. */
export const pauseAfter = (error: unknown, tries: number): number =>
  error instanceof StaleRead ? Math.random() * Math.min(STALE_WAIT.first * 2 ** (tries - 1), STALE_WAIT.longest) : 0;

/** The error with which a request ends; undefined where there is a further run. */
function lastOf(session: RequestSession, error: unknown, pause: number): unknown {
  if (!(error instanceof StaleRead)) return error;
  const refusal = session.contention.refusal(error, pause);
  return refusal ?? (session.clock() + pause > session.deadline ? error : undefined);
}

const lastOfRefused = (session: RequestSession, error: unknown): unknown =>
  session.clock() > session.deadline ? uncheckedConflict(error) : undefined;

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
