import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Api, type OrgAccess, startApi } from '../support/api.ts';
import { type Answered, type ApiDriver, apiDriverOf, NOWHERE, pointersOf, withoutRequestId } from './api-driver.ts';

let api: Api;
let org: OrgAccess;
let mine: ApiDriver;
let theirs: ApiDriver;

beforeAll(async () => {
  api = await startApi();
  org = await api.orgToken();
  mine = apiDriverOf(api, org.token);
  theirs = apiDriverOf(api, (await api.orgToken()).token);
});
afterAll(() => api.close());
afterEach(() => {
  vi.useRealTimers();
});

const actionsOf = async (id: string) => (await mine.get(`/clients/${id}/actions`)).body.data as Answered[];

const BARE = {
  slug: null,
  timezone: 'Europe/Lisbon',
  status: 'active',
  metadata: null,
  email: null,
  phone: null,
  plan: null,
  total_resources: 0,
  services_count: 0,
  last_contact: null,
  has_risks: false,
};

const FULL = {
  name: 'Acme Lda',
  slug: 'acme',
  timezone: 'America/Sao_Paulo',
  status: 'inactive',
  email: 'ops@acme.example',
  phone: 351210000000,
  plan: 'premium',
  metadata: JSON.parse('{"__proto__":{"a":1},"big":1e300,"lone":"\\ud800"}'),
};

