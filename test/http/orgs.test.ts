import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { slugOf } from '../../functions/orgs/slug.ts';
import { type Api, type JsonBody, type OrgAccess, startApi } from '../support/api.ts';

let api: Api;
let org: OrgAccess;
let platform: string;
beforeAll(async () => {
  api = await startApi();
  [org, platform] = await Promise.all([api.orgToken('One'), api.platformToken()]);
});
afterAll(() => api.close());

const PATH = '/api/v1/orgs';
const get = (id: string, token = org.token) => api.request('GET', `${PATH}/${id}`, { token });
const patch = (id: string, body: unknown, token = org.token) => api.request('PATCH', `${PATH}/${id}`, { token, body });
const create = (body: unknown, token = platform) => api.request('POST', PATH, { token, body });

describe('an organization', () => {
  it('is read and changed by its own callers and by the platform', async () => {
    const settings = { locale: 'pt-PT', nested: { big: 1e300, list: [null, { a: [] }] } };
    const changed = await patch(org.orgId, { name: 'Acme', slug: 'acme', settings });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      id: org.orgId,
      name: 'Acme',
      slug: 'acme',
      settings,
      created_at: expect.any(String),
    });
    expect((await get(org.orgId)).body).toEqual(changed.body);
    expect((await get(org.orgId.toUpperCase())).body).toEqual(changed.body);
    expect((await get(org.orgId, platform)).body).toEqual(changed.body);
    expect((await patch(org.orgId, { name: 'By platform' }, platform)).body.name).toBe('By platform');
    expect((await patch(org.orgId, { settings: {} })).body.settings).toEqual({});
  });

  it('takes no id that is none, and settings up to 64 KB', async () => {
    expect((await get('PLATFORM', platform)).status).toBe(400);
    expect((await get('x%23y', platform)).status).toBe(400);
    expect((await patch(org.orgId, { settings: { text: 'x'.repeat(65_000) } })).status).toBe(200);
    expect((await patch(org.orgId, { settings: { text: 'x'.repeat(66_000) } })).status).toBe(413);
    expect((await create({ name: 'Huge', settings: { text: 'x'.repeat(66_000) } })).status).toBe(413);
    const settings = JSON.parse(`${'{"a":'.repeat(60)}{}${'}'.repeat(60)}`);
    expect((await patch(org.orgId, { settings })).body.settings).toEqual(settings);
  });
});

describe('the platform', () => {
  it('creates organizations, whose slugs come from their names where none is given', async () => {
    const { status, headers, body } = await create({ name: 'Águas do Porto, SA' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
      name: 'Águas do Porto, SA',
      slug: 'aguas-do-porto-sa',
      settings: {},
      created_at: expect.any(String),
    });
    expect(headers.get('location')).toBe(`${PATH}/${body.id}`);
    expect((await create({ name: 'Same', slug: 'aguas-do-porto-sa' })).status).toBe(201);
    expect((await create({})).status).toBe(422);
  });

  it('lists all of them in pages, in order, also those of first keys', async () => {
    const ids: unknown[] = [];
    for (const name of ['A', 'B', 'C']) ids.push((await create({ name })).body.id);
    const first = await api.request('POST', '/api/v1/integrations', {
      body: { app_code: `app-${randomUUID()}`, display_name: 'D' },
    });
    ids.push(first.body.org_id);
    const page = async (query: string) => (await api.request('GET', `${PATH}?${query}`, { token: platform })).body;
    const newest = await page('page_size=4');
    expect((newest.data as JsonBody[]).map(({ id }) => id)).toEqual(ids.toReversed());
    const total = Number(newest.total);
    const all = await Promise.all(
      Array.from({ length: Math.ceil(total / 2) }, (_, index) => page(`page_size=2&page=${index + 1}&sort=created_at`)),
    );
    const listed = all.flatMap(({ data }) => (data as JsonBody[]).map(({ id }) => id));
    expect(listed.length).toBe(total);
    expect(listed.slice(-4)).toEqual(ids);
    expect(listed).toContain(org.orgId);
    expect((await page('page=999')).data).toEqual([]);
  });

  it('alone does both', async () => {
    for (const response of [
      await create({ name: 'Mine' }, org.token),
      await api.request('GET', PATH, { token: org.token }),
    ]) {
      expect([response.status, response.body.type]).toEqual([403, 'urn:problem-type:custodia:forbidden']);
    }
  });

  it('names its organization in the path, nowhere else', async () => {
    expect((await api.request('GET', `${PATH}?org_id=${org.orgId}`, { token: platform })).status).toBe(400);
    expect((await create({ name: 'x', org_id: org.orgId })).status).toBe(422);
  });
});

it.each([
  ['Acme Lda', 'acme-lda'],
  ['--A__b--', 'a-b'],
  ['Ⅷ ﬁne', 'viii-fine'],
  ['日本', 'organization'],
  [`${'a'.repeat(99)} b`, 'a'.repeat(99)],
])('the slug of %s is %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});
