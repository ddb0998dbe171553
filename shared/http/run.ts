import { setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { Problem } from '../contract/problem.ts';
import { NotUnique, StaleRead, TableUnavailable } from '../table/errors.ts';
import type { Session } from '../table/session.ts';
import type { IdempotentRequest } from './idempotency.ts';

/** Longest random wait before an operation is run again on a record that changed under it, by try. In milliseconds. */
const STALE_WAIT = 15;

/**
 * Runs an operation and commits what it staged. It is run again from the start
 * - when a record it read has changed meanwhile, as long as there is time;
 * - once, when its commit was refused: what stood in the way may be the work of the same request's first delivery, and on fresh
 *   reads the operation knows it (an event processed, a key answered). A clash with anybody else's work is met again and counts.
 *   Without time for that nobody knows whose work it was.
 * @throws TableUnavailable then, or when it cannot be learned what became of the commit; whatever else the operation throws
 */
export async function runToCommit<T>(session: Session, operation: () => Promise<T>): Promise<T> {
  let refused = false;
  for (let tries = 1; ; tries++) {
    let committing = false;
    try {
      const answer = await operation();
      committing = true;
      await session.commit();
      return answer;
    } catch (error) {
      const isStale = error instanceof StaleRead;
      const isFirstRefusal: boolean = committing && !refused && isRefusal(error);
      const pause = isStale ? Math.random() * STALE_WAIT * tries : 0;
      const isLate = session.clock() + pause > session.deadline;
      if (!(isStale || isFirstRefusal) || isLate) {
        await session.abandon(error);
        throw isFirstRefusal ? new TableUnavailable('no time to see who stood in the way', { cause: error }) : error;
      }
      refused ||= isFirstRefusal;
      await sleep(pause);
      session.restart();
    }
  }
}

const isRefusal = (error: unknown): boolean => error instanceof Problem || error instanceof NotUnique;

/**
 * Runs an operation under an idempotency key: a key seen before gets its first answer. An operation that is refused may have met
 * the work of its own first delivery (a slug that exists now), so the key is looked up once more before the refusal counts.
 */
export async function runOnce(
  request: IdempotentRequest,
  session: Session,
  operation: () => Promise<APIGatewayProxyResult>,
): Promise<APIGatewayProxyResult> {
  const earlier = await request.earlierAnswer();
  if (earlier !== undefined) return earlier;
  try {
    const answer = await operation();
    await request.remember(answer);
    return answer;
  } catch (error) {
    const meanwhile = error instanceof Problem ? await request.earlierAnswer() : undefined;
    if (meanwhile === undefined) throw error;
    session.restart();
    return meanwhile;
  }
}
