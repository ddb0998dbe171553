import { nearestName } from '#contract/derived';
import { type FieldError, Problem } from '#contract/problem';
import { listErrors } from '#lists';
import { WrongCursor } from './cursor.ts';
import { eventTypes } from './visible.ts';

/** What is refused of cursors and types of events, also where webhook endpoints name them. */

type Place = Pick<FieldError, 'in' | 'pointer'>;

/**
 * The problem of an error that a cursor or what follows it has caused; other errors stay what they are.
 * @param place where the cursor was sent
 * @param others what may be sent there in place of a cursor
 */
export function cursorRefusal(error: unknown, place: Place, others: readonly string[] = []): unknown {
  if (error instanceof listErrors.FeedExpired) return cursorExpired(error);
  if (!(error instanceof WrongCursor)) return error;
  const words = others.map((word) => `\`${word}\`, `).join('');
  const detail = `is no cursor of this organization: send ${words}${words && 'or '}the \`next\` of an earlier response as it was`;
  return refused([{ ...place, detail }]);
}

const cursorExpired = (cause: Error): Problem =>
  new Problem('cursor-expired', {
    detail:
      'Events are kept for 30 days, and cursors end when records are restored from a backup. Begin anew: get a cursor with after=latest, then read every list with sort=created_at from its last page to its first, then follow the events from that cursor.',
    cause,
  });

/** Most unknown types that are named: looking for near ones is work. */
const MOST_NAMED = 10;

/**
 * @param placeOf where a type was sent, by its index
 * @throws Problem `invalid-parameter` or `invalid-body` for types that no event has
 */
export function requireKnownTypes(types: readonly string[], placeOf: (index: number) => Place): void {
  const errors = types
    .flatMap((type, index) => (eventTypes.includes(type) ? [] : [{ type, place: placeOf(index) }]))
    .slice(0, MOST_NAMED)
    .map(({ type, place }) => ({ ...place, detail: unknownType(type) }));
  if (errors.length > 0) throw refused(errors);
}

function unknownType(type: string): string {
  const near = nearestName(type, eventTypes);
  return `\`${type}\` is no type of events${near === undefined ? '' : `; did you mean \`${near}\`?`}`;
}

const refused = (errors: readonly FieldError[]): Problem =>
  new Problem(errors[0]?.in === 'body' ? 'invalid-body' : 'invalid-parameter', { errors });
