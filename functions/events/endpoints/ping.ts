import { Problem } from '#contract/problem';
import type { Caller } from '#identity';
import { schema } from '#lists';
import { type JournalEvent, journalEntity, StaleRead, type Stored, stagePing, type Tenant } from '#table';
import { stageRegistration } from '../state/register.ts';
import { endpointEntity, type StoredEndpoint } from '../store.ts';
import { confirm } from './authority.ts';
import { stageChange } from './change.ts';
import { pinged, requirePing } from './proof.ts';

/**
 * Stages an event of no change, which is delivered to this endpoint. One that is unverified is asked for proof anew.
 * @throws Problem `forbidden`, `too-many-requests`, or `conflict` where it is neither active nor unverified
 */
export async function ping(tenant: Tenant, caller: Caller, endpoint: Stored<StoredEndpoint>): Promise<JournalEvent> {
  const { id, status } = endpoint.record;
  const isUnverified = status === 'unverified';
  if (status !== 'active' && !isUnverified)
    throw new Problem('conflict', { detail: `The endpoint is ${status}: nothing is delivered.` });
  const confirmed = await confirm(tenant, caller, endpoint.record, true);
  await requirePing(tenant);
  const { version } = await stageChange(tenant, endpoint, { ...(isUnverified && pinged()), confirmed });
  if (isUnverified) stageRegistration(tenant, id, version);
  const isUnchanged = version === endpoint.version;
  if (isUnchanged) {
    const isAsRead = { status, [schema.VERSION]: version };
    tenant.records(endpointEntity).require(id, () => new StaleRead('the endpoint has changed'), isAsRead);
  }
  const [event] = await Promise.all([
    stagePing(tenant.records(journalEntity), endpointEntity, { id, version }),
    isUnchanged && tenant.auditLog(endpointEntity.audited ?? '').changed(id, []),
  ]);
  return event;
}
