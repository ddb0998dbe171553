import { MOST_ENTRIES } from '../../functions/logs/contract.ts';
import type { MeasuredOperations } from './measure.ts';
import { readUnitsOf, roundTripsOf, writeUnitsOf } from './play.ts';

/**
 * The bounds of an operation's cost, with the example of its contract. Units as AWS charges them: transactional writes
 * count double.
 */
interface Bound {
  /** The scenario that was played. */
  readonly title: string;
  readonly roundTrips: number;
  /** None for a read. */
  readonly writeUnits?: number;
}

const write = (title: string, writeUnits: number, roundTrips: number): Bound => ({ title, roundTrips, writeUnits });
const read = (title: string, roundTrips: number): Bound => ({
  title,
  roundTrips,
  writeUnits: COUNTED.test(title) ? 1 : 0,
});

/** Reads that may show credentials are counted (`docs/decisions/0071`). */
const COUNTED = /^GET \/(services|resources)(\?|$)/;

const WRITES: readonly Bound[] = [
  write('POST /clients', 11, 2),
  write('PATCH /clients/{id}', 8, 2),
  write('PATCH /clients/{id}, name only', 8, 2),
  write('POST /resources', 16, 2),
  // With a refused transaction: that of the assumption that its client has risks already (`docs/decisions/0021`).
  write('PATCH /resources/{id}, the first risk of its client', 19, 3),
  write('PATCH /resources/{id}, status, health and usage', 19, 3),
  write('PATCH /resources/{id}, name only', 4, 2),
  write('POST /resources/{id}/history', 7, 2),
  write('DELETE /resources/{id}', 22, 3),
  write('POST /services', 13, 2),
  write('PATCH /services/{id}', 14, 2),
  write('DELETE /services/{id}', 16, 2),
  write('POST /service-actions', 10, 2),
  write('POST /terminals', 10, 2),
  write('POST /terminals, with an idempotency key', 12, 2),
  write('POST /terminals, repeated under its key', 0, 1),
  write('POST /terminals, repeated in another container', 5, 2),
  write('POST /tickets', 10, 2),
  write('PATCH /tickets/{id}', 7, 2),
  write('POST /logs/ingest', 5, 2),
  write('POST /logs/ingest, the very first', 5, 2),
  // 1 for the numbers, and 4 for each entry; fewer where entries of a level enter the same item of its set.
  write(`POST /logs/ingest, ${MOST_ENTRIES} entries`, 1 + 4 * MOST_ENTRIES, 2),
  write('POST /integrations', 20, 2),
  // 16, and the client's entry in the index of names (`docs/decisions/0170`).
  write('POST /webhooks/{app_code}', 18, 3),
  // A container reads the owner of an app code once (`docs/decisions/0012`).
  write('POST /webhooks/{app_code}, in another container', 18, 4),
  write('POST /auth/login', 0, 2),
  write('POST /auth/login, in another container', 0, 2),
];

/** Lists whose parent is read beside them. */
const BELOW: readonly Bound[] = [
  read('GET /tickets/{id}/messages', 1),
  read('GET /clients/{id}/actions', 1),
  read('GET /resources/{id}/history', 1),
  read('GET /users/{id}/memberships', 2),
];

export interface BoundCheck {
  readonly title: string;
  readonly roundTrips: number;
  readonly roundTripsAtMost: number;
  readonly writeUnits: number;
  readonly writeUnitsAtMost: number;
  readonly readUnits: number;
}

/**
 * Every bound with its measurement: those above, and for each list at most one round trip for the first page, two with
 * a filter.
 * @throws Error for a bound whose operation was not played
 */
export function checksOf({ operations, variants }: MeasuredOperations): BoundCheck[] {
  const played = [...operations, ...variants];
  const lists = operations
    .filter(({ isPage, calls }) => isPage && calls.length > 0)
    .map(({ title }) => read(title, title.includes('?') ? 2 : 1))
    .filter(({ title }) => !BELOW.some((bound) => bound.title === title));
  return [...WRITES, ...lists, ...BELOW].map(({ title, roundTrips, writeUnits = 0 }) => {
    const calls = played.find((one) => one.title === title)?.calls;
    if (calls === undefined || calls.length === 0) throw new Error(`${title} was not played`);
    return {
      title,
      roundTrips: roundTripsOf(calls).length,
      roundTripsAtMost: roundTrips,
      writeUnits: writeUnitsOf(calls),
      writeUnitsAtMost: writeUnits,
      readUnits: readUnitsOf(calls),
    };
  });
}

export const unitBoundHolds = ({ roundTrips, roundTripsAtMost, writeUnits, writeUnitsAtMost }: BoundCheck): boolean =>
  roundTrips <= roundTripsAtMost && writeUnits <= writeUnitsAtMost;
