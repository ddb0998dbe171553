import { expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { validBody } from '../../shared/http/request/validate.ts';

/** Rules of single fields that are easily lost from a contract. Kinds of values are tested in `fields.test.ts`, every field in `test/http/bad-input.sampled.test.ts`. */

const routes = new Map(contracts.flatMap((contract) => Object.entries(contract.routes)));

it.each<[operationId: string, fields: object]>([
  ['createClient', { name: ' ', slug: 'Acme', email: 'acme', phone: '351210000000', timezone: 'Mars/Olympus' }],
  ['createClient', { timezone: '+01:00', status: null }],
  ['createService', { name: '\t', url: 'javascript:alert(1)', admin_url: 'data:text/html,x', status: 'Not Active' }],
  ['createService', { tags: 'a', uptime_percentage: 100.1, monthly_cost: -1, deployed_at: '2026-02-30T00:00:00Z' }],
  ...['banana', '2026-02-30', '31/12/2026', '46022', '2026-12-01T25:00:00Z', ''].map((date): [string, object] => [
    'updateService',
    { next_billing_date: date },
  ]),
  ['createResource', { cpu_usage: -0.1, memory_usage: 100.1, storage_usage: '10', ip_address: '10.0.0.256' }],
  ['createResource', { usage_alerts_enabled: 1, alert_threshold: null, provider: null, service_id: 's' }],
  ['createResourceHistoryEntry', { cpu_usage: 100.01, memory_usage: -1, storage_usage: null, timestamp: '2026-13-01' }],
  ['createTicket', { subject: ' ', status: 'done', priority: 'Very high', contact_id: '42', ticket_code: ' ' }],
  ['createTicket', { ticket_code: 'x'.repeat(101), description: 'x'.repeat(20_001), custom_fields: [] }],
  ['createTicketMessage', { author_type: 'The agent', message: '', is_internal: null }],
  ['createTicketMessage', { message: 'x'.repeat(10_001) }],
  ['createUser', { email: 'ines', avatar_url: 'javascript:alert(1)', is_active: 'true', is_superadmin: null }],
  ['createMembership', { org_id: null, status: 'On hold', metadata: [] }],
  ['createRole', { code: 'first level', label: 1, org_id: 'acme' }],
  ['createTerminal', { name: ' ', location: null, status: 'ACTIVE' }],
  ['createOrg', { name: 'x'.repeat(201), slug: 'With Space', settings: null }],
  ['createServiceAction', { parameters: null, action_type: 'Restart now!' }],
  ['createIntegration', { app_code: '../etc', status: 'paused', org_id: 'PLATFORM', permissions: 'clients:read' }],
  ...[0, -1, 1.5, 1_000_001, '60'].map((rate_limit): [string, object] => ['updateIntegration', { rate_limit }]),
  ['ingestLog', { level: 'fatal', message: '', metadata: null }],
])('%s refuses each of %j', (operationId, fields) => {
  const { body, bodyExample } = routes.get(operationId) ?? {};
  if (body === undefined) throw new Error(`${operationId} takes no body`);
  const pointers = Object.keys(fields).map((field) => expect.objectContaining({ in: 'body', pointer: `#/${field}` }));
  expect(() => validBody(body, { ...bodyExample, ...fields })).toThrow(
    expect.objectContaining({ errors: expect.arrayContaining(pointers) }),
  );
});
