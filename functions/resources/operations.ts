import { Problem } from '#contract';
import { changeListOf, type Operations, pagesOf, respond, restored, upsertOf } from '#http';
import { changesOf, type Tenant } from '#table';
import { maintenanceFlags, shown, withMaintenance } from '../clients/maintenance.ts';
import { HEALTHY } from '../clients/words.ts';
import { checkedAt, isKnownCheck, lastCheck } from '../services/health.ts';
import { resource, type resources } from './contract.ts';
import { isOutdated, reportsUsage, sampleOf } from './metrics.ts';
import { moves } from './moving.ts';
import { historyOf, resourceCredentials, resourceEntity } from './store.ts';

const write: Pick<Operations<typeof resources>, 'createResource' | 'updateResource'> = {
  createResource: async ({ body, tenant, caller }) => {
    const { credentials, ...fields } = body;
    resourceCredentials.check(caller, credentials);
    const show = withMaintenance(tenant);
    const now = tenant.session.timestamp;
    const isReport = reportsUsage(body) || body.health_status !== HEALTHY;
    const created = await tenant.records(resourceEntity).create<'credentials'>({
      fields: {
        ...fields,
        ...lastCheck(body.last_health_check, isReport, tenant.session),
        created_at: now,
        updated_at: now,
      },
      deferred: async ({ id }) => ({ credentials: await resourceCredentials.encrypt(tenant, id, credentials) }),
      alsoAudited: credentials === null ? [] : ['credentials'],
    });
    if (isReport) sampleOf(tenant, created);
    return shown(await resourceCredentials.decryptIn({ tenant, caller }, created), show);
  },

  updateResource: async ({ params, body, tenant, caller, getOrThrow }) => {
    const records = tenant.records(resourceEntity);
    const show = withMaintenance(tenant);
    const stored = await getOrThrow(records, params.id, show);
    resourceCredentials.check(caller, body.credentials);
    const before = await resourceCredentials.decryptIn({ tenant, caller }, stored);
    const changes = changesOf(before.record, body);
    const isReport =
      (reportsUsage(body) || body.health_status !== undefined) && !isKnownCheck(body, before.record, changes);
    if (changes === undefined && !isReport) return shown(before, show);
    const encrypted = await resourceCredentials.encryptIn(tenant, params.id, changes ?? {});
    const after = await records.update(stored, {
      ...encrypted,
      ...lastCheck(body.last_health_check, isReport, tenant.session),
      updated_at: tenant.session.timestamp,
    });
    if (isReport) sampleOf(tenant, after);
    return shown(await resourceCredentials.decryptIn({ tenant, caller }, after), show);
  },
};

export const resourceOperations: Operations<typeof resources> = {
  ...write,

  listResources: pagesOf(
    resourceEntity,
    async (stored, input) => withMaintenance(input.tenant)((await resourceCredentials.decryptIn(input, stored)).record),
    maintenanceFlags,
  ),

  upsertResource: upsertOf({
    ...{ by: 'external_id', entity: resourceEntity, record: resource },
    write: () => [write.createResource, write.updateResource],
    find: findOnly,
    claim: (tenant, id, item, value) => tenant.records(resourceEntity).claimValue(id, item, 'external_id', value),
  }),

  getResource: async ({ params, tenant, caller, getOrThrow }) => {
    const show = withMaintenance(tenant);
    const stored = await getOrThrow(tenant.records(resourceEntity), params.id);
    return shown(await resourceCredentials.decryptIn({ tenant, caller }, stored), show);
  },

  listResourceChanges: changeListOf(resourceEntity),

  ...moves,

  deleteResource: async ({ params, tenant, getOrThrow }) => {
    const records = tenant.records(resourceEntity);
    await records.remove(await getOrThrow(records, params.id));
    return respond.empty;
  },

  restoreResource: async (input) => {
    const show = withMaintenance(input.tenant);
    return shown(await resourceCredentials.decryptIn(input, await restored(input, resourceEntity)), show);
  },

  listResourceHistory: async ({ params, query, tenant, getOrThrow }) => {
    const resource = getOrThrow(tenant.records(resourceEntity), params.id);
    return respond.page(await historyOf(tenant, params.id).pageBelow(resource, query), query);
  },

  createResourceHistoryEntry: async ({ params, body, tenant, getOrThrow }) => {
    const records = tenant.records(resourceEntity);
    const before = await getOrThrow(records, params.id);
    const { timestamp = tenant.session.timestamp, health_status = before.record.health_status, ...usage } = body;
    const checked = checkedAt(timestamp, tenant.session, 'timestamp');
    if (!isOutdated(checked, before.record)) {
      const updated_at = tenant.session.timestamp;
      await records.update(before, { ...usage, health_status, last_health_check: checked, updated_at });
    }
    const sample = { ...usage, resource_id: params.id, timestamp, health_status };
    return respond.record(historyOf(tenant, params.id).createNumbered(before, sample));
  },
};

/** @throws Problem `conflict` where several resources have the value */
async function findOnly(tenant: Tenant, value: string): Promise<string | undefined> {
  const [id, other] = await tenant.records(resourceEntity).idsWith('external_id', value);
  if (other === undefined) return id;
  const detail = 'is that of several resources';
  throw new Problem('conflict', {
    detail: `The external_id ${detail}: change each by its id.`,
    errors: [{ in: 'query', pointer: '#/external_id', detail }],
  });
}
