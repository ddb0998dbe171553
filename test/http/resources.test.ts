import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf, later, pointersOf, type Responded } from './api-driver.ts';

const api = useApi();

const mine = prepared(async () => apiDriverOf(api, (await api.orgToken()).token));
let client: Responded;
beforeEach(async () => {
  client = await mine.client();
});
afterEach(() => {
  vi.useRealTimers();
});

const USAGE = { cpu_usage: 10, memory_usage: 20, storage_usage: 30 };

const historyOf = async (id: string) => {
  const { body } = await mine.get(`/resources/${id}/history`);
  return body.data as Record<string, unknown>[];
};

describe('the address of a resource', () => {
  it.each([
    ['2001:DB8:0:0:0:0:0:1', ['2001:db8::1', '2001:db8:0::0:1', '2001:DB8:0:0:0:0:0:1', '2001:db8:0:0']],
    ['2001:db8::2', ['2001:0db8:0000:0000:0000:0000:0000:0002', '2001:db8::2']],
    ['::ffff:198.51.100.7', ['198.51.100.7', '::ffff:c633:6407', '::FFFF:198.51.100.7']],
    ['198.51.100.8', ['::ffff:198.51.100.8', '198.51.100.8']],
  ])('%s stays as it is written, and is found by %j', async (ip_address, spellings) => {
    const { id, ip_address: shown } = await mine.resource({ client_id: client.id, ip_address });
    expect(shown).toBe(ip_address);
    for (const q of spellings) {
      const { body } = await mine.get(`/resources?${new URLSearchParams({ q, client_id: client.id })}`);
      expect(
        (body.data as { id: string }[]).map((found) => found.id),
        q,
      ).toEqual([id]);
    }
  });
});

describe('a new resource', () => {
  it('begins its history with the usage it came with, if it came with any', async () => {
    const state = { cpu_usage: 0, memory_usage: 100, storage_usage: 33.333333333333336, health_status: 'degraded' };
    const { id, created_at } = await mine.resource({ client_id: client.id, ...state });
    expect(await historyOf(id)).toEqual([{ id: 1, resource_id: id, timestamp: created_at, ...state }]);
    expect(await historyOf((await mine.resource({ client_id: client.id })).id)).toEqual([]);
  });

  it('runs a service of its own client, or none', async () => {
    const other = await mine.service({ client_id: (await mine.client()).id });
    const refused = await mine.post('/resources', {
      client_id: client.id,
      name: 'R',
      type: 'vm',
      service_id: other.id,
    });
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['#/service_id']]);
    expect((await mine.get(`/clients/${client.id}`)).body.total_resources).toBe(0);
  });
});

