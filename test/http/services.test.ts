import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { dumpOf } from '../support/table-dump.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf, later, NOWHERE, pointersOf, type Responded, withoutRequestId } from './api-driver.ts';

const api = useApi();

const mine = prepared(async () => apiDriverOf(api, (await api.orgToken()).token));
let client: Responded;
beforeEach(async () => {
  client = await mine.client();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the next bill of a service', () => {
  it.each([
    ['2026-12-01', '2026-12-01'],
    ['2026-12-01T00:30:00+01:00', '2026-11-30T23:30:00.000Z'],
    [null, null],
  ])('%j is %j', async (next_billing_date, returned) => {
    const service = await mine.service({ client_id: client.id, next_billing_date });
    expect(service.next_billing_date).toBe(returned);
    const again = await mine.patch(`/services/${service.id}`, { next_billing_date: service.next_billing_date });
    expect([again.status, again.body.next_billing_date]).toEqual([200, returned]);
  });
});

describe('a change of a service', () => {
  it('with a health is a health check, even when the health stays', async () => {
    const service = await mine.service({ client_id: client.id });
    for (const health_status of ['healthy', 'degraded', 'healthy']) {
      const now = later(5);
      const { body } = await mine.patch(`/services/${service.id}`, { health_status });
      expect(body.health_status).toBe(health_status);
      expect(String(body.last_health_check) >= now).toBe(true);
    }
    const last = (await mine.get(`/services/${service.id}`)).body.last_health_check;
    later(5);
    expect((await mine.patch(`/services/${service.id}`, { name: 'Other' })).body.last_health_check).toBe(last);
  });

  it('may name when its health was checked', async () => {
    const last_health_check = '2026-01-02T03:04:05.000Z';
    const { id } = await mine.service({ client_id: client.id, last_health_check });
    expect((await mine.get(`/services/${id}`)).body.last_health_check).toBe(last_health_check);
    const checked = '2026-01-03T00:00:00.000Z';
    const { body } = await mine.patch(`/services/${id}`, { health_status: 'degraded', last_health_check: checked });
    expect(body).toMatchObject({ health_status: 'degraded', last_health_check: checked });
    const ahead = await mine.patch(`/services/${id}`, { last_health_check: '2999-01-01T00:00:00Z' });
    expect([ahead.status, pointersOf(ahead)]).toEqual([422, ['#/last_health_check']]);
    expect((await mine.patch(`/services/${id}`, { last_health_check: null })).body.last_health_check).toBe(null);
  });

  it('loses nothing when many come at once, and lets one through with If-Match', async () => {
    const { id } = await mine.service({ client_id: client.id });
    const path = `/services/${id}`;
    const fields = ['description', 'version', 'plan', 'billing_cycle'];
    await Promise.all(fields.map((field) => mine.patch(path, { [field]: field })));
    const { body, headers } = await mine.get(path);
    expect(fields.map((field) => body[field])).toEqual(fields);
    const conditional = { headers: { 'if-match': headers.get('etag') ?? '' } };
    const responses = await Promise.all(['a', 'b', 'c'].map((plan) => mine.patch(path, { plan }, conditional)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
  });
});

describe('deleting a service', () => {
  it('leaves nothing that names it, though resources did', async () => {
    const { id } = await mine.service({ client_id: client.id });
    const { id: resource } = await mine.resource({ client_id: client.id, service_id: id });
    const namingIt = async () =>
      (await dumpOf(api.table)).filter(
        (item) => JSON.stringify(item).includes(id) && !/#(?:AUDIT_)?EVENT(?:#|$)/.test(item.PK?.S ?? ''),
      );
    expect(await namingIt()).not.toEqual([]);
    await mine.remove(`/resources/${resource}`);
    expect((await mine.remove(`/services/${id}`)).status).toBe(204);
    for (const each of [id, resource]) expect((await mine.remove(`/trash/${each}`)).status).toBe(204);
    // Its tombstone, for a day.
    expect((await namingIt()).map(({ PK, TOMBSTONE }) => [PK?.S?.endsWith('#SERVICE'), TOMBSTONE?.BOOL])).toEqual([
      [true, true],
    ]);
  });

  it('is refused while resources belong to it, and says how many', async () => {
    const { id } = await mine.service({ client_id: client.id });
    const resources = [];
    for (let i = 0; i < 2; i++) resources.push(await mine.resource({ client_id: client.id, service_id: id }));
    const refused = await mine.remove(`/services/${id}`);
    expect(refused.status).toBe(409);
    expect(refused.body.type).toMatch(/still-in-use$/);
    expect(refused.body.detail).toMatch(/^2 resources/);
    await mine.patch(`/resources/${resources[0]?.id}`, { service_id: null });
    expect((await mine.remove(`/services/${id}`)).body.detail).toMatch(/^A resource/);
    await mine.remove(`/resources/${resources[1]?.id}`);
    expect((await mine.remove(`/services/${id}`)).status).toBe(204);
  });

  it('and a resource that joins it never both happen', async () => {
    for (let round = 0; round < 8; round++) {
      const { id } = await mine.service({ client_id: client.id });
      const [joined, removed] = await Promise.all([
        mine.post('/resources', { client_id: client.id, service_id: id, name: 'r', type: 'vm' }),
        mine.remove(`/services/${id}`),
      ]);
      expect([
        [201, 409],
        [422, 204],
      ]).toContainEqual([joined.status, removed.status]);
    }
  });
});

describe('a service', () => {
  it('is read below its own client only', async () => {
    const { id } = await mine.service({ client_id: client.id });
    const read = await mine.get(`/services/client/${client.id}/${id}`);
    expect([read.status, read.body.id]).toEqual([200, id]);
    const other = await mine.client();
    const elsewhere = await mine.get(`/services/client/${other.id}/${id}`);
    expect(elsewhere.status).toBe(404);
    expect(withoutRequestId(elsewhere)).toEqual(
      withoutRequestId(await mine.get(`/services/client/${client.id}/${NOWHERE}`)),
    );
    expect((await mine.get(`/services/client/x/${id}`)).status).toBe(400);
  });
});

describe('service actions', () => {
  it('outlive their service, as history', async () => {
    const service = await mine.service({ client_id: client.id });
    const { id } = await mine.create('/service-actions', { service_id: service.id, action_type: 'retire' });
    expect((await mine.remove(`/services/${service.id}`)).status).toBe(204);
    expect((await mine.get(`/service-actions/${id}`)).body.service_id).toBe(service.id);
    expect((await mine.list(`/service-actions?service_id=${service.id}`)).ids).toEqual([id]);
    const late = await mine.post('/service-actions', { service_id: service.id, action_type: 'restart' });
    expect([late.status, pointersOf(late)]).toEqual([422, ['#/service_id']]);
  });
});
