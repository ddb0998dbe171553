import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { dumpOf } from '../support/table-dump.ts';
import {
  type Answered,
  type ApiDriver,
  apiDriverOf,
  later,
  NOWHERE,
  pointersOf,
  withoutRequestId,
} from './api-driver.ts';

let api: Api;
let mine: ApiDriver;
let theirs: ApiDriver;
let client: Answered;

beforeAll(async () => {
  api = await startApi();
  mine = apiDriverOf(api, (await api.orgToken()).token);
  theirs = apiDriverOf(api, (await api.orgToken()).token);
});
afterAll(() => api.close());
beforeEach(async () => {
  client = await mine.client();
});
afterEach(() => {
  vi.useRealTimers();
});

const BARE = {
  description: null,
  url: null,
  admin_url: null,
  status: 'active',
  plan: 'basic',
  environment: 'production',
  credentials: null,
  deployment_config: null,
  metadata: null,
  tags: null,
  health_status: 'healthy',
  last_health_check: null,
  uptime_percentage: null,
  monthly_cost: 0,
  billing_cycle: 'monthly',
  next_billing_date: null,
  version: null,
  deployed_at: null,
};

const FULL = {
  name: 'Web shop',
  type: 'web',
  description: 'The shop',
  url: 'https://shop.example',
  admin_url: 'http://shop.example/admin',
  status: 'maintenance',
  plan: null,
  environment: 'staging',
  credentials: { user: 'deploy', nested: [[[{}]]] },
  deployment_config: JSON.parse('{"__proto__":{"a":1},"big":1e300,"small":5e-324}'),
  metadata: {},
  tags: ['a', 'ü', 'a'],
  health_status: 'degraded',
  uptime_percentage: 99.999,
  monthly_cost: 0.1,
  billing_cycle: 'yearly',
  next_billing_date: '2026-12-01',
  version: 'v4.2.0-rc.1',
  deployed_at: '2026-11-01T08:00:00.000Z',
};

