import { noSuchRecord } from '../../shared/http/references.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import { requireClient } from '../clients/counters.ts';
import { resourceEntity } from '../resources/store.ts';
import { serviceEntity } from '../services/store.ts';
import { terminalEntity } from '../terminals/store.ts';
import type { Ticket } from './contract.ts';

type References = { readonly [field in 'client_id' | 'service_id' | 'resource_id' | 'terminal_id']?: Ticket[field] };

/**
 * Checks that the records exist to which these fields refer, as far as they have values.
 * `contact_id` and `assigned_to` refer to people outside the service and are not checked (`docs/decisions/0031`).
 */
export function requireReferences(tenant: Tenant, fields: References): void {
  const { client_id, service_id, resource_id, terminal_id } = fields;
  if (client_id) requireClient(tenant, client_id);
  if (service_id) tenant.records(serviceEntity).references.require(service_id, noSuchRecord('service_id'));
  if (resource_id) tenant.records(resourceEntity).references.require(resource_id, noSuchRecord('resource_id'));
  if (terminal_id) tenant.records(terminalEntity).references.requireLasting(terminal_id, noSuchRecord('terminal_id'));
}
