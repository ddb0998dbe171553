import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { type Calls, callsOf, pointsAt } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf } from './api-driver.ts';

/** `PUT` to a list: creates a record, or changes the one with the value that the query names. */

const api = useApi();
const org = prepared(() => api.orgToken());
const acme = prepared(() => callsOf(api, org.token));
const platform = prepared(async () => callsOf(api, await api.platformToken()));

const CLIENTS = '/api/v1/clients';
const newSlug = (): string => `slug-${randomUUID()}`;
const put = (slug: string, body: unknown, headers: Readonly<Record<string, string>> = {}, by: Calls = acme) =>
  by.ask('PUT', `${CLIENTS}?slug=${slug}`, body, { headers });

const total = async (): Promise<unknown> => (await acme.read(`${CLIENTS}?page_size=1`)).total;

describe('an upsert that finds no record', () => {
  it('creates one as POST does, with defaults, Location and the slug of the query', async () => {
    const slug = newSlug();
    const { status, headers, body } = await put(slug, { name: 'Bistro', plan: 'basic' });
    expect([status, headers.get('location')]).toEqual([201, `${CLIENTS}/${body.id}`]);
    expect(body).toMatchObject({ slug, name: 'Bistro', plan: 'basic', status: 'active', timezone: 'Europe/Lisbon' });
    const posted = await acme.create(CLIENTS, { name: 'Bistro', plan: 'basic' });
    expect(Object.keys(body)).toEqual(Object.keys(posted));
    const read = await acme.ask('GET', `${CLIENTS}/${body.id}`);
    expect([read.body, read.headers.get('etag')]).toEqual([body, headers.get('etag')]);
    const actions = await acme.read(`${CLIENTS}/${body.id}/actions`);
    expect(actions.data).toMatchObject([{ type: 'created', details: { fields: { slug, name: 'Bistro' } } }]);
  });

  it('refuses what POST refuses, and makes nothing', async () => {
    const before = await total();
    expect((await put(newSlug(), {})).body.errors).toEqual(pointsAt('name'));
    expect((await put(newSlug(), { name: 'x', services_count: 7 })).body.errors).toEqual(pointsAt('services_count'));
    expect((await put(newSlug(), { name: 'x', id: randomUUID() })).body.errors).toEqual(pointsAt('id'));
    expect(await total()).toBe(before);
    expect((await put(newSlug(), { name: 'x', services_count: 0, id: null })).status).toBe(201);
    expect((await put(newSlug(), { name: 'x', services_count: 7 }, { prefer: 'handling=lenient' })).status).toBe(201);
  });

  it.each(['"1.AAAAAAAAAAAA"', '*'])('does not hold with If-Match: %s', async (tag) => {
    const before = await total();
    expect((await put(newSlug(), { name: 'x' }, { 'if-match': tag })).status).toBe(412);
    expect(await total()).toBe(before);
    expect((await put(newSlug(), { name: 'x' }, { 'if-match': 'a tag?' })).status).toBe(400);
    expect((await put(newSlug(), { name: 'x' }, { 'if-none-match': '*' })).status).toBe(201);
  });
});

