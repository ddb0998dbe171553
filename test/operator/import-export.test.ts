import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { importKinds } from '../../operator/import/kinds.ts';
import type { JsonBody, OrgAccess } from '../support/api.ts';
import { freshDirectory } from '../support/directory.ts';
import { operations, PLATFORM_ONLY, TestTenant } from '../support/scenario.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';
import { imported, type Line, linesOf } from './imported.ts';

/** What `custodia export` writes of an organization, imported into another one. */

const api = useApi();
let org: OrgAccess;
let calls: Calls;
let exported: readonly Line[];

/** What the report says that is not equal, and how a test sees past it. */
const TIMES = [
  ...['created_at', 'updated_at', 'last_activity_at', 'last_contact'],
  ...['first_response_at', 'resolved_at', 'merged_into', 'merged_from', 'edited_at', 'removed_at'],
  ...['run', 'scheduled_for', 'attempts', 'leased_until', 'progress', 'result', 'log', 'finished_at'],
];
const comparable = ({ type, record }: Line): object => {
  const { org_id: _, ...fields } = Object.fromEntries(
    Object.entries(record).filter(([field]) => !TIMES.includes(field)),
  );
  return { type, ...fields };
};

const IMPORTED = new Set(importKinds.map(({ record }) => record));

beforeAll(async () => {
  org = await api.orgToken();
  calls = callsOf(api, org.token);
  const testTenant = new TestTenant(api, org);
  for (const [id, { method }] of operations) {
    if (method !== 'GET' && !PLATFORM_ONLY.has(id) && id !== 'revokeTokens')
      await testTenant.send(await testTenant.scenario(id));
  }
  const client_id = await testTenant.reference('Client');
  const user = await calls.create('/api/v1/users', { email: 'ines@acme.example', name: 'Inês' });
  const service = await calls.create('/api/v1/services', { client_id, name: 'Gone', type: 'web' });
  const common = { client_id, source: 'email', description: 'Silent.' };
  const metadata = { exact: 1, text: user.id };
  const ticket = await calls.create('/api/v1/tickets', {
    ...{ ...common, subject: 'No receipts', status: 'closed', tags: ['till'], assigned_to: user.id },
    ...{ contact_id: org.integrationId, service_id: service.id, custom_fields: metadata },
  });
  const message = { author_type: 'agent', author_id: user.id, message: 'Have you tried …' };
  for (const each of [1, 2])
    await calls.create(`/api/v1/tickets/${ticket.id}/messages`, { ...message, message: `${each}` });
  await calls.create('/api/v1/service-actions', { service_id: service.id, action_type: 'restart' });
  await calls.ask('DELETE', `/api/v1/services/${service.id}`);
  await resources(client_id);
  await calls.create('/api/v1/clients', { name: 'Deepest', metadata: nested(255) });
  exported = await linesOf(org);
});

const nested = (levels: number): JsonBody => (levels === 1 ? {} : { a: nested(levels - 1) });

/** Resources whose usage and health follow from their samples in all ways that there are. */
async function resources(client_id: string): Promise<void> {
  const create = (more: JsonBody) => calls.create('/api/v1/resources', { client_id, name: 'db', type: 'vm', ...more });
  const sample = (id: string, more: JsonBody) =>
    calls.create(`/api/v1/resources/${id}/history`, { cpu_usage: 1, memory_usage: 2, storage_usage: 3, ...more });
  const change = (id: string, body: JsonBody) => calls.ask('PATCH', `/api/v1/resources/${id}`, body);
  await create({ last_health_check: '2026-01-01T00:00:00.000Z' });
  await create({ cpu_usage: 91, health_status: 'degraded' });
  const late = await create({});
  await sample(late.id, { timestamp: '2026-02-02T00:00:00.000Z', cpu_usage: 95 });
  await sample(late.id, { timestamp: '2026-02-01T00:00:00.000Z', health_status: 'down' });
  const changed = await create({ cpu_usage: 50, last_health_check: '2026-01-01T00:00:00.000Z' });
  await change(changed.id, { last_health_check: '2026-03-01T00:00:00.000Z' });
  await sample(changed.id, { timestamp: '2026-02-01T00:00:00.000Z', cpu_usage: 99 });
  await change(changed.id, { cpu_usage: null });
}

