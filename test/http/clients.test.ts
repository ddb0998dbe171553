import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';
import { type ApiDriver, apiDriverOf, type Responded } from './api-driver.ts';

const api = useApi();

const org = prepared(() => api.orgToken());
let mine: ApiDriver;
beforeAll(async () => {
  mine = apiDriverOf(api, org.token);
});
afterEach(() => {
  vi.useRealTimers();
});

const actionsOf = async (id: string) => (await mine.get(`/clients/${id}/actions`)).body.data as Responded[];

describe('a change of a client', () => {
  it('takes no slug of another, leaves no action then, and frees the slug that it gives up', async () => {
    const [first, other] = [await mine.client({ slug: 'only' }), await mine.client({ slug: 'other' })];
    const take = async () => (await mine.patch(`/clients/${other.id}`, { slug: 'only' })).status;
    expect([await take(), (await actionsOf(other.id)).length]).toEqual([409, 1]);
    await mine.patch(`/clients/${first.id}`, { slug: null });
    expect(await take()).toBe(200);
  });

  it('happens only to the version that If-Match names; counters moving are no new version', async () => {
    const { id } = await mine.client();
    const path = `/clients/${id}`;
    const tag = (await mine.get(path)).headers.get('etag') ?? '';
    expect((await mine.get(path, { headers: { 'if-none-match': tag } })).status).toBe(304);
    await mine.service({ client_id: id, health_status: 'degraded' });
    const now = await mine.get(path, { headers: { 'if-none-match': tag } });
    expect([now.status, now.body.has_risks]).toEqual([200, true]);
    const conditional = { headers: { 'if-match': tag } };
    expect((await mine.patch(path, { plan: 'gold' }, conditional)).status).toBe(200);
    expect((await mine.patch(path, { plan: 'silver' }, conditional)).status).toBe(412);
    expect((await mine.get(path)).body.plan).toBe('gold');
    expect(await actionsOf(id)).toHaveLength(2);
  });
});

describe('the actions of a client', () => {
  it('say who did what, when, with what result, newest first', async () => {
    const { id } = await mine.client({ plan: 'basic' });
    const started = new Date().toISOString();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    for (const _ of ['changes', 'changes nothing'])
      await mine.patch(`/clients/${id}`, { plan: 'gold', status: 'inactive' });
    const [updated, made, ...more] = await actionsOf(id);
    expect(more).toEqual([]);
    expect(made).toMatchObject({
      type: 'created',
      client_id: id,
      details: { fields: { name: 'Acme', plan: 'basic' } },
    });
    expect(updated).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'updated',
      client_id: id,
      performed_by: org.integrationId,
      performed_at: expect.any(String),
      details: { changes: { plan: { from: 'basic', to: 'gold' }, status: { from: 'active', to: 'inactive' } } },
      result: 'success',
    });
    expect(String(updated?.performed_at) > started).toBe(true);
  });

  it('go on behind the one that was seen last', async () => {
    const { id } = await mine.client();
    await mine.patch(`/clients/${id}`, { plan: 'a' });
    const [newest, oldest] = await actionsOf(id);
    const { body } = await mine.get(`/clients/${id}/actions?after=${newest?.id}`);
    expect((body.data as Responded[]).map((action) => action.id)).toEqual([oldest?.id]);
    expect((await mine.get(`/clients/${id}/actions?page=2`)).status).toBe(400);
  });
});

describe('the derived fields of a client', () => {
  let id: string;
  const derived = async () => {
    const { services_count, total_resources, has_risks } = (await mine.get(`/clients/${id}`)).body;
    return [services_count, total_resources, has_risks];
  };
  beforeEach(async () => {
    id = (await mine.client()).id;
  });

  it('count services and resources as they come and go', async () => {
    const service = await mine.service({ client_id: id });
    const resource = await mine.resource({ client_id: id, service_id: service.id });
    await mine.resource({ client_id: id });
    expect(await derived()).toEqual([1, 2, false]);
    await mine.remove(`/resources/${resource.id}`);
    await mine.remove(`/services/${service.id}`);
    expect(await derived()).toEqual([0, 1, false]);
  });

  it('see the health of a service', async () => {
    const { id: service } = await mine.service({ client_id: id, health_status: 'degraded' });
    expect(await derived()).toEqual([1, 0, true]);
    await mine.patch(`/services/${service}`, { health_status: 'healthy' });
    expect(await derived()).toEqual([1, 0, false]);
    await mine.patch(`/services/${service}`, { health_status: 'down' });
    await mine.patch(`/services/${service}`, { health_status: 'degraded' });
    await mine.remove(`/services/${service}`);
    expect(await derived()).toEqual([0, 0, false]);
  });

  it('see a resource above its threshold, with alerts on', async () => {
    const { id: resource } = await mine.resource({ client_id: id, cpu_usage: 80 });
    const steps: [object, boolean][] = [
      [{ cpu_usage: 80.1 }, true],
      [{ usage_alerts_enabled: false }, false],
      [{ usage_alerts_enabled: true, alert_threshold: 90 }, false],
      [{ storage_usage: 91 }, true],
      [{ storage_usage: null }, false],
      [{ health_status: 'degraded' }, true],
      [{ memory_usage: 95 }, true],
      [{ health_status: 'healthy' }, true],
      [{ alert_threshold: 95 }, false],
    ];
    for (const [changes, risk] of steps) {
      await mine.patch(`/resources/${resource}`, changes);
      expect([changes, ...(await derived())]).toEqual([changes, 0, 1, risk]);
    }
    await mine.post(`/resources/${resource}/history`, { cpu_usage: 1, memory_usage: 1, storage_usage: 99 });
    expect(await derived()).toEqual([0, 1, true]);
    await mine.remove(`/resources/${resource}`);
    expect(await derived()).toEqual([0, 0, false]);
  });
});

describe('a platform caller', () => {
  it('follows the Location of what it created, and names the organization by the record it sends back', async () => {
    const token = await api.platformToken();
    const { orgId } = await api.orgToken();
    const created = await api.request('POST', '/api/v1/clients', {
      token,
      body: { org_id: orgId, name: 'By platform' },
    });
    const location = created.headers.get('location') ?? '';
    expect((await api.request('GET', location, { token })).body).toEqual(created.body);
    const path = `/api/v1/clients/${created.body.id}`;
    const change = { token, body: { ...created.body, name: 'Sent back' } };
    expect((await api.request('PATCH', path, change)).body).toEqual({ ...created.body, name: 'Sent back' });
  });
});
