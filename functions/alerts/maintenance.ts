import type { Tenant } from '#table';
import { ALL, comingSpans, MAINTENANCE } from '../clients/maintenance.ts';
import { resourceEntity } from '../resources/store.ts';
import { serviceEntity } from '../services/store.ts';
import type { TicketFields } from './ticket.ts';

/** It is looked at again after so long, in milliseconds: a status has no end, and a window may be ended sooner. */
const LOOKED_AT_AFTER = 15 * 60_000;

/** Until when an alert is held, if what it is about is still under maintenance then; undefined: it is not now. */
export async function heldUntil(
  tenant: Tenant,
  { client_id, service_id, resource_id }: Pick<TicketFields, 'client_id' | 'service_id' | 'resource_id'>,
): Promise<string | undefined> {
  const now = tenant.serverTime;
  const timestamp = new Date(now).toISOString();
  const [spans, service, resource] = await Promise.all([
    comingSpans(tenant, timestamp),
    service_id === null ? undefined : tenant.records(serviceEntity).get(service_id),
    resource_id === null ? undefined : tenant.records(resourceEntity).get(resource_id),
  ]);
  const about = [ALL, client_id, service_id, resource_id, resource?.record.service_id];
  const ends = spans.filter(([, from, id]) => from <= timestamp && about.includes(id)).map(([to]) => to);
  const isMaintained = [service, resource].some((stored) => stored?.record.status === MAINTENANCE);
  const latest = new Date(now + LOOKED_AT_AFTER).toISOString();
  const last = [...ends, ...(isMaintained ? [latest] : [])].toSorted().at(-1);
  return last === undefined || last < latest ? last : latest;
}
