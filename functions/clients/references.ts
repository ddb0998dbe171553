import { noSuchRecord } from '#http';
import type { Tenant } from '#table';
import { clientEntity } from './store.ts';

/** Checks that a client exists, else the commit fails with a 422 at `client_id`. Clients are never deleted. */
export const requireClient = (tenant: Tenant, clientId: string): void =>
  tenant.records(clientEntity).requireLasting(clientId, noSuchRecord('client_id'));

/** Moves the client's `last_contact` to now, for a new message of a ticket (`docs/decisions/0031-tickets.md`). */
export const noteContact = (tenant: Tenant, clientId: string): void =>
  tenant.records(clientEntity).derived.advance(clientId, 'last_contact', async () => tenant.session.timestamp);
