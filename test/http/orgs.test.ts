import { beforeAll, describe, expect, it } from 'vitest';
import { ownSlugOf, slugOf } from '../../functions/orgs/slug.ts';
import type { OrgAccess } from '../support/api.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi();
let org: OrgAccess;
let platform: string;
beforeAll(async () => {
  [org, platform] = await Promise.all([api.orgToken('One'), api.platformToken()]);
});

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
      membership_access: false,
      created_at: expect.any(String),
    });
    expect((await get(org.orgId)).body).toEqual(changed.body);
    expect((await get(org.orgId.toUpperCase())).body).toEqual(changed.body);
    expect((await get(org.orgId, platform)).body).toEqual(changed.body);
    expect((await patch(org.orgId, { name: 'By platform' }, platform)).body.name).toBe('By platform');
    expect((await patch(org.orgId, { settings: {} })).body.settings).toEqual({});
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
      membership_access: false,
      created_at: expect.any(String),
    });
    expect(headers.get('location')).toBe(`${PATH}/${body.id}`);
    expect((await create({ name: 'Same', slug: 'aguas-do-porto-sa' })).status).toBe(201);
    expect((await create({})).status).toBe(422);
  });
});

it('a platform caller that names no organization learns that it has to, but not of an organization itself', async () => {
  const { body } = await api.request('POST', '/api/v1/clients', { token: org.token, body: { name: 'Theirs' } });
  const detailOf = async (path: string) => (await api.request('GET', path, { token: platform })).body.detail;
  const hint = 'There is no client with this id. A platform caller names the organization with ?org_id=.';
  for (const id of [String(body.id), org.orgId]) expect(await detailOf(`/api/v1/clients/${id}`)).toBe(hint);
  expect(await detailOf(`${PATH}/${body.id}`)).toBe('There is no organization with this id.');
  expect(await detailOf(`/api/v1/clients/${org.orgId}?org_id=${org.orgId}`)).toBe('There is no client with this id.');
});

describe('a caller of an organization', () => {
  it.each([
    ['invalid JSON', '{', {}],
    ['a wrong body', '{"name":7}', {}],
    ['a wrong key', '{"name":"x"}', { 'idempotency-key': 'ä' }],
    ['no JSON', 'name=x', { 'content-type': 'text/plain' }],
  ])('creates none, and is told so before anything else: %s', async (_, raw, sent) => {
    const headers = { 'content-type': 'application/json', ...sent };
    const { status, body } = await api.request('POST', PATH, { token: org.token, raw, headers });
    expect([status, body.detail]).toEqual([403, expect.stringMatching(/^This is for platform callers/)]);
  });

  it('lists none', async () =>
    expect((await api.request('GET', `${PATH}?page=0`, { token: org.token })).status).toBe(403));
});

it.each([
  ['Acme Lda', 'acme-lda'],
  ['--A__b--', 'a-b'],
  ['Ⅷ ﬁne', 'viii-fine'],
  ['Straße Bau', 'strasse-bau'],
  ['Łódź & Sønner', 'lodz-sonner'],
  ['Þór’s Đà', 'thor-s-da'],
  ['हिन्दी 1', '1'],
  ['日本', 'organization'],
  [`${'a'.repeat(99)} b`, 'a'.repeat(99)],
])('the slug of %s is %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

it('the slug of an organization that registers itself is of its app code and id, and no longer than another', () => {
  const id = '6F1C1F0E-6f0a-4d0c-9d58-0c6c8a1b2f3d';
  expect(ownSlugOf('Acme.Billing_2', id)).toBe('acme-billing-2-6f1c1f0e');
  expect(ownSlugOf('a'.repeat(100), id)).toBe(`${'a'.repeat(91)}-6f1c1f0e`);
});
