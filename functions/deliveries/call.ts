import { endpointSecrets } from '#auth';
import type { JournalEvent, Tenant } from '#table';
import { leases } from '#tenancy/deliveries';
import { embedRecords } from '../events/embed.ts';
import type { StoredEndpoint } from '../webhook-endpoints/store.ts';
import type { Assignment } from './assignment.ts';
import { bodyOf, bytesForRecords, idOf } from './batch.ts';
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
  const seconds = Math.floor(leases.timeIn(tenant) / 1_000);
  const headers = { 'content-type': 'application/json', ...signed({ id: idOf(sent), seconds, body, secrets }) };
  return { call: { url: record.url, headers, body }, events: sent };
}

/** The secrets that have not expired, in plain text. */
const openSecrets = (tenant: Tenant, { id, secrets }: StoredEndpoint): Promise<string[]> => {
  const now = leases.timeIn(tenant);
  const current = secrets.filter(({ expires_at }) => expires_at === null || expires_at * 1_000 > now);
  return Promise.all(current.map(({ sealed }) => endpointSecrets.open({ tenant, id }, sealed)));
};
