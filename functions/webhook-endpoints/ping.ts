import { Problem } from '#contract/problem';
import type { Caller } from '#identity';
import { schema } from '#lists';
import { type JournalEvent, journalEntity, StaleRead, type Stored, stagePing, type Tenant } from '#table';
import { confirm } from './authority.ts';
import { stageChange } from './change.ts';
import { endpointEntity, type StoredEndpoint } from './store.ts';

/**
 * Stages an event of no change, which is delivered to this endpoint.
 * @throws Problem `forbidden`, or `conflict` where it is not active
 */
export async function ping(tenant: Tenant, caller: Caller, endpoint: Stored<StoredEndpoint>): Promise<JournalEvent> {
  const { id, status } = endpoint.record;
  if (status !== 'active')
    throw new Problem('conflict', { detail: `The endpoint is ${status}: nothing is delivered.` });
  const confirmed = await confirm(tenant, caller, endpoint.record, true);
  const { version } = await stageChange(tenant, endpoint, { confirmed });
  if (version === endpoint.version) {
    const isAsRead = { status, [schema.VERSION]: version };
    tenant.records(endpointEntity).references.require(id, () => new StaleRead('the endpoint has changed'), isAsRead);
  }
  const [event] = await Promise.all([
    stagePing(tenant.records(journalEntity), endpointEntity, { id, version }),
    tenant.auditLog(endpointEntity.audited ?? '').changed(id, []),
  ]);
  return event;
}
