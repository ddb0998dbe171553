import { noSuchRecord } from '#http';
import type { Tenant } from '#table';
import { requireClient } from '../clients/references.ts';
import { resourceEntity } from '../resources/store.ts';
import { serviceEntity } from '../services/store.ts';
import { terminalEntity } from '../terminals/store.ts';
import type { Ticket } from './contract.ts';

type References = Pick<Ticket, 'client_id' | 'service_id' | 'resource_id' | 'terminal_id'>;
type Changed = { readonly [field in keyof References]?: References[field] };

/**
 * Checks the references of a ticket, as far as a request changes them: the records exist, and if the ticket names a client they are the client's. Another
 * client must be that of all of them. The commit fails with a 422 that points at the field.
 * `contact_id` and `assigned_to` refer to people outside the service and are not checked (`docs/decisions/0031`).
 * @param ticket as it will be
 */
export function requireReferences(tenant: Tenant, ticket: References, changed: Changed = ticket): void {
  const { client_id } = ticket;
  if (changed.client_id) requireClient(tenant, changed.client_id);
  const { service_id, resource_id, terminal_id } = changed.client_id ? ticket : { ...NONE, ...changed };
  const equals = client_id === null ? {} : { client_id };
  const refusal = (field: string) => (client_id === null ? noSuchRecord(field) : notOfClient(field));
  if (service_id) tenant.records(serviceEntity).require(service_id, refusal('service_id'), equals);
  if (resource_id) tenant.records(resourceEntity).require(resource_id, refusal('resource_id'), equals);
  if (terminal_id) tenant.records(terminalEntity).requireLasting(terminal_id, refusal('terminal_id'), equals);
}

const NONE = { service_id: null, resource_id: null, terminal_id: null };

/** The same for a missing record, another client's and another tenant's. */
const notOfClient = (field: string) =>
  noSuchRecord(field, `names no ${field.replace(/_id$/, '')} of the ticket's client`);
