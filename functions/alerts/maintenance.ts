import type { Tenant } from '#table';
import { ALL, comingSpans, MAINTENANCE } from '../clients/maintenance.ts';
import { resourceEntity } from '../resources/store.ts';
import { serviceEntity } from '../services/store.ts';
import type { TicketFields } from './ticket.ts';

/** What is under maintenance by its status has no end: it is looked at again after so long, in milliseconds. */
const LOOKED_AT_AFTER = 15 * 60_000;

/** Until when the maintenance of what an alert is about takes at least; undefined: there is none. */
export async function maintainedUntil(
  tenant: Tenant,
  { client_id, service_id, resource_id }: Pick<TicketFields, 'client_id' | 'service_id' | 'resource_id'>,
): Promise<string | undefined> {
  const now = tenant.serverTime;
  const timestamp = new Date(now).toISOString();
  const about = [ALL, client_id, service_id, resource_id];
  const [spans, ...records] = await Promise.all([
    comingSpans(tenant, timestamp),
    service_id === null ? undefined : tenant.records(serviceEntity).get(service_id),
    resource_id === null ? undefined : tenant.records(resourceEntity).get(resource_id),
  ]);
  const ends = spans.filter(([, from, id]) => from <= timestamp && about.includes(id)).map(([to]) => to);
  const isMaintained = records.some((stored) => stored?.record.status === MAINTENANCE);
  return [...ends, ...(isMaintained ? [new Date(now + LOOKED_AT_AFTER).toISOString()] : [])].toSorted().at(-1);
}