describe('a change of a resource', () => {
  it('moves it from service to service of its client only', async () => {
    const [one, other] = [await mine.service({ client_id: client.id }), await mine.service({ client_id: client.id })];
    const elsewhere = await mine.service({ client_id: (await mine.client()).id });
    const { id } = await mine.resource({ client_id: client.id, service_id: one.id });
    const refused = await mine.patch(`/resources/${id}`, { service_id: elsewhere.id });
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['#/service_id']]);
    expect((await mine.patch(`/resources/${id}`, { service_id: other.id })).body.service_id).toBe(other.id);
    expect((await mine.remove(`/services/${one.id}`)).status).toBe(204);
    expect((await mine.remove(`/services/${other.id}`)).status).toBe(409);
    expect((await mine.list(`/resources?service_id=${other.id}`)).ids).toEqual([id]);
    expect((await mine.patch(`/resources/${id}`, { service_id: null })).body.service_id).toBe(null);
    expect((await mine.remove(`/services/${other.id}`)).status).toBe(204);
  });

  it('of usage or health is a report, and leaves a sample, with 0 for a usage not yet reported', async () => {
    const { id } = await mine.resource({ client_id: client.id });
    const steps = [
      { fields: { health_status: 'degraded' }, samples: 1, isReport: true },
      { fields: { cpu_usage: 10, memory_usage: 20 }, samples: 2, isReport: true },
      { fields: { storage_usage: 30 }, samples: 3, isReport: true },
      { fields: { storage_usage: 30 }, samples: 4, isReport: true },
      { fields: { health_status: 'healthy', name: 'x' }, samples: 5, isReport: true },
      { fields: { name: 'y', alert_threshold: 5 }, samples: 5, isReport: false },
      { fields: { cpu_usage: null }, samples: 5, isReport: false },
      { fields: { cpu_usage: null, memory_usage: 50 }, samples: 6, isReport: true },
    ];
    for (const { fields, samples, isReport } of steps) {
      const now = later(5);
      const { body } = await mine.patch(`/resources/${id}`, fields);
      expect(body).toMatchObject(fields);
      expect(String(body.last_health_check) >= now).toBe(isReport);
      expect(await historyOf(id)).toHaveLength(samples);
    }
    expect(await historyOf(id)).toMatchObject([
      { id: 6, cpu_usage: 0, memory_usage: 50, storage_usage: 30, health_status: 'healthy' },
      { id: 5, ...USAGE, health_status: 'healthy' },
      { id: 4, ...USAGE, health_status: 'degraded' },
      { id: 3, ...USAGE, health_status: 'degraded' },
      { id: 2, cpu_usage: 10, memory_usage: 20, storage_usage: 0, health_status: 'degraded' },
      { id: 1, cpu_usage: 0, memory_usage: 0, storage_usage: 0, health_status: 'degraded' },
    ]);
  });

  it('that changes nothing leaves version and times alone', async () => {
    const { id } = await mine.resource({ client_id: client.id, ...USAGE });
    const before = await mine.get(`/resources/${id}`);
    later(5);
    const after = await mine.patch(`/resources/${id}`, before.body);
    expect([after.status, after.body]).toEqual([200, before.body]);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
    expect(await historyOf(id)).toHaveLength(1);
  });

  it('may name when its health was checked, which is then the time of its sample', async () => {
    const { id } = await mine.resource({ client_id: client.id, last_health_check: '2026-01-02T03:04:05+01:00' });
    const first = '2026-01-02T02:04:05.000Z';
    expect((await mine.get(`/resources/${id}`)).body.last_health_check).toBe(first);
    expect(await historyOf(id)).toEqual([]);
    const next = '2026-01-03T00:00:00.000Z';
    const { body } = await mine.patch(`/resources/${id}`, { cpu_usage: 50, last_health_check: next });
    expect(body).toMatchObject({ cpu_usage: 50, last_health_check: next });
    expect(await historyOf(id)).toMatchObject([{ cpu_usage: 50, timestamp: next }]);
    const ahead = await mine.patch(`/resources/${id}`, { last_health_check: '2999-01-01T00:00:00Z' });
    expect([ahead.status, pointersOf(ahead)]).toEqual([422, ['#/last_health_check']]);
    expect((await mine.patch(`/resources/${id}`, { last_health_check: null })).body.last_health_check).toBe(null);
    expect(await historyOf(id)).toHaveLength(1);
  });
});

describe('a reported sample', () => {
  it('is numbered, stored, and becomes the state of the resource', async () => {
    const { id } = await mine.resource({ client_id: client.id });
    const first = await mine.post(`/resources/${id}/history`, USAGE);
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      id: 1,
      resource_id: id,
      timestamp: first.body.timestamp,
      ...USAGE,
      health_status: 'healthy',
    });
    const { body: resource } = await mine.get(`/resources/${id}`);
    expect(resource).toMatchObject({ ...USAGE, health_status: 'healthy', last_health_check: first.body.timestamp });

    const now = later(5);
    const second = await mine.post(`/resources/${id}/history`, { ...USAGE, cpu_usage: 99, health_status: 'degraded' });
    expect(second.body).toMatchObject({ id: 2, cpu_usage: 99, health_status: 'degraded' });
    const { body: changed } = await mine.get(`/resources/${id}`);
    expect(changed).toMatchObject({
      cpu_usage: 99,
      health_status: 'degraded',
      last_health_check: second.body.timestamp,
    });
    expect(String(changed.updated_at) >= now).toBe(true);
    expect((await mine.list(`/resources?client_id=${client.id}&health_status=degraded`)).ids).toEqual([id]);
  });

  it('older than the last check is stored and changes nothing else', async () => {
    const { id } = await mine.resource({ client_id: client.id });
    await mine.post(`/resources/${id}/history`, USAGE);
    const before = await mine.get(`/resources/${id}`);
    const old = { cpu_usage: 90, memory_usage: 90, storage_usage: 90, health_status: 'down' };
    const stored = await mine.post(`/resources/${id}/history`, { ...old, timestamp: '2020-01-01T01:00:00+01:00' });
    expect(stored.body).toMatchObject({ id: 2, ...old, timestamp: '2020-01-01T00:00:00.000Z' });
    const after = await mine.get(`/resources/${id}`);
    expect([after.body, after.headers.get('etag')]).toEqual([before.body, before.headers.get('etag')]);
    expect(await historyOf(id)).toHaveLength(2);
    expect((await mine.get(`/clients/${client.id}`)).body.has_risks).toBe(false);
  });

  it('may be a little ahead of our clock, but not in the future', async () => {
    const { id } = await mine.resource({ client_id: client.id });
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
    const ahead = inMinutes(4);
    const { body } = await mine.post(`/resources/${id}/history`, { ...USAGE, timestamp: ahead });
    expect(body.timestamp).toBe(ahead);
    const resource = (await mine.get(`/resources/${id}`)).body;
    expect(String(resource.last_health_check) < ahead).toBe(true);
    await mine.post(`/resources/${id}/history`, { ...USAGE, cpu_usage: 11 });
    expect((await mine.get(`/resources/${id}`)).body.cpu_usage).toBe(11);
    const refused = await mine.post(`/resources/${id}/history`, { ...USAGE, timestamp: inMinutes(6) });
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['#/timestamp']]);
  });

  it('is kept even when sixteen come at once', async () => {
    const { id } = await mine.resource({ client_id: client.id });
    const report = (cpu_usage: number) => mine.post(`/resources/${id}/history`, { ...USAGE, cpu_usage });
    const responses = await Promise.all(Array.from({ length: 16 }, (_, index) => report(index)));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
    const { body } = await mine.get(`/resources/${id}/history?page_size=10&page=2&sort=created_at`);
    expect(body.total).toBe(16);
    expect((body.data as Responded[]).map((sample) => sample.id)).toEqual([11, 12, 13, 14, 15, 16]);
  });
});

