import { noSuchRecord } from '../../shared/http/references.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import { clientEntity } from './store.ts';

/** What other domains tell a client about its services and resources. */
export interface CounterChanges {
  readonly services?: number;
  readonly resources?: number;
  readonly risks?: number;
}

/**
 * Stages the client's derived fields. The client must exist: the commit fails with a 422 that points at `client_id` otherwise,
 * so this is also how a reference to a client is checked.
 */
export function updateClientCounters(tenant: Tenant, clientId: string, news: CounterChanges): void {
  const add = Object.entries({ services_count: news.services, total_resources: news.resources, risks: news.risks });
  tenant
    .records(clientEntity)
    .derived.adjust(
      clientId,
      { add: Object.fromEntries(add.filter((entry): entry is [string, number] => (entry[1] ?? 0) !== 0)) },
      noSuchRecord('client_id'),
    );
}

/** Stages that one of the client's services or resources became a risk, or ceased to be one; nothing where it stays what it was. */
export function updateRiskCounter(tenant: Tenant, clientId: string, before: boolean, after: boolean): void {
  if (before !== after) updateClientCounters(tenant, clientId, { risks: after ? 1 : -1 });
}

/** Checks that a reference to a client leads somewhere: a 422 that points at `client_id` otherwise. Clients are never deleted. */
export const requireClient = (tenant: Tenant, clientId: string): void =>
  tenant.records(clientEntity).references.requireLasting(clientId, noSuchRecord('client_id'));

/**
 * Notes that a ticket or message of the client comes in now. Beside the transaction and not in it, so that tickets of one client do not get in each
 * other's way: `last_contact` only ever moves forward, and is allowed to be late (`docs/decisions/0031-tickets.md`).
 */
export const noteContact = (tenant: Tenant, clientId: string): void =>
  tenant.records(clientEntity).derived.advance(clientId, 'last_contact', tenant.session.timestamp);