describe('a new service', () => {
  it('has every field, with its default or null', async () => {
    const { status, headers, body } = await mine.post('/services', { client_id: client.id, name: 'Shop', type: 'web' });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/api/v1/services/${body.id}`);
    expect(body).toEqual({
      ...BARE,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_id: client.id,
      name: 'Shop',
      type: 'web',
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.created_at,
    });
    const read = await mine.get(`/services/${body.id}`);
    expect(read.body).toEqual(body);
    expect(read.headers.get('etag')).toBe(headers.get('etag'));
  });

  it('gives back every field as it was sent', async () => {
    const { id } = await mine.service({ client_id: client.id, ...FULL });
    const { body } = await mine.get(`/services/${id}`);
    expect(body).toMatchObject({ ...FULL, client_id: client.id });
    expect(JSON.stringify(body.deployment_config)).toBe(JSON.stringify(FULL.deployment_config));
    expect(body.last_health_check).toBe(body.created_at);
  });

  it.each<[string, object, string[]]>([
    ['nothing', { client_id: undefined, name: undefined, type: undefined }, ['#/client_id', '#/name', '#/type']],
    ['an unknown field', { colour: 'red', 'a/b': 1 }, ['#/colour', '#/a~1b']],
    ['a client id that is no UUID', { client_id: 'acme' }, ['#/client_id']],
    ['a blank name', { name: ' \t' }, ['#/name']],
    ['a name too long', { name: 'n'.repeat(201) }, ['#/name']],
    ['a lone surrogate', { description: '\ud800' }, ['#/description']],
    ['a null where none may be', { status: null, monthly_cost: null }, ['#/status', '#/monthly_cost']],
    ['a status with spaces', { status: 'Not Active' }, ['#/status']],
    ['a script for an address', { url: 'javascript:alert(1)' }, ['#/url']],
    ['credentials that are no object', { credentials: ['a'], metadata: 'x' }, ['#/credentials', '#/metadata']],
    ['tags that are no texts', { tags: ['a', 1] }, ['#/tags/1']],
    ['numbers out of range', { uptime_percentage: 100.1, monthly_cost: -1 }, ['#/uptime_percentage', '#/monthly_cost']],
    ['a number as text', { monthly_cost: '12' }, ['#/monthly_cost']],
    ['a day that is none', { deployed_at: '2026-02-30T00:00:00Z' }, ['#/deployed_at']],
  ])('is refused with %s', async (_, fields, pointers) => {
    const refused = await mine.post('/services', { client_id: client.id, name: 'Shop', type: 'web', ...fields });
    expect([refused.status, pointersOf(refused)]).toEqual([422, pointers.toSorted()]);
    expect((await mine.list(`/services?client_id=${client.id}`)).total).toBe(0);
  });

  it('belongs to a client of the caller: another tenant’s and none are the same', async () => {
    const other = await theirs.client();
    const refused = await mine.post('/services', { client_id: other.id, name: 'Shop', type: 'web' });
    const missing = await mine.post('/services', { client_id: NOWHERE, name: 'Shop', type: 'web' });
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['#/client_id']]);
    expect(withoutRequestId(refused)).toEqual(withoutRequestId(missing));
    expect((await theirs.get(`/clients/${other.id}`)).body.services_count).toBe(0);
  });

  it('is refused whole where a field is too large', async () => {
    const metadata = { text: 'x'.repeat(66_000) };
    const refused = await mine.post('/services', { client_id: client.id, name: 'Shop', type: 'web', metadata });
    expect(refused.status).toBe(413);
    expect((await mine.list(`/services?client_id=${client.id}`)).total).toBe(0);
  });
});

describe('a change of a service', () => {
  it('takes the fields sent and leaves the others', async () => {
    const service = await mine.service({ client_id: client.id, ...FULL });
    const now = later(5);
    const { status, body } = await mine.patch(`/services/${service.id}`, {
      status: 'active',
      plan: 'gold',
      tags: null,
    });
    expect(status).toBe(200);
    expect(body).toEqual({ ...service, status: 'active', plan: 'gold', tags: null, updated_at: body.updated_at });
    expect(String(body.updated_at) >= now).toBe(true);
    expect((await mine.get(`/services/${service.id}`)).body).toEqual(body);
  });

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

  it('cannot set what only the service sets, nor move it, and does nothing when nothing changes', async () => {
    const service = await mine.service({ client_id: client.id });
    const before = await mine.get(`/services/${service.id}`);
    const fixed = { id: NOWHERE, client_id: (await mine.client()).id, created_at: null, updated_at: 7 };
    const refused = await mine.patch(`/services/${service.id}`, { name: 'Other', ...fixed });
    expect([refused.status, pointersOf(refused)]).toEqual([
      422,
      ['#/client_id', '#/created_at', '#/id', '#/updated_at'],
    ]);
    const after = await mine.patch(`/services/${service.id}`, before.body);
    expect([after.status, after.body]).toEqual([200, before.body]);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
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

  it.each<[string, object, string[]]>([
    ['an unknown field', { resource_count: 0 }, ['#/resource_count']],
    ['a null name', { name: null }, ['#/name']],
    ['an object for a health', { health_status: {} }, ['#/health_status']],
  ])('is refused with %s', async (_, changes, pointers) => {
    const { id } = await mine.service({ client_id: client.id });
    const refused = await mine.patch(`/services/${id}`, changes);
    expect([refused.status, pointersOf(refused)]).toEqual([422, pointers]);
  });

  it('happens only to the version that If-Match names', async () => {
    const { id } = await mine.service({ client_id: client.id });
    const path = `/services/${id}`;
    const read = (await mine.get(path)).headers.get('etag') ?? '';
    const changed = await mine.patch(path, { status: 'maintenance' }, { headers: { 'if-match': read } });
    expect(changed.status).toBe(200);
    expect((await mine.patch(path, { status: 'active' }, { headers: { 'if-match': read } })).status).toBe(412);
    expect((await mine.remove(path, { headers: { 'if-match': read } })).status).toBe(412);
    expect((await mine.patch(path, { name: 'x' }, { headers: { 'if-match': 'x' } })).status).toBe(400);
    expect((await mine.get(path)).body.status).toBe('maintenance');
    const current = changed.headers.get('etag') ?? '';
    expect((await mine.get(path, { headers: { 'if-none-match': current } })).status).toBe(304);
    expect((await mine.remove(path, { headers: { 'if-match': current } })).status).toBe(204);
  });

  it('loses nothing when many come at once, and lets one through with If-Match', async () => {
    const { id } = await mine.service({ client_id: client.id });
    const path = `/services/${id}`;
    const fields = ['description', 'version', 'plan', 'next_billing_date'];
    await Promise.all(fields.map((field) => mine.patch(path, { [field]: field })));
    const { body, headers } = await mine.get(path);
    expect(fields.map((field) => body[field])).toEqual(fields);
    const conditional = { headers: { 'if-match': headers.get('etag') ?? '' } };
    const answers = await Promise.all(['a', 'b', 'c'].map((plan) => mine.patch(path, { plan }, conditional)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
  });
});

describe('deleting a service', () => {
  it('answers 204 without a body, and 404 from then on', async () => {
    const { id } = await mine.service({ client_id: client.id });
    const gone = await mine.remove(`/services/${id}`);
    expect([gone.status, gone.body]).toEqual([204, '']);
    expect((await mine.get(`/services/${id}`)).status).toBe(404);
    expect((await mine.remove(`/services/${id}`)).status).toBe(404);
    expect(await mine.list(`/services?client_id=${client.id}`)).toEqual({ ids: [], total: 0 });
  });

  it('leaves nothing that names it, though resources did', async () => {
    const { id } = await mine.service({ client_id: client.id });
    const { id: resource } = await mine.resource({ client_id: client.id, service_id: id });
    const namingIt = async () => (await dumpOf(api.table)).filter((item) => JSON.stringify(item).includes(id));
    expect(await namingIt()).not.toEqual([]);
    await mine.remove(`/resources/${resource}`);
    expect((await mine.remove(`/services/${id}`)).status).toBe(204);
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

describe('the list of services', () => {
  it('is filtered by client, status and health in every combination', async () => {
    const all = [];
    for (const owner of [client, await mine.client()]) {
      for (const status of ['active', 'maintenance']) {
        for (const health_status of ['healthy', 'degraded']) {
          all.push(
            await mine.service({ client_id: owner.id, status: `${status}-f`, health_status: `${health_status}-f` }),
          );
        }
      }
    }
    const filters: Record<string, string>[] = [];
    for (let bits = 1; bits < 8; bits++) {
      filters.push({
        ...(bits & 1 ? { client_id: client.id } : {}),
        ...(bits & 2 ? { status: 'maintenance-f' } : {}),
        ...(bits & 4 ? { health_status: 'degraded-f' } : {}),
      });
    }
    for (const filter of filters) {
      const wanted = all.filter((service) =>
        Object.entries(filter).every(([field, value]) => service[field] === value),
      );
      const query = new URLSearchParams({ ...filter, sort: 'created_at' });
      expect(await mine.list(`/services?${query}`)).toEqual({ ids: wanted.map(({ id }) => id), total: wanted.length });
    }
  });

  it('follows a service that changes its status', async () => {
    const { id } = await mine.service({ client_id: client.id });
    await mine.patch(`/services/${id}`, { status: 'maintenance' });
    expect(await mine.list(`/services?client_id=${client.id}&status=active`)).toEqual({ ids: [], total: 0 });
    expect(await mine.list(`/services?client_id=${client.id}&status=maintenance`)).toEqual({ ids: [id], total: 1 });
  });

  it('comes in pages, newest first, with links', async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.unshift((await mine.service({ client_id: client.id })).id);
    const { body, headers } = await mine.get(`/services?client_id=${client.id}&page_size=2&page=2`);
    expect(body).toMatchObject({ page: 2, page_size: 2, total: 3, data: [{ id: ids[2] }] });
    expect(headers.get('link')).toContain('rel="prev"');
    expect((await mine.list(`/services?client_id=${client.id}&page=99`)).ids).toEqual([]);
  });

  it.each(['page=0', 'page_size=201', 'page=1.5', 'client_id=x', 'status=A%20B', 'colour=red', 'status=a&status=b'])(
    'refuses ?%s',
    async (query) => {
      expect((await mine.get(`/services?${query}`)).status).toBe(400);
    },
  );
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

  it('of another tenant is as good as none', async () => {
    const owner = await theirs.client();
    const { id } = await theirs.service({ client_id: owner.id });
    const tries = (target: string) => [
      mine.get(`/services/${target}`),
      mine.get(`/services/client/${owner.id}/${target}`),
      mine.patch(`/services/${target}`, { name: 'Mine' }),
      mine.remove(`/services/${target}`),
    ];
    const foreign = (await Promise.all(tries(id))).map(withoutRequestId);
    const missing = (await Promise.all(tries(NOWHERE))).map(withoutRequestId);
    expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(foreign).toEqual(missing);
    expect((await theirs.get(`/services/${id}`)).body.name).toBe('Shop');
    expect((await mine.list(`/services?client_id=${owner.id}`)).total).toBe(0);
  });

  it('is within reach of a platform caller that names the organization', async () => {
    const { id } = await mine.service({ client_id: client.id });
    const platform = apiDriverOf(api, await api.platformToken());
    const { org_id } = (await mine.get(`/clients/${client.id}`)).body;
    expect((await platform.get(`/services/${id}`)).status).toBe(404);
    expect((await platform.get(`/services/${id}?org_id=${org_id}`)).status).toBe(200);
    expect((await platform.patch(`/services/${id}?org_id=${org_id}`, { name: 'Named' })).body.name).toBe('Named');
    expect((await platform.get(`/services/${id}?org_id=${NOWHERE}`)).status).toBe(404);
    const named = await platform.create(`/services?org_id=${org_id}`, { client_id: client.id, name: 'P', type: 'web' });
    expect((await mine.get(`/services/${named.id}`)).status).toBe(200);
    expect((await theirs.get(`/services/${id}?org_id=${org_id}`)).status).toBe(403);
  });
});
