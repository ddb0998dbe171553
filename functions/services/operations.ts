import type { Item } from '@custodia/counted-lists';
import { Problem } from '#contract';
import { changeListOf, countsOf, noRecord, type Operations, pagesOf, respond, restored, upsertOf } from '#http';
import { changesOf } from '#table';
import { maintenanceFlags, shown, withMaintenance } from '../clients/maintenance.ts';
import { service, type services } from './contract.ts';
import { isKnownCheck, isServiceRisk, lastCheck } from './health.ts';
import { resourcesOf, serviceCredentials, serviceEntity } from './store.ts';

export const serviceOperations: Operations<typeof services> = {
  listServices: pagesOf(
    serviceEntity,
    async (stored, input) => withMaintenance(input.tenant)((await serviceCredentials.decryptIn(input, stored)).record),
    maintenanceFlags,
  ),

  summarizeServices: countsOf(serviceEntity, maintenanceFlags),

  createService: async ({ body, tenant, caller }) => {
    const { credentials, ...fields } = body;
    serviceCredentials.check(caller, credentials);
    const show = withMaintenance(tenant);
    const now = tenant.session.timestamp;
    const created = await tenant.records(serviceEntity).create<'credentials'>({
      fields: {
        ...fields,
        ...lastCheck(body.last_health_check, isServiceRisk(body), tenant.session),
        created_at: now,
        updated_at: now,
        resource_count: 0,
      },
      deferred: async ({ id }) => ({ credentials: await serviceCredentials.encrypt(tenant, id, credentials) }),
      alsoAudited: credentials === null ? [] : ['credentials'],
    });
    return shown(await serviceCredentials.decryptIn({ tenant, caller }, created), show);
  },

  upsertService: upsertOf({
    ...{ by: 'external_id', entity: serviceEntity, record: service },
    write: () => [serviceOperations.createService, serviceOperations.updateService],
  }),

  getService: async ({ params, tenant, caller, getOrThrow }) => {
    const show = withMaintenance(tenant);
    const stored = await getOrThrow(tenant.records(serviceEntity), params.id);
    return shown(await serviceCredentials.decryptIn({ tenant, caller }, stored), show);
  },

  listServiceChanges: changeListOf(serviceEntity),

  updateService: async ({ params, body, tenant, caller, getOrThrow }) => {
    const records = tenant.records(serviceEntity);
    const show = withMaintenance(tenant);
    const stored = await getOrThrow(records, params.id, show);
    serviceCredentials.check(caller, body.credentials);
    const before = await serviceCredentials.decryptIn({ tenant, caller }, stored);
    const changes = changesOf(before.record, body);
    const isHealthCheck = body.health_status !== undefined && !isKnownCheck(body, before.record, changes);
    if (changes === undefined && !isHealthCheck) return shown(before, show);
    const now = tenant.session.timestamp;
    const after = await records.update(stored, {
      ...(await serviceCredentials.encryptIn(tenant, params.id, changes ?? {})),
      ...lastCheck(body.last_health_check, isHealthCheck, tenant.session),
      updated_at: now,
    });
    return shown(await serviceCredentials.decryptIn({ tenant, caller }, after), show);
  },

  deleteService: async ({ params, tenant, getOrThrow }) => {
    const records = tenant.records(serviceEntity);
    const resources = resourcesOf(tenant);
    const [before, keys] = await Promise.all([
      getOrThrow(records, params.id),
      resources.setOf('service_id', params.id),
    ]);
    await records.remove(before, { requires: { equals: NO_RESOURCES, onConditionFailed: stillHasResources } });
    resources.deleteSet(keys);
    return respond.empty;
  },

  restoreService: async (input) => {
    const show = withMaintenance(input.tenant);
    return shown(await serviceCredentials.decryptIn(input, await restored(input, serviceEntity)), show);
  },

  getServiceOfClient: async ({ params, tenant, caller, getOrThrow }) => {
    const show = withMaintenance(tenant);
    const stored = await getOrThrow(tenant.records(serviceEntity), params.id);
    if (stored.record.client_id !== params.client_id) throw noRecord(serviceEntity);
    return shown(await serviceCredentials.decryptIn({ tenant, caller }, stored), show);
  },
};

/**
 * A service counts its resources in the transactions that add and remove them, and can be deleted only if it has none:
 * a resource cannot join a service that is deleted at the same time (`docs/decisions/0008-deleting.md`).
 */

/** The condition for the deletion of a service. */
const NO_RESOURCES = { resource_count: 0 } as const;

/** The 409 for a service that still has resources. */
function stillHasResources(service: Item | undefined): Problem {
  const count = Number(service?.resource_count);
  const detail = count === 1 ? 'A resource still belongs' : `${count} resources still belong`;
  return new Problem('still-in-use', { detail: `${detail} to this service. Delete or move them first.` });
}
