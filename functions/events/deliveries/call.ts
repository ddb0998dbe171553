import { randomUUID } from 'node:crypto';
import { endpointSecrets } from '#auth';
import { type JournalEvent, recordTypeOf, type Tenant } from '#table';
import { embedRecords } from '../embed.ts';
import { answerTo } from '../endpoints/proof.ts';
import { showEvent } from '../show.ts';
import * as leases from '../state/lease.ts';
import { endpointEntity, type StoredEndpoint } from '../store.ts';
import { type Assignment, PING } from './assignment.ts';
import { bodyOf, bytesForRecords, envelopeOf, idOf } from './batch.ts';
import type { Call } from './ports.ts';
import { signed } from './sign.ts';

/** Makes the call that delivers events; of fewer of them, where the records of all have no room in it. */
export async function callOf(
  tenant: Tenant,
  { stored: { record }, permissions }: Assignment,
  events: readonly JournalEvent[],
): Promise<{ readonly call: Call; readonly events: readonly JournalEvent[] }> {
  const [secrets, records] = await Promise.all([
    openSecrets(tenant, record),
    record.payload === 'record' ? embedRecords(tenant, events, permissions, bytesForRecords(events)) : undefined,
  ]);
  const sent = records === undefined ? events : events.slice(0, records.length);
  const body = bodyOf({ events: sent, records, isBatched: record.batch_size > 1 });
  return { call: callWith(tenant, record, { id: idOf(sent), body, secrets }), events: sent };
}

/** Makes the call that asks a receiver for proof: an event with a challenge, which is not in the journal. */
export async function pingOf(
  tenant: Tenant,
  { stored: { record, version } }: Assignment,
): Promise<{ readonly call: Call; readonly events: readonly JournalEvent[] }> {
  const challenge = record.challenge ?? '';
  const secrets = await openSecrets(tenant, record);
  const event: JournalEvent = {
    id: randomUUID(),
    type: PING,
    occurred_at: new Date(leases.timeIn(tenant)).toISOString(),
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

function callWith(tenant: Tenant, { url }: StoredEndpoint, made: Omit<Parameters<typeof signed>[0], 'seconds'>): Call {
  const seconds = Math.floor(leases.timeIn(tenant) / 1_000);
  const headers = { 'content-type': 'application/json', ...signed({ ...made, seconds }) };
  return { url, headers, body: made.body };
}

/** The secrets that have not expired, in plain text. */
const openSecrets = (tenant: Tenant, { id, secrets }: StoredEndpoint): Promise<string[]> => {
  const now = leases.timeIn(tenant);
  const current = secrets.filter(({ expires_at }) => expires_at === null || expires_at * 1_000 > now);
  return Promise.all(current.map(({ sealed }) => endpointSecrets.open({ tenant, id }, sealed)));
};
