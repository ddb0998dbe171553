import type { RequestSession } from '#table';
import { keepNewest } from '../../keep-newest.ts';
import { isRefusal, runToCommit } from './run.ts';

/**
 * A caller that was refused after list numbers were allocated is checked earlier the next time: references and other conditions are read first,
 * and only then numbers are allocated (`docs/decisions/0003-counted-lists.md`). So a caller who sends refused creates in a loop leaves no gaps in the lists. It costs
 * other callers no call. It is a hint: another container does not know of it.
 */

/** By caller and operation, the last refused one last. */
const refused = new Map<string, true>();
const KEPT = 1_000;

/**
 * Runs an operation of a caller to its commit.
 * @param name of caller and operation; undefined for an unknown caller, which is not remembered
 * @throws as {@link runToCommit}
 */
export async function runAfterRefusal<T>(
  session: RequestSession,
  name: string | undefined,
  operation: () => Promise<T>,
): Promise<T> {
  if (name === undefined) return runToCommit(session, operation);
  if (refused.has(name)) {
    await session.rehearse(operation).catch((error: unknown) => {
      // Anything else is decided by the run.
      if (isRefusal(error)) throw error;
    });
  }
  try {
    const response = await runToCommit(session, operation);
    if (session.numbers.hasAllocated) refused.delete(name);
    return response;
  } catch (error) {
    if (session.numbers.hasAllocated && isRefusal(error)) keepNewest(refused, name, true, KEPT);
    throw error;
  }
}
