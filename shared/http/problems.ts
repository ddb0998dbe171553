import { alreadyExists, Problem } from '../contract/problem.ts';
import { ItemTooLarge, ListNotBuilt, NotUnique, StaleRead, TableUnavailable } from '../table/errors.ts';
import { isPassing } from '../table/persist.ts';

/** What the caller is told of an error. Whatever is not meant for callers becomes `internal-error`, without a word of its own. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof NotUnique) return alreadyExists(error.field, `Another record has this ${error.field}.`);
  if (error instanceof ItemTooLarge) {
    return new Problem('content-too-large', { detail: 'A record may have up to 400 KB.', cause: error });
  }
  if (error instanceof ListNotBuilt) {
    return new Problem('unavailable', {
      detail: `${error.message} yet.`,
      headers: { 'Retry-After': '3600' },
      cause: error,
    });
  }
  if (error instanceof TableUnavailable || error instanceof StaleRead || isPassing(error)) {
    return new Problem('unavailable', { headers: { 'Retry-After': '2' }, cause: error });
  }
  return new Problem('internal-error', { cause: error });
}
