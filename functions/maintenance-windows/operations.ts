import { invalidField, Problem } from '#contract';
import { noSuchRecord, type Operations, pagesOf, respond } from '#http';
import { changesOf, type Tenant } from '#table';
import { comingSpans, MOST_WINDOWS, spansOf } from '../clients/maintenance.ts';
import { requireClient } from '../clients/references.ts';
import { resourceEntity } from '../resources/store.ts';
import { serviceEntity } from '../services/store.ts';
import type { MaintenanceWindow, maintenanceWindows } from './contract.ts';
import { windowEntity } from './store.ts';

export const windowOperations: Operations<typeof maintenanceWindows> = {
  listMaintenanceWindows: pagesOf(windowEntity),

  createMaintenanceWindow: async ({ body, tenant, session }) => {
    requireTimes(body);
    requireTargets(tenant, body);
    if (body.to > session.timestamp) await requireRoom(tenant);
    const times = { created_at: session.timestamp, updated_at: session.timestamp };
    const fields = { ...body, ...times, spans: spansOf(body) };
    return respond.record(await tenant.records(windowEntity).create({ fields }));
  },

  getMaintenanceWindow: async ({ params, tenant, getOrThrow }) =>
    respond.record(await getOrThrow(tenant.records(windowEntity), params.id)),

  updateMaintenanceWindow: async ({ params, body, tenant, session, getOrThrow }) => {
    const records = tenant.records(windowEntity);
    const before = await getOrThrow(records, params.id);
    const changes = changesOf(before.record, body);
    if (changes === undefined) return respond.record(before);
    const after = { ...before.record, ...changes };
    requireTimes(after);
    if (before.record.to <= session.timestamp && after.to > session.timestamp) await requireRoom(tenant);
    const further = { spans: spansOf(after), updated_at: session.timestamp };
    return respond.record(await records.update(before, { ...changes, ...further }));
  },

  deleteMaintenanceWindow: async ({ params, tenant, getOrThrow }) => {
    const records = tenant.records(windowEntity);
    await records.remove(await getOrThrow(records, params.id));
    return respond.empty;
  },
};

type Given = Pick<MaintenanceWindow, 'client_id' | 'service_id' | 'resource_id' | 'from' | 'to'>;

function requireTimes({ from, to }: Pick<Given, 'from' | 'to'>): void {
  if (to <= from) throw invalidField('to', 'must be later than `from`');
}

/** Checks that what a window names exists, else the commit fails with a 422. */
function requireTargets(tenant: Tenant, { client_id, service_id, resource_id }: Given): void {
  if (client_id !== null) requireClient(tenant, client_id);
  if (service_id !== null) tenant.records(serviceEntity).require(service_id, noSuchRecord('service_id'));
  if (resource_id !== null) tenant.records(resourceEntity).require(resource_id, noSuchRecord('resource_id'));
}

/** @throws Problem `conflict` where the organization has as many windows as it may have */
async function requireRoom(tenant: Tenant): Promise<void> {
  if (new Set((await comingSpans(tenant)).map(([, , , window]) => window)).size < MOST_WINDOWS) return;
  const detail = `The organization has ${MOST_WINDOWS} maintenance windows that have not ended. Delete some of them.`;
  throw new Problem('conflict', { detail });
}
