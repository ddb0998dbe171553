import type { Permissions } from '#identity';
import type { JournalEvent, Stored, Tenant } from '#table';
import { readSuspension } from '#tenancy';
import { readCredentialsOf } from '#tenancy/credentials';
import { lapseOf } from '../endpoints/lapse.ts';
import { endpointEntity, type StoredEndpoint } from '../store.ts';
import { visibleTo } from '../visible.ts';

/** Says that events are to be delivered, where, and which. */
export interface Assignment {
  /** It holds until then, in epoch milliseconds of the worker's clock. */
  readonly until: number;
  readonly stored: Stored<StoredEndpoint>;
  /** Of the endpoint's integration. */
  readonly permissions: Permissions;
}

/** How long an assignment holds, from before it is read, in milliseconds. */
const ASSIGNMENT_MS = 5_000;

/** What an endpoint becomes when it gets no more events. */
export type Stop = Pick<StoredEndpoint, 'status' | 'status_reason'>;

/**
 * What is to be delivered to an endpoint now: an assignment; nothing for as long as its organization is suspended; nothing until it is activated again;
 * or it must be stopped.
 */
export async function readAssignment(
  tenant: Tenant,
  endpointId: string,
): Promise<Assignment | 'suspended' | 'inactive' | { readonly stored: Assignment['stored']; readonly stop: Stop }> {
  const [suspension, stored] = await Promise.all([
    tenant.orgId === null ? undefined : readSuspension(tenant),
    tenant.records(endpointEntity).get(endpointId),
  ]);
  if (suspension?.state === 'suspended') return 'suspended';
  if (suspension !== undefined || stored === undefined || !isCalled(stored.record)) return 'inactive';
  const { by } = stored.record.confirmed;
  const [credentials, confirming] = await Promise.all([
    readCredentialsOf(tenant, stored.record.app_code),
    by && readCredentialsOf(tenant, by.app_code),
  ]);
  const reason = lapseOf(stored.record, credentials, confirming);
  if (reason !== undefined || credentials === undefined)
    return { stored, stop: { status: 'paused', status_reason: reason ?? 'integration_inactive' } };
  return { until: tenant.session.now + ASSIGNMENT_MS, stored, permissions: credentials.permissions };
}

/** Whether events are delivered to an endpoint, or a ping that asks it for proof. */
const isCalled = ({ status, status_reason }: StoredEndpoint): boolean =>
  status === 'active' || status_reason === 'ping_pending';

export type Found = Awaited<ReturnType<typeof readAssignment>>;

export const isAssignment = (found: Found): found is Assignment => typeof found === 'object' && 'permissions' in found;

export const PING = 'webhook_endpoint.pinged';

/** Which events an endpoint gets: those that its integration may read, of its types; and a ping of its own, whatever that may. */
export function acceptedBy({ stored: { record }, permissions }: Assignment): (event: JournalEvent) => boolean {
  const isVisible = visibleTo(permissions, record.event_types);
  return (event) => (event.type === PING ? event.record_id === record.id : isVisible(event));
}