describe('a resource over its threshold', () => {
  it('stays healthy while its client is at risk, and both are found', async () => {
    const { id } = await mine.resource({ client_id: client.id });
    await mine.post(`/resources/${id}/history`, { ...USAGE, cpu_usage: 81 });
    const { body: resource } = await mine.get(`/resources/${id}`);
    expect(resource).toMatchObject({ health_status: 'healthy', cpu_usage: 81, alert_threshold: 80 });
    expect(resource).not.toHaveProperty('over_threshold');
    expect((await mine.get(`/clients/${client.id}`)).body.has_risks).toBe(true);
    const over = `/resources?client_id=${client.id}&over_threshold`;
    expect(await mine.list(`${over}=true&health_status=healthy`)).toEqual({ ids: [id], total: 1 });
    expect((await mine.list('/clients?has_risks=true')).ids).toContain(client.id);
    for (const [change, isOver] of [
      [{ alert_threshold: 81 }, false],
      [{ alert_threshold: 80.5 }, true],
      [{ usage_alerts_enabled: false }, false],
      [{ usage_alerts_enabled: true, cpu_usage: null }, false],
      [{ memory_usage: 100 }, true],
    ] as const) {
      expect((await mine.patch(`/resources/${id}`, change)).status).toBe(200);
      expect((await mine.list(`${over}=${isOver}`)).ids).toEqual([id]);
      expect((await mine.list(`${over}=${!isOver}`)).total).toBe(0);
      expect((await mine.list(`/clients?has_risks=${isOver}`)).ids).toContain(client.id);
    }
    await mine.remove(`/resources/${id}`);
    expect((await mine.list(`${over}=true`)).total).toBe(0);
    expect((await mine.list('/clients?has_risks=true')).ids).not.toContain(client.id);
  });

  it('is filtered by true and false only', async () => {
    for (const path of ['/resources?over_threshold=', '/clients?has_risks=']) {
      const refused = await mine.get(`${path}yes`);
      expect([refused.status, pointersOf(refused)]).toEqual([400, [`#/${path.slice(path.indexOf('?') + 1, -1)}`]]);
    }
  });
});

describe('a deleted resource', () => {
  it('takes its history along', async () => {
    const { id } = await mine.resource({ client_id: client.id });
    for (let i = 0; i < 3; i++) await mine.post(`/resources/${id}/history`, USAGE);
    const gone = await mine.remove(`/resources/${id}`);
    expect([gone.status, gone.body]).toEqual([204, '']);
    const afterwards = await Promise.all([
      mine.get(`/resources/${id}`),
      mine.get(`/resources/${id}/history`),
      mine.post(`/resources/${id}/history`, USAGE),
      mine.patch(`/resources/${id}`, { name: 'x' }),
      mine.remove(`/resources/${id}`),
    ]);
    expect(afterwards.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(await mine.list(`/resources?client_id=${client.id}`)).toEqual({ ids: [], total: 0 });
  });
});
