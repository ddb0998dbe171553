import { readPartition } from '@custodia/counted-lists';
import type { Tenant } from '#table';
import { alertKey } from '../../../functions/alerts/state/items.ts';
import { ticketEntity } from '../../../functions/tickets/store.ts';
import { deleteItem } from '../erase/empty.ts';

/** Forgets alerts, and hours that collect them, whose ticket is gone: what goes on firing gets another one. */
export async function forgetAlerts(tenant: Tenant): Promise<void> {
  const place = { table: tenant.session.tables.of(tenant.id), clock: tenant.session.clock };
  for await (const { PK, SK, state, ticket_id: id } of readPartition(place, alertKey(tenant, '', '').PK))
    if (state !== 'resolved' && id && !(await tenant.records(ticketEntity).get(String(id))))
      await deleteItem(place, { PK: String(PK), SK: String(SK) });
}
