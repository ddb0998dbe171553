import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
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
