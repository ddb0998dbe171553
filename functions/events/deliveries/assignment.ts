import type { Permissions } from '#identity';
import { type JournalEvent, type Stored, Tenant } from '#table';
import { increment } from '#telemetry';
import { readCredentialsOf, readSuspension } from '#tenancy';
import { lapseOf } from '../endpoints/authority.ts';
import { type Registration, unregister } from '../state/register.ts';
import { endpointEntity, type StoredEndpoint } from '../store.ts';
import { visibleTo } from '../visible.ts';
import type { Stop } from './failures.ts';
import { AT_ONCE, type NextTurn, type Ports, WHEN_WOKEN } from './ports.ts';
import { stopUnlessChanged } from './recording.ts';

/** Says that events are to be delivered, where, and which. */
export interface Assignment {
  /** It holds until then, in epoch milliseconds of the worker's clock. */
  readonly until: number;
  readonly stored: Stored<StoredEndpoint>;
  /** Those of the endpoint's integration. */
  readonly permissions: Permissions;
}

/** Why nothing is delivered: for as long as its organization is suspended; until it is activated; or it must stop. */
export type NoAssignment = 'suspended' | 'inactive' | { readonly stored: Stored<StoredEndpoint>; readonly stop: Stop };

/** How long an assignment holds, from before it is read, in milliseconds. */
const ASSIGNMENT_MS = 5_000;

export async function readAssignment(tenant: Tenant, endpointId: string): Promise<Assignment | NoAssignment> {
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

export const isAssignment = (found: Assignment | NoAssignment): found is Assignment =>
  typeof found === 'object' && 'permissions' in found;

export const PING = 'webhook_endpoint.pinged';

/** Which events an endpoint gets: those of its types that its integration may read, and pings of its own. */
export function acceptedBy({ stored: { record }, permissions }: Assignment): (event: JournalEvent) => boolean {
  const isVisible = visibleTo(permissions, record.event_types);
  return (event) => (event.type === PING ? event.record_id === record.id : isVisible(event));
}

export const EXPIRED: Stop = { status: 'expired', status_reason: 'cursor_expired' };

/** Stops an endpoint that has no assignment, and unregisters it. One that has changed meanwhile needs another turn. */
export async function stopEndpoint(registration: Registration, ports: Ports, found: NoAssignment): Promise<NextTurn> {
  if (found === 'suspended') return WHEN_WOKEN;
  const session = ports.open();
  if (found !== 'inactive') {
    const isStopped = await stopUnlessChanged(Tenant.ofRegistered(registration, session), found.stored, found.stop);
    if (!isStopped) return AT_ONCE;
    increment('EndpointsStopped');
  }
  await unregister(session.tables.environment, registration);
  return WHEN_WOKEN;
}