describe('an export', () => {
  it('imported into another organization is equal, but for what the report names', async () => {
    const other = await api.orgToken('Other');
    const { progress, results, checked } = await imported(api, exported, other);
    const failed = results.filter(({ status }) => typeof status !== 'number' || status >= 300);
    // An action of a deleted service says where it happened, and that is nowhere now.
    expect(failed.map(({ type, problem }) => [type, (problem as { detail: string }).detail])).toEqual([
      ['ServiceAction', '#/service_id: the file does not have the record that it refers to.'],
    ]);
    expect(checked.deleted).toEqual({ 'ServiceAction.service_id': 1, 'Ticket.service_id': expect.any(Number) });
    const lines = exported.map((line, index) => ({ ...line, line: index + 1 }));
    const ids = new Map(
      results.flatMap(({ line, id, part }) => {
        const record = lines[line - 1]?.record;
        return id === undefined || part !== undefined || typeof record?.id !== 'string'
          ? []
          : [[record.id, id] as const];
      }),
    );
    expect(new Set(ids.values()).size).toBe(ids.size);
    const service = exported.filter(({ type }) => type === 'Service').map(({ record }) => record.id);
    const expected = lines
      .filter(({ line, type }) => IMPORTED.has(type) && !failed.some((each) => each.line === line))
      .map(({ type, record }) => {
        const mapped = JSON.parse(JSON.stringify(record), function (this: JsonBody, key: string, value: unknown) {
          if (key === 'text') return value;
          return typeof value === 'string' ? (ids.get(value) ?? value) : value;
        }) as JsonBody;
        const isGone = type === 'Ticket' && record.service_id !== null && !service.includes(record.service_id);
        return comparable({
          type,
          record: {
            ...mapped,
            ...(isGone && { service_id: null }),
            ...('credentials' in mapped && { credentials: null }),
          },
        });
      });
    const found = (await linesOf(other)).filter(({ type }) => IMPORTED.has(type)).map(comparable);
    const sorted = (records: readonly object[]) => records.map((each) => JSON.stringify(each)).sort();
    expect(sorted(found)).toEqual(sorted(expected));
    expect(progress.created).toBe(expected.length);
    expect(checked.leftOut).toMatchObject({
      Organization: 1,
      Integration: expect.any(Number),
      AuditEvent: expect.any(Number),
    });
  });

  it('imported in two runs is that of one', async () => {
    const other = await api.orgToken('Twice');
    const file = join(await freshDirectory(), 'acme.ndjson');
    const first = await imported(api, exported, other, { file });
    const before = await linesOf(other);
    const second = await imported(api, exported, other, { file });
    expect(second.progress).toEqual({ before: first.progress.created, created: 0, updated: 0, failed: 1 });
    expect(await linesOf(other)).toEqual(before);
  });

  it('of what is for a part of an organization is never imported as for all of it', async () => {
    const [from, into] = [await api.orgToken('Parts'), await api.orgToken('Whole')];
    const { create, ask } = callsOf(api, from.token);
    const [one, other] = [
      await create('/api/v1/clients', { name: 'A' }),
      await create('/api/v1/clients', { name: 'B' }),
    ];
    const service = await create('/api/v1/services', { client_id: one.id, name: 'Gone', type: 'web' });
    const times = { from: '2026-01-01T00:00:00.000Z', to: '9999-01-01T00:00:00.000Z' };
    for (const named of [{}, { service_id: service.id }, { client_id: one.id, service_id: service.id }])
      await create('/api/v1/maintenance-windows', { ...times, ...named });
    const { id: user_id } = await create('/api/v1/users', { email: 'ines@acme.example' });
    for (const client_id of [null, one.id, other.id]) await create('/api/v1/users/memberships', { user_id, client_id });
    expect((await ask('DELETE', `/api/v1/services/${service.id}`)).status).toBe(204);
    // As who takes out a client before the import.
    const lines = (await linesOf(from)).filter(({ record }) => record.id !== other.id);
    const { results } = await imported(api, lines, into);
    expect(results.filter(({ status }) => status !== 201)).toEqual(
      ['Membership', 'MaintenanceWindow'].map((type) => expect.objectContaining({ type, status: 'not-sent' })),
    );
    const found = (type: string) => linesOf(into).then((all) => all.filter((line) => line.type === type));
    expect([(await found('Membership')).length, (await found('MaintenanceWindow')).length]).toEqual([2, 2]);
  });
});
