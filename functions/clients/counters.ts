import { noSuchRecord } from '#http';
import type { Tenant } from '#table';
import { clientEntity } from './store.ts';

/** Changes of a client's counters by other domains. */
export interface CounterChanges {
  readonly services?: number;
  readonly resources?: number;
  readonly risks?: number;
}

/**
 * Stages changes of a client's counters. This also checks the reference: if the client does not exist, the commit fails with a 422 that points
 * at `client_id`.
 */
export function updateClientCounters(tenant: Tenant, clientId: string, changes: CounterChanges): void {
  const { services, resources, risks } = changes;
  const add = Object.entries({ services_count: services, total_resources: resources, risks });
  tenant
    .records(clientEntity)
    .derived.adjust(
      clientId,
      { add: Object.fromEntries(add.filter((entry): entry is [string, number] => (entry[1] ?? 0) !== 0)) },
      noSuchRecord('client_id'),
    );
}

/** Stages a change of the client's number of risks, if a service or resource became a risk or stopped being one. */
export function updateRiskCounter(tenant: Tenant, clientId: string, before: boolean, after: boolean): void {
  if (before !== after) updateClientCounters(tenant, clientId, { risks: after ? 1 : -1 });
}

/** Checks that a client exists, else the commit fails with a 422 that points at `client_id`. Clients are never deleted. */
export const requireClient = (tenant: Tenant, clientId: string): void =>
  tenant.records(clientEntity).references.requireLasting(clientId, noSuchRecord('client_id'));

/**
 * Moves the client's `last_contact` to now, for a new ticket or message. This happens in parallel to the transaction, so that tickets of one
 * client do not conflict: the field only moves forward, and may lag behind (`docs/decisions/0031-tickets.md`).
 */
export const noteContact = (tenant: Tenant, clientId: string): void =>
  tenant.records(clientEntity).derived.advance(clientId, 'last_contact', tenant.session.timestamp);
