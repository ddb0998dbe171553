import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import createClient from 'openapi-fetch';
import type { paths } from '../../../packages/client/src/schema.ts';

/** The README's tour with types of openapi-typescript, as a caller writes it who does not use `@custodia/client`. */

const baseUrl = process.env.API ?? 'http://127.0.0.1:3000';
const open = createClient<paths>({ baseUrl });

const { data: key } = await open.POST('/api/v1/integrations', {
  body: { app_code: `acme-${randomUUID()}`, display_name: 'Acme billing' },
});
assert(key?.secret);
const { app_code, secret } = key;
const { data: login } = await open.POST('/api/v1/auth/login', { body: { app_code, secret } });
const api = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${login?.access_token}` } });

const { data: client } = await api.POST('/api/v1/clients', { body: { name: 'Bistro', slug: 'bistro' } });
assert(client);
const client_id = client.id;
const { data: service } = await api.POST('/api/v1/services', { body: { client_id, name: 'Till', type: 'saas' } });
const { data: ticket } = await api.POST('/api/v1/tickets', {
  body: {
    ...{ client_id, service_id: service?.id ?? null, subject: 'No receipts', description: 'The printer is silent.' },
    ...{ source: 'email', contact_id: '5d0e3c1a-7b52-4f0e-9a51-2f1c8f6f7c11' },
  },
});
assert(ticket);
assert.equal(ticket.ticket_code, 'T-000001');

const { data: list } = await api.GET('/api/v1/tickets', { params: { query: { status: ['open'], page_size: 1 } } });
assert.deepEqual([list?.total, list?.data[0]?.id], [1, ticket.id]);

const { data: resource } = await api.POST('/api/v1/resources', { body: { client_id, name: 'db-1', type: 'server' } });
assert(resource);
const params = { path: { id: resource.id } };
const usage = { cpu_usage: 91, memory_usage: 40, storage_usage: 63 };
await api.POST('/api/v1/resources/{id}/history', { params, body: usage });
const { data: again } = await api.GET('/api/v1/clients/{id}', { params: { path: { id: client_id } } });
assert.equal(again?.has_risks, true);

const header = { 'Idempotency-Key': randomUUID() };
const create = () => api.POST('/api/v1/terminals', { params: { header }, body: { client_id, name: 'Front desk' } });
assert.equal((await create()).data?.id, (await create()).data?.id);

const { error } = await api.PATCH('/api/v1/clients/{id}', {
  params: { path: { id: client_id }, header: { 'If-Match': '"7.outdated"' } },
  body: { plan: 'pro' },
});
assert.equal((error as { type?: string } | undefined)?.type, 'urn:problem-type:custodia:precondition-failed');

const event = { event_type: 'ticket.updated', data: { id: ticket.id, status: 'closed' } };
const signature = createHmac('sha256', secret).update(JSON.stringify(event)).digest('hex');
const { data: receipt } = await open.POST('/api/v1/webhooks/{app_code}', {
  params: { path: { app_code }, header: { 'X-Event-ID': 'evt-1' } },
  headers: { 'X-Signature': signature },
  body: event,
});
assert.equal(receipt?.received, true);
const { data: closed } = await api.GET('/api/v1/tickets/{id}', { params: { path: { id: ticket.id } } });
assert.equal(closed?.status, 'closed');