describe('a new client', () => {
  it('has every field, with its default or null', async () => {
    const { status, headers, body } = await mine.post('/clients', { name: 'Acme' });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/api/v1/clients/${body.id}`);
    expect(body).toEqual({
      ...BARE,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      org_id: org.orgId,
      name: 'Acme',
      created_at: expect.stringMatching(/Z$/),
    });
    const read = await mine.get(`/clients/${body.id}`);
    expect([read.body, read.headers.get('etag')]).toEqual([body, headers.get('etag')]);
  });

  it('gives back every field as it was sent', async () => {
    const { id } = await mine.client({ ...FULL, org_id: org.orgId });
    const { body } = await mine.get(`/clients/${id}`);
    expect(body).toMatchObject({ ...FULL, org_id: org.orgId });
    expect(JSON.stringify(body.metadata)).toBe(JSON.stringify(FULL.metadata));
  });

  it.each<[string, object, string[]]>([
    ['no name', { name: undefined }, ['#/name']],
    ['a blank name', { name: '  ' }, ['#/name']],
    ['unknown fields', { colour: 'red', __proto: 1 }, ['#/__proto', '#/colour']],
    ['a phone as text', { phone: '351210000000' }, ['#/phone']],
    ['a time zone that is none', { timezone: 'Mars/Olympus' }, ['#/timezone']],
    ['an offset for a time zone', { timezone: '+01:00' }, ['#/timezone']],
    ['an address that is none', { email: 'acme' }, ['#/email']],
    ['a slug with capitals', { slug: 'Acme' }, ['#/slug']],
    ['metadata that is no object', { metadata: [1] }, ['#/metadata']],
    ['nulls where none may be', { status: null, timezone: null }, ['#/status', '#/timezone']],
  ])('is refused with %s', async (_, fields, pointers) => {
    const refused = await mine.post('/clients', { name: 'Acme', ...fields });
    expect([refused.status, pointersOf(refused)]).toEqual([422, pointers]);
  });

  it.each<[string, string, number]>([
    ['an array', '[]', 422],
    ['a text', '"x"', 422],
    ['null', 'null', 422],
    ['half of a JSON', '{"name":', 400],
    ['nothing', '', 400],
  ])('is refused as %s', async (_, raw, status) => {
    const headers = { 'content-type': 'application/json' };
    expect((await api.request('POST', '/api/v1/clients', { token: org.token, raw, headers })).status).toBe(status);
  });

  it('shares its slug with no other of the tenant', async () => {
    const first = await mine.client({ slug: 'only' });
    const clash = await mine.post('/clients', { name: 'Other', slug: 'only' });
    expect([clash.status, pointersOf(clash)]).toEqual([409, ['#/slug']]);
    expect(clash.body.type).toMatch(/already-exists$/);
    const other = await mine.client({ slug: 'other' });
    expect((await mine.patch(`/clients/${other.id}`, { slug: 'only' })).status).toBe(409);
    expect((await actionsOf(other.id)).map(({ type }) => type)).toEqual(['created']);
    expect((await theirs.post('/clients', { name: 'Theirs', slug: 'only' })).status).toBe(201);
    await mine.patch(`/clients/${first.id}`, { slug: null });
    expect((await mine.patch(`/clients/${other.id}`, { slug: 'only' })).status).toBe(200);
  });

  it('gets its slug once when many ask for it at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => mine.post('/clients', { name: 'A', slug: 'race' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
  });
});

describe('a change of a client', () => {
  it('takes the fields sent, and refuses other values of what only the service sets', async () => {
    const client = await mine.client({ slug: 'change' });
    const fixed = { org_id: NOWHERE, has_risks: true, services_count: 9, total_resources: null, last_contact: 'never' };
    const refused = await mine.patch(`/clients/${client.id}`, { status: 'inactive', ...fixed });
    expect([refused.status, pointersOf(refused).length]).toEqual([422, Object.keys(fixed).length]);
    const asItWas = { org_id: client.org_id, has_risks: false, services_count: 0, last_contact: null };
    const { status, body } = await mine.patch(`/clients/${client.id}`, { status: 'inactive', phone: null, ...asItWas });
    expect([status, body]).toEqual([200, { ...client, status: 'inactive' }]);
    expect((await mine.get(`/clients/${client.id}`)).body).toEqual(body);
  });

  it('that changes nothing leaves no action and no new version', async () => {
    const client = await mine.client({ metadata: { a: [1] } });
    const before = (await mine.get(`/clients/${client.id}`)).headers.get('etag');
    const after = await mine.patch(`/clients/${client.id}`, { name: client.name, metadata: { a: [1] } });
    expect([after.status, after.headers.get('etag')]).toEqual([200, before]);
    expect(await actionsOf(client.id)).toHaveLength(1);
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

  it('is refused where If-None-Match names the record as it is, or any', async () => {
    const { id } = await mine.client();
    const path = `/clients/${id}`;
    const tag = (await mine.get(path)).headers.get('etag') ?? '';
    const changed = (held: string) => mine.patch(path, { plan: 'gold' }, { headers: { 'if-none-match': held } });
    for (const held of ['*', tag, `"other", W/${tag}`]) expect((await changed(held)).status, held).toBe(412);
    expect((await changed('no tag')).status).toBe(400);
    expect((await changed('"9.other"')).body.plan).toBe('gold');
    const service = await mine.service({ client_id: id });
    const removed = await mine.remove(`/services/${service.id}`, { headers: { 'if-none-match': '*' } });
    expect([removed.status, (await mine.get(`/services/${service.id}`)).status]).toEqual([412, 200]);
  });

  it.each<[object, string[]]>([
    [{ colour: 'red' }, ['#/colour']],
    [{ name: null }, ['#/name']],
    [{ risks: 0 }, ['#/risks']],
  ])('is refused as %j', async (changes, pointers) => {
    const { id } = await mine.client();
    const refused = await mine.patch(`/clients/${id}`, changes);
    expect([refused.status, pointersOf(refused)]).toEqual([422, pointers]);
  });
});

describe('the actions of a client', () => {
  it('say who did what, when, with what result, newest first', async () => {
    const { id } = await mine.client({ plan: 'basic' });
    const started = new Date().toISOString();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
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
    expect((body.data as Answered[]).map((action) => action.id)).toEqual([oldest?.id]);
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

  it('know the last contact', async () => {
    const ticket = { contact_id: NOWHERE, subject: 'Help', description: 'It is down', source: 'email', client_id: id };
    const { created_at } = await mine.create('/tickets', ticket);
    expect((await mine.get(`/clients/${id}`)).body.last_contact).toBe(created_at);
  });
});

describe('the list of clients', () => {
  it('comes in pages with an exact total, newest first, by status', async () => {
    const { token } = await api.orgToken();
    const fresh = apiDriverOf(api, token);
    const ids = [];
    for (let i = 0; i < 5; i++) ids.unshift((await fresh.client({ status: i % 2 ? 'inactive' : 'active' })).id);
    const { body, headers } = await fresh.get('/clients?page=2&page_size=2');
    expect(body).toMatchObject({ page: 2, page_size: 2, total: 5, data: [{ id: ids[2] }, { id: ids[3] }] });
    for (const relation of ['first', 'prev', 'next', 'last']) {
      expect(headers.get('link')).toContain(`rel="${relation}"`);
    }
    expect(await fresh.list('/clients')).toEqual({ ids, total: 5 });
    expect((await fresh.get('/clients')).body).toMatchObject({ page: 1, page_size: 25 });
    expect(await fresh.list('/clients?status=inactive')).toEqual({ ids: [ids[1], ids[3]], total: 2 });
  });

  it.each(['page=0', 'page=a', 'page_size=201', 'page_size=', 'name=x', 'status=%00', 'org_id=x'])(
    'refuses ?%s',
    async (query) => {
      expect((await mine.get(`/clients?${query}`)).status).toBe(400);
    },
  );
});

describe('a client of another tenant', () => {
  it('is as good as none', async () => {
    const { id } = await theirs.client();
    const tries = (target: string) => [
      mine.get(`/clients/${target}`),
      mine.patch(`/clients/${target}`, { name: 'Mine' }),
      mine.get(`/clients/${target}/actions`),
    ];
    const foreign = (await Promise.all(tries(id))).map(withoutRequestId);
    expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(foreign).toEqual((await Promise.all(tries(NOWHERE))).map(withoutRequestId));
    expect((await mine.get('/clients/acme')).status).toBe(400);
  });

  it('cannot be made, nor reached by naming its organization', async () => {
    const foreign = (await theirs.client()).org_id;
    const refused = await mine.post('/clients', { name: 'X', org_id: foreign });
    expect([refused.status, pointersOf(refused)]).toEqual([403, ['#/org_id']]);
    expect((await mine.get(`/clients?org_id=${foreign}`)).status).toBe(403);
    expect((await mine.get(`/clients?org_id=${NOWHERE}`)).status).toBe(403);
  });

  it('is within reach of a platform caller that names the organization', async () => {
    const platform = apiDriverOf(api, await api.platformToken());
    const { id } = await mine.client();
    expect((await platform.get(`/clients/${id}`)).status).toBe(404);
    expect((await platform.get(`/clients/${id}?org_id=${org.orgId}`)).body.id).toBe(id);
    expect((await platform.get(`/clients/${id}?org_id=${NOWHERE}`)).status).toBe(404);
    const unnamed = await platform.post('/clients', { name: 'X' });
    expect([unnamed.status, pointersOf(unnamed)]).toEqual([422, ['#/org_id']]);
    const named = await platform.client({ org_id: org.orgId });
    expect((await mine.get(`/clients/${named.id}`)).body.org_id).toBe(org.orgId);
    const nowhere = await platform.post('/clients', { name: 'X', org_id: NOWHERE });
    expect([nowhere.status, pointersOf(nowhere)]).toEqual([422, ['#/org_id']]);
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
