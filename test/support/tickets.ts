import { randomUUID } from 'node:crypto';
import type { JsonBody } from './api.ts';
import type { Calls } from './tenant-calls.ts';

export const TICKETS = '/api/v1/tickets';

/** The body of a new ticket with nothing but what is required, and `fields`. */
export const newTicket = (fields: JsonBody = {}): JsonBody => ({
  contact_id: randomUUID(),
  subject: 'No light',
  description: 'Since this morning.',
  source: 'email',
  ...fields,
});

export const newMessage = (message = 'Hello'): JsonBody => ({ author_type: 'agent', author_id: randomUUID(), message });

/** A client, service, resource and terminal, as a ticket refers to them. */
export async function installation({ create }: Calls) {
  const { id: client_id } = await create('/api/v1/clients', { name: 'Bistro' });
  const service = await create('/api/v1/services', { client_id, name: 'Till', type: 'saas' });
  const resource = await create('/api/v1/resources', { client_id, name: 'db-1', type: 'server' });
  const terminal = await create('/api/v1/terminals', { client_id, name: 'Desk' });
  return { client_id, service_id: service.id, resource_id: resource.id, terminal_id: terminal.id };
}
