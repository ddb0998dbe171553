import { MOST_ENTRIES } from '../../functions/logs/contract.ts';
import type { MeasuredOperations } from './measure.ts';
import { costOf } from './play.ts';

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

/**
 * Those of records that are journaled have 3 units for the event: its number, and the item in the transaction. Each
 * word of a record has 1, in a round trip before the transaction; each that a change adds or takes has 2.
 */
const WRITES: readonly Bound[] = [
  write('POST /clients', 16, 3),
  write('PUT /clients', 14, 4),
  write('PATCH /clients/{id}', 11, 3),
  write('PATCH /clients/{id}, name only', 17, 3),
  write('POST /resources', 25, 3),
  // With a refused transaction, which also has the event: that of the assumption that its client has risks already
  // (`docs/decisions/0021`).
  write('PATCH /resources/{id}, the first risk of its client', 24, 4),
  write('PATCH /resources/{id}, status, health and usage', 22, 3),
  write('PATCH /resources/{id}, name only', 21, 3),
  write('POST /resources/{id}/history', 7, 2),
  write('DELETE /resources/{id}', 37, 4),
  write('POST /services', 18, 3),
  write('PATCH /services/{id}', 17, 3),
  write('DELETE /services/{id}', 23, 4),
  write('POST /service-actions', 13, 2),
  write('POST /terminals', 17, 3),
  write('POST /terminals, with an idempotency key', 19, 3),
  write('POST /terminals, repeated under its key', 0, 1),
  // Two numbers are taken and released, that of the terminal and that of its event.
  write('POST /terminals, repeated in another container', 4, 2),
  write('POST /tickets', 22, 4),
  write('POST /tickets, without words', 14, 4),
  // A ticket, and four more: the refused repetition, the count of the hour, and the alert in the ticket's transaction.
  write('POST /alerts/custodia, new', 26, 12),
  write('POST /alerts/custodia, repeated', 1, 3),
  write('POST /alerts/custodia, over', 21, 7),
  write('PATCH /tickets/{id}', 14, 3),
  write('PATCH /tickets/{id}, eight other words of subject', 39, 3),
  write('POST /logs/ingest', 5, 2),
  write('POST /logs/ingest, the very first', 5, 2),
  // 1 for the numbers, and 4 for each entry; fewer where entries of a level enter the same item of its set.
  write(`POST /logs/ingest, ${MOST_ENTRIES} entries`, 1 + 4 * MOST_ENTRIES, 2),
  write('POST /integrations', 23, 2),
  // How far the endpoint is takes two, the credentials of its integration one more, before numbers are taken. A ping of
  // an unverified one is counted,
  // and changes its record.
  write('PATCH /webhook-endpoints/{id}', 20, 5),
  write('DELETE /webhook-endpoints/{id}', 20, 4),
  write('POST /webhook-endpoints/{id}/rotate-secret', 14, 5),
  write('POST /webhook-endpoints/{id}/ping', 21, 6),
  // With two entries of words of the client's name (`docs/decisions/0170`).
  write('POST /webhooks/{app_code}', 21, 4),
  // A container reads the owner of an app code once (`docs/decisions/0012`).
  write('POST /webhooks/{app_code}, in another container', 21, 5),
  write('POST /auth/login', 0, 2),
  write('POST /auth/login, in another container', 0, 2),
  write('POST /auth/token', 0, 2),
];

const WITH_HISTORY = ['tickets', 'services', 'resources', 'clients', 'terminals', 'users'];

/**
 * Lists whose parent is read beside them, the one that also reads how far its records are, and counts that read records.
 */
const BELOW: readonly Bound[] = [
  read('GET /services/summary', 2),
  read('GET /tickets/{id}/messages', 1),
  read('GET /clients/{id}/actions', 1),
  read('GET /resources/{id}/history', 1),
  read('GET /users/{id}/memberships', 2),
  read('GET /users/{id}/identities', 2),
  ...WITH_HISTORY.map((kind) => read(`GET /${kind}/{id}/changes`, 2)),
  read('GET /webhook-endpoints', 3),
  read('GET /webhook-endpoints/{id}', 2),
];

/** As a day's work asks for lists (`searches.ts`): several values are read twice. */
const SEARCHES: readonly Bound[] = [
  read('GET /tickets?q=… …', 2),
  read('GET /tickets?ticket_code=…', 2),
  read('GET /tickets?status=…,…', 3),
  read('GET /tickets?sort=-last_activity_at', 2),
  read('GET /clients?slug=…', 2),
  read('GET /users?email=…', 2),
  read('GET /resources?external_id=…', 2),
  read('GET /resources?tag=…&tag=…', 2),
];

/** Without a cursor, where the journal begins is read first. */
const FEED: readonly Bound[] = [
  read('GET /events', 2),
  read('GET /events, nothing new', 1),
  read('GET /events, 16 events', 1),
  read('GET /events, 16 events with their records', 2),
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
    .filter(({ title }) => ![...BELOW, ...FEED].some((bound) => bound.title === title));
  return [...WRITES, ...lists, ...SEARCHES, ...BELOW, ...FEED].map(({ title, roundTrips, writeUnits = 0 }) => {
    const calls = played.find((one) => one.title === title)?.calls;
    if (calls === undefined || calls.length === 0) throw new Error(`${title} was not played`);
    return { title, ...costOf(calls), roundTripsAtMost: roundTrips, writeUnitsAtMost: writeUnits };
  });
}

export const unitBoundHolds = ({ roundTrips, roundTripsAtMost, writeUnits, writeUnitsAtMost }: BoundCheck): boolean =>
  roundTrips <= roundTripsAtMost && writeUnits <= writeUnitsAtMost;
