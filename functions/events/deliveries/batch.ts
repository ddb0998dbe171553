import { hash } from 'node:crypto';
import { ids } from '#lists';
import type { JournalEvent } from '#table';
import type { Event } from '../contract.ts';
import { showEvent } from '../show.ts';

/** What is sent together, and how it is named. */

/** Largest body, in bytes of UTF-8. */
export const MOST_BYTES = 256 * 1024;
/** Of a body, beside the events in it. */
const ENVELOPE = 200;
/** Of an event in a batch, beside its own and those of its record. */
const SEPARATORS = ',"record":,'.length;

/** The first events of a page that are sent together. */
export function firstOf(
  events: readonly JournalEvent[],
  { batchSize, singlyUntil = 0 }: { readonly batchSize: number; readonly singlyUntil?: number | undefined },
): readonly JournalEvent[] {
  const [first] = events;
  if (first === undefined || ids.numberOf(first.id) < singlyUntil) return events.slice(0, 1);
  return events.slice(0, batchSize);
}

/** The bytes that are left for the records of events. */
export const bytesForRecords = (events: readonly JournalEvent[]): number =>
  MOST_BYTES - ENVELOPE - sizeOf(events.map(showEvent));

const sizeOf = (parts: readonly object[]): number =>
  parts.reduce((bytes, part) => bytes + Buffer.byteLength(JSON.stringify(part)) + SEPARATORS, 0);

/** Events with their records as they are now; where these have no room, without. */
export interface Batch {
  readonly events: readonly JournalEvent[];
  /** As many as there are events. */
  readonly records?: readonly (object | null)[] | undefined;
  /** Whether the endpoint gets batches, of one event too. */
  readonly isBatched: boolean;
}

/** The body of a delivery (`https://www.standardwebhooks.com`): of one event, or of a batch. */
export function bodyOf({ events, records, isBatched }: Batch): string {
  const data = events.map((event, index) => ({
    ...showEvent(event),
    ...(records && { record: records[index] ?? null }),
  }));
  return envelopeOf(data, isBatched);
}

type Delivered = Omit<Event, 'record'> & { readonly record?: object | null | undefined };

/** Events as they are delivered. */
export function envelopeOf(data: readonly Delivered[], isBatched: boolean): string {
  const [first] = data;
  if (isBatched || first === undefined) return JSON.stringify({ type: 'batch', data });
  return JSON.stringify({ type: first.type, timestamp: first.occurred_at, data: first });
}

/** The id of a delivery: the same as often as the same events are sent. */
export function idOf(events: readonly JournalEvent[]): string {
  const [first, ...others] = events;
  if (first !== undefined && others.length === 0) return first.id;
  return `batch_${hash('sha256', events.map(({ id }) => id).join(), 'base64url')}`;
}