describe('an upsert that finds a record', () => {
  it('sets the fields that are sent, and none of their defaults', async () => {
    const slug = newSlug();
    const first = await put(slug, { name: 'Bistro', plan: 'basic', status: 'inactive', metadata: { a: 1e300 } });
    const { status, headers, body } = await put(slug, { name: 'Bistro Lda', email: 'a@b.example' });
    expect([status, headers.get('location')]).toEqual([200, null]);
    expect(body).toEqual({ ...first.body, name: 'Bistro Lda', email: 'a@b.example' });
    expect((await put(slug, { name: 'Bistro Lda', plan: null })).body).toEqual({ ...body, plan: null });
    const actions = await acme.read(`${CLIENTS}/${body.id}/actions`);
    expect(actions.data.map(({ type }) => type)).toEqual(['updated', 'updated', 'created']);
  });

  it('leaves it as it is, in its version, where nothing differs', async () => {
    const slug = newSlug();
    const sent = { name: 'Bistro', slug, metadata: { z: [1.5, { y: null }] } };
    const first = await put(slug, sent);
    const again = await put(slug, sent);
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([200, first.body, first.headers.get('etag')]);
    // Sent back as it was read.
    expect((await put(slug, first.body)).headers.get('etag')).toBe(first.headers.get('etag'));
    expect((await acme.read(`${CLIENTS}/${first.body.id}/actions`)).data).toHaveLength(1);
  });

  it('honours If-Match and If-None-Match', async () => {
    const slug = newSlug();
    const tag = (await put(slug, { name: 'a' })).headers.get('etag') ?? '';
    expect((await put(slug, { name: 'b' }, { 'if-match': tag })).status).toBe(200);
    expect((await put(slug, { name: 'c' }, { 'if-match': tag })).status).toBe(412);
    expect((await put(slug, { name: 'c' }, { 'if-none-match': '*' })).status).toBe(412);
    expect((await put(slug, { name: 'c' }, { 'if-match': '*' })).body.name).toBe('c');
  });

  it('refuses another value of a field that it keeps, unless lenient', async () => {
    const slug = newSlug();
    const { body } = await put(slug, { name: 'a' });
    const other = { name: 'b', id: randomUUID(), created_at: '2020-01-01T00:00:00Z' };
    const refused = await put(slug, other);
    expect([refused.status, refused.body.errors]).toEqual([422, [...pointsAt('id'), ...pointsAt('created_at')]]);
    expect((await put(slug, { name: 'b', id: null })).status).toBe(422);
    const lenient = await put(slug, other, { prefer: 'handling=lenient' });
    expect([lenient.status, lenient.body, lenient.headers.get('preference-applied')]).toEqual([
      200,
      { ...body, name: 'b' },
      'handling=lenient',
    ]);
  });

  it('is another organization’s to nobody else', async () => {
    const slug = newSlug();
    const { body } = await put(slug, { name: 'a' });
    const other = callsOf(api, (await api.orgToken()).token);
    const theirs = await put(slug, { name: 'b' }, {}, other);
    expect([theirs.status, theirs.body.id === body.id]).toEqual([201, false]);
    const byPlatform = await put(`${slug}&org_id=${org.orgId}`, { name: 'c', org_id: org.orgId }, {}, platform);
    expect([byPlatform.status, byPlatform.body.id]).toEqual([200, body.id]);
    expect((await put(slug, { name: 'c', org_id: randomUUID() })).status).toBe(403);
    const fresh = newSlug();
    const made = await put(`${fresh}&org_id=${org.orgId}`, { name: 'd' }, {}, platform);
    expect(made.headers.get('location')).toBe(`${CLIENTS}/${made.body.id}?org_id=${org.orgId}`);
  });
});

describe('the value of the query', () => {
  it.each([
    ['missing', '', '#/slug'],
    ['empty', '?slug=', '#/slug'],
    ['malformed', '?slug=A%20B', '#/slug'],
    ['twice', '?slug=a&slug=b', '#/slug'],
    ['an unknown parameter', '?slug=a&status=b', '#/status'],
  ])('%s: 400', async (_, query, pointer) => {
    const { status, body } = await acme.ask('PUT', `${CLIENTS}${query}`, { name: 'x' });
    expect([status, body.errors?.[0]]).toEqual([400, expect.objectContaining({ in: 'query', pointer })]);
  });

  it.each(['other', null])('is that of the body, and not %j', async (slug) => {
    const { status, body } = await put(newSlug(), { name: 'x', slug });
    expect([status, body.type, body.errors]).toEqual([422, 'urn:problem-type:custodia:invalid-body', pointsAt('slug')]);
  });
});

it('takes a slug without what shows nothing at its ends', async () => {
  const slug = newSlug();
  const { body } = await put(slug, { name: 'x', slug: `${slug}\u200b` });
  const again = await put(`${encodeURIComponent(`\u00a0${slug}\t`)}`, { name: 'y' });
  expect([again.status, again.body]).toEqual([200, { ...body, name: 'y' }]);
});

describe('upserts at the same time', () => {
  it('make one record, and all succeed', async () => {
    for (let round = 0; round < 5; round++) {
      const slug = newSlug();
      const before = Number(await total());
      const replies = await Promise.all(['a', 'b', 'c', 'd'].map((plan) => put(slug, { name: 'x', plan })));
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 201]);
      expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
      expect(Number(await total())).toBe(before + 1);
      const [first] = replies;
      const stored = await acme.read(`${CLIENTS}/${first?.body.id}`);
      expect(replies.map(({ body }) => body.plan)).toContain(stored.plan);
    }
  });

  it('and changes of the slug leave each slug with one record', async () => {
    const driver = apiDriverOf(api, org.token);
    for (let round = 0; round < 5; round++) {
      const [slug, other] = [newSlug(), newSlug()];
      const { id } = await driver.client({ slug });
      const [moved, upserted] = await Promise.all([
        driver.patch(`/clients/${id}`, { slug: other }),
        put(slug, { name: 'y' }),
      ]);
      expect([moved.status, [200, 201].includes(upserted.status)]).toEqual([200, true]);
      // Whoever was first: either the record was changed and then moved, or it was gone and another was made.
      expect(upserted.body.id === id).toBe(upserted.status === 200);
      expect((await acme.read(`${CLIENTS}/${id}`)).slug).toBe(other);
    }
  });
});
