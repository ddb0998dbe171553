import { createHmac, hash, randomUUID } from 'node:crypto';
import { ids } from '@custodia/counted-lists';
import { type JournalEvent, recordTypeOf, type Tenant } from '#table';
import type { Event } from '../contract.ts';
import { embedRecords } from '../embed.ts';
import { answerTo } from '../endpoints/proof.ts';
import * as endpointSecrets from '../endpoints/secrets.ts';
import { timeIn } from '../state/lease.ts';
import { endpointEntity, type StoredEndpoint } from '../store.ts';
import { showEvent } from '../visible.ts';
import { type Assignment, PING } from './assignment.ts';
import type { Call } from './ports.ts';

/** Makes the calls of deliveries and pings, in the form of https://www.standardwebhooks.com. */

/** Largest body, in bytes of UTF-8. */
export const MOST_BYTES = 256 * 1024;
/** Bytes of a body beside the events in it. */
const ENVELOPE = 200;
/** Bytes of an event in a batch, beside its own and those of its record. */
const SEPARATORS = ',"record":,'.length;

/** The first events of a page that are sent together. */
export function nextBatch(
  events: readonly JournalEvent[],
  { batchSize, singlyUntil = 0 }: { readonly batchSize: number; readonly singlyUntil?: number | undefined },
): readonly JournalEvent[] {
  const [first] = events;
  if (first === undefined || ids.numberOf(first.id) < singlyUntil) return events.slice(0, 1);
  return events.slice(0, batchSize);
}

interface Prepared {
  readonly call: Call;
  readonly events: readonly JournalEvent[];
}

/** Prepares the call that delivers events; fewer of them, where the records of all have no room in it. */
export async function prepareDelivery(
  tenant: Tenant,
  { stored: { record }, permissions }: Assignment,
  events: readonly JournalEvent[],
): Promise<Prepared> {
  const [secrets, records] = await Promise.all([
    openSecrets(tenant, record),
    record.payload === 'record' ? embedRecords(tenant, events, permissions, bytesForRecords(events)) : undefined,
  ]);
  const sent = records === undefined ? events : events.slice(0, records.length);
  const body = bodyOf({ events: sent, records, isBatched: record.batch_size > 1 });
  return { call: callWith(tenant, record, { id: deliveryIdOf(sent), body, secrets }), events: sent };
}

/** Prepares the call that asks a receiver for proof: an event with a challenge, which is not in the journal. */
export async function preparePing(tenant: Tenant, { stored: { record, version } }: Assignment): Promise<Prepared> {
  const challenge = record.challenge ?? '';
  const secrets = await openSecrets(tenant, record);
  const event: JournalEvent = {
    id: randomUUID(),
    type: PING,
    occurred_at: new Date(timeIn(tenant)).toISOString(),
    record_type: recordTypeOf(endpointEntity),
    record_id: record.id,
    version,
    changed_fields: null,
    actor_id: null,
    request_id: null,
  };
  const body = envelopeOf([{ ...showEvent(event), challenge }], record.batch_size > 1);
  const call = callWith(tenant, record, { id: event.id, body, secrets });
  return { call: { ...call, expects: secrets.map((secret) => answerTo(challenge, secret)) }, events: [event] };
}

/** The bytes that are left for the records of events. */
export const bytesForRecords = (events: readonly JournalEvent[]): number =>
  events
    .map((event) => Buffer.byteLength(JSON.stringify(showEvent(event))) + SEPARATORS)
    .reduce((left, bytes) => left - bytes, MOST_BYTES - ENVELOPE);

interface Batch {
  readonly events: readonly JournalEvent[];
  /** As they are now, as many as there are events. */
  readonly records?: readonly (object | null)[] | undefined;
  /** Whether the endpoint gets batches, of one event too. */
  readonly isBatched: boolean;
}

/** The body of a delivery: of one event, or of a batch. */
export function bodyOf({ events, records, isBatched }: Batch): string {
  const data = events.map((event, index) => ({
    ...showEvent(event),
    ...(records && { record: records[index] ?? null }),
  }));
  return envelopeOf(data, isBatched);
}

type Delivered = Omit<Event, 'record'> & { readonly record?: object | null | undefined };

function envelopeOf(data: readonly Delivered[], isBatched: boolean): string {
  const [first] = data;
  if (isBatched || first === undefined) return JSON.stringify({ type: 'batch', data });
  return JSON.stringify({ type: first.type, timestamp: first.occurred_at, data: first });
}

/** The id of a delivery: the same as often as the same events are sent. */
export function deliveryIdOf(events: readonly JournalEvent[]): string {
  const [first, ...others] = events;
  if (first !== undefined && others.length === 0) return first.id;
  return `batch_${hash('sha256', events.map(({ id }) => id).join(), 'base64url')}`;
}

function callWith(tenant: Tenant, { url }: StoredEndpoint, content: Omit<Signed, 'seconds'>): Call {
  const seconds = Math.floor(timeIn(tenant) / 1_000);
  const headers = { 'content-type': 'application/json', ...signed({ ...content, seconds }) };
  return { url, headers, body: content.body };
}

/** The secrets that have not expired, in plain text. */
const openSecrets = (tenant: Tenant, { id, secrets }: StoredEndpoint): Promise<string[]> => {
  const now = timeIn(tenant);
  const current = secrets.filter(({ expires_at }) => expires_at === null || expires_at * 1_000 > now);
  return Promise.all(current.map(({ sealed }) => endpointSecrets.open({ tenant, id }, sealed)));
};

interface Signed {
  /** The event's id, or that of a batch: the same when it is sent again, so that the receiver recognizes it. */
  readonly id: string;
  /** When it is sent, in epoch seconds: the receiver refuses what is too old. */
  readonly seconds: number;
  readonly body: string;
  /** `whsec_…`; two while a rotation lets both live. */
  readonly secrets: readonly string[];
}

/**
 * The headers of Standard Webhooks: HMAC-SHA256 over id, time and body, once for each secret, so that a receiver that
 * knows either accepts the delivery.
 */
export function signed({ id, seconds, body, secrets }: Signed): Record<string, string> {
  const content = `${id}.${seconds}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map((secret) => `v1,${signatureOf(content, secret)}`).join(' '),
  };
}

const signatureOf = (content: string, secret: string): string =>
  createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(content)
    .digest('base64');
