import { describe, expect, it } from 'vitest';
import { environmentTable, JournalReader } from '#table';
import { kinds } from '../../functions/events/kinds.static.ts';
import { prepared } from '../support/prepared.ts';
import { operations, TestTenant } from '../support/scenario.ts';
import { openTenant } from '../support/storage.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf } from './api-driver.ts';

/** Which requests leave an event in the journal, and which. */

const api = useApi();
const org = prepared(() => api.orgToken());

const eventsOf = async (orgId: string) =>
  (await new JournalReader(openTenant(environmentTable(), orgId)).read({ from: 'oldest', limit: 1_000 })).events;

/** The events that something leaves. */
async function leftBy(work: () => Promise<unknown>) {
  const before = await eventsOf(org.orgId);
  await work();
  return (await eventsOf(org.orgId)).slice(before.length);
}
const typesLeftBy = async (work: () => Promise<unknown>) => (await leftBy(work)).map(({ type }) => type);

const types: readonly string[] = kinds.flatMap((kind) => kind.types);

describe('the types of events', () => {
  it('are those of webhook events with the same effect', () => {
    const received = operations.flatMap(([, { event }]) => (event === undefined ? [] : [event.type]));
    const alike = received.filter((type) => /\.(created|updated|deleted|restored)$/.test(type));
    expect(alike.length).toBeGreaterThan(15);
    expect(alike.filter((type) => !types.includes(type))).toEqual([]);
    expect(types.filter((type) => !alike.some((other) => other === type))).toEqual([
      'attachment.created',
      'attachment.updated',
      'attachment.deleted',
      'integration.created',
      'integration.updated',
      'resource.moved',
      'service.moved',
      'service_action.updated',
      'terminal.moved',
      'webhook_endpoint.created',
      'webhook_endpoint.updated',
      'webhook_endpoint.deleted',
      'webhook_endpoint.pinged',
      'organization.created',
      'organization.updated',
    ]);
  });

  it('need the permission to read the record', () => {
    const named = kinds.map(({ recordType, permission }) => [recordType, permission]);
    expect(named).toContainEqual(['TicketMessage', 'tickets:read']);
    expect(named).toContainEqual(['Organization', 'orgs:read']);
    expect(kinds.map(({ permission }) => permission.endsWith(':read'))).not.toContain(false);
  });
});

describe('a request', () => {
  const changing = operations.flatMap(([operationId, { event }]) =>
    event !== undefined && types.includes(event.type) ? [[operationId, event.type] as const] : [],
  );

  it('that changes a record leaves one event of it, with who and which request', async () => {
    const tenant = new TestTenant(api, org);
    expect(changing.length).toBeGreaterThan(15);
    for (const [operationId, type] of changing) {
      const scenario = await tenant.scenario(operationId);
      const response = { id: '', request: '' };
      const left = await leftBy(async () => {
        const { status, body, headers } = await tenant.send(scenario);
        expect([operationId, status < 300]).toEqual([operationId, true]);
        response.id = String((body as { id?: unknown } | undefined)?.id ?? scenario.path.split('/').at(-1));
        response.request = headers.get('x-request-id') ?? '';
      });
      expect(left, operationId).toMatchObject([
        { type, record_id: response.id, request_id: response.request, actor_id: org.integrationId },
      ]);
    }
  });

  it('that changes nothing, is refused or only reads leaves no event', async () => {
    const mine = apiDriverOf(api, org.token);
    const { id } = await mine.client({ slug: 'first' });
    const tenant = new TestTenant(api, org);
    const work = async () => {
      await mine.patch(`/clients/${id}`, { name: 'Acme' });
      expect((await mine.post('/clients', { name: 'Acme', slug: 'first' })).status).toBe(409);
      expect((await tenant.send(await tenant.scenario('ingestLog'))).status).toBe(201);
      await mine.get('/clients');
    };
    expect(await typesLeftBy(work)).toEqual([]);
  });

  it('with a report leaves one where the resource crosses its threshold, or its health changes', async () => {
    const mine = apiDriverOf(api, org.token);
    const client = await mine.client();
    const { id } = await mine.resource({ client_id: client.id, alert_threshold: 80, usage_alerts_enabled: true });
    const report =
      (cpu_usage: number, more: object = {}) =>
      () =>
        mine.post(`/resources/${id}/history`, { cpu_usage, memory_usage: 1, storage_usage: 1, ...more });
    expect(await typesLeftBy(report(50))).toEqual([]);
    expect(await leftBy(report(90))).toMatchObject([{ type: 'resource.updated', record_id: id }]);
    expect(await typesLeftBy(report(95))).toEqual([]);
    expect(await typesLeftBy(report(95, { health_status: 'degraded' }))).toEqual(['resource.updated']);
    expect(await typesLeftBy(report(10, { health_status: 'degraded' }))).toEqual(['resource.updated']);
    expect(await typesLeftBy(() => mine.patch(`/resources/${id}`, { cpu_usage: 11 }))).toEqual([]);
    expect(await leftBy(() => mine.patch(`/resources/${id}`, { cpu_usage: 12, name: 'Web' }))).toMatchObject([
      { changed_fields: ['cpu_usage', 'last_health_check', 'name', 'updated_at'] },
    ]);
  });

  it('of the platform leaves its event in the journal of the organization that it changes', async () => {
    const token = await api.platformToken();
    const { status, body } = await api.request('POST', '/api/v1/orgs', { token, body: { name: 'Made' } });
    expect(status).toBe(201);
    await api.request('PATCH', `/api/v1/orgs/${body.id}`, { token, body: { name: 'Renamed' } });
    expect(
      (await eventsOf(String(body.id))).map(({ type, version, changed_fields }) => [type, version, changed_fields]),
    ).toEqual([
      ['organization.created', 1, null],
      ['organization.updated', 2, ['name']],
    ]);
  });
});
