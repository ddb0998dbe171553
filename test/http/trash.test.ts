import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf, NOWHERE, pointersOf, type Responded } from './api-driver.ts';

/** Deleted tickets, services and resources are restored, listed and ended over HTTP. */

const api = useApi();
const mine = prepared(async () => apiDriverOf(api, (await api.orgToken()).token));
const others = prepared(async () => apiDriverOf(api, (await api.orgToken()).token));

const weak = prepared(async () => {
  const permissions = ['clients:read'];
  const body = { app_code: `app-${randomUUID()}`, display_name: 'Weak', permissions };
  const { app_code: appCode, secret } = await mine.create('/integrations', body);
  return apiDriverOf(api, await api.login(String(appCode), String(secret)));
});

let client: Responded;
beforeEach(async () => {
  client = await mine.client();
});

const ticket = (fields: object = {}) =>
  mine.create('/tickets', {
    ...{ subject: 'No sound', description: 'Since today.', source: 'email', contact_id: randomUUID() },
    ...fields,
  });
const service = (fields: object = {}) => mine.service({ client_id: client.id, ...fields });
const resource = (fields: object = {}) => mine.resource({ client_id: client.id, ...fields });
const KINDS = [
  ['tickets', ticket, 'No sound'],
  ['services', service, 'Shop'],
  ['resources', resource, 'Web 1'],
] as const;

const trashOf = async (kind: string, query = '') =>
  (await mine.get(`/trash?kind=${kind}${query}`)).body.data as Responded[];

describe.each(KINDS)('one of the deleted %s', (kind, create, title) => {
  it('comes back as it was, and its restoration is an event', async () => {
    const { id } = await create();
    const path = `/${kind}/${id}`;
    const before = await mine.get(path);
    expect((await mine.remove(path)).status).toBe(204);
    expect([(await mine.get(path)).status, (await mine.remove(path)).status]).toEqual([404, 404]);
    const [entry] = await trashOf(kind);
    expect(entry).toMatchObject({ id, kind, title, deleted_by: expect.stringMatching(/^[\da-f-]{36}$/) });
    const restored = await mine.post(`${path}/restore`, undefined);
    expect([restored.status, restored.body]).toEqual([200, before.body]);
    expect(restored.headers.get('etag')).not.toBe(before.headers.get('etag'));
    const [read, again] = [await mine.get(path), await mine.post(`${path}/restore`, undefined)];
    expect([read.body, again.body, again.status]).toEqual([before.body, before.body, 200]);
    expect(again.headers.get('etag')).toBe(read.headers.get('etag'));
    expect((await trashOf(kind)).map((each) => each.id)).not.toContain(id);
    const type = kind.slice(0, -1);
    const { data } = (await mine.get(`/events?record_id=${id}`)).body as { data: { type: string; version: number }[] };
    expect(data.map((event) => [event.type, event.version])).toEqual([
      [`${type}.created`, 1],
      [`${type}.deleted`, 2],
      [`${type}.restored`, 3],
    ]);
    const changes = (await mine.get(`${path}/changes`)).body.data as { type: string }[];
    expect(changes.map((change) => change.type)).toEqual(['restored', 'deleted', 'created'].map((v) => `${type}.${v}`));
  });

  it('is of no other tenant, and of nobody without permission', async () => {
    const { id } = await create();
    await mine.remove(`/${kind}/${id}`);
    const missing = await others.post(`/${kind}/${NOWHERE}/restore`, undefined);
    const foreign = await others.post(`/${kind}/${id}/restore`, undefined);
    expect([missing.status, foreign.status, foreign.body.detail]).toEqual([404, 404, missing.body.detail]);
    expect((await others.remove(`/trash/${id}`)).status).toBe(404);
    expect((await others.get(`/trash?kind=${kind}`)).body.data).toEqual([]);
    expect((await weak.get(`/trash?kind=${kind}`)).status).toBe(403);
    expect((await weak.post(`/${kind}/${id}/restore`, undefined)).status).toBe(403);
    expect((await weak.remove(`/trash/${id}`)).status).toBe(403);
    expect((await mine.get(`/trash?kind=${kind}x`)).status).toBe(400);
  });

  it('ends at once where somebody says so who may', async () => {
    const [one, two] = [await create(), await create()];
    for (const { id } of [one, two]) await mine.remove(`/${kind}/${id}`);
    expect((await mine.remove(`/trash/${one.id}`)).status).toBe(204);
    expect((await mine.remove(`/trash/${one.id}`)).status).toBe(404);
    expect((await mine.post(`/${kind}/${one.id}/restore`, undefined)).status).toBe(404);
    expect((await trashOf(kind)).map(({ id }) => id)).toContain(two.id);
  });
});

it('a ticket comes back with its messages, to the lists by which it is found', async () => {
  const { id } = await ticket({ client_id: client.id, subject: 'Quixotic noise', tags: ['odd'] });
  const message = { author_type: 'agent', author_id: randomUUID(), message: 'Unplug it.' };
  await mine.post(`/tickets/${id}/messages`, message);
  const lists = [`client_id=${client.id}`, 'q=quixotic', 'tag=odd', 'sort=-last_activity_at&page_size=1'];
  const found = () => Promise.all(lists.map(async (query) => (await mine.list(`/tickets?${query}`)).ids.includes(id)));
  await mine.remove(`/tickets/${id}`);
  expect([await found(), (await mine.get(`/tickets/${id}/messages`)).status]).toEqual([lists.map(() => false), 404]);
  await mine.post(`/tickets/${id}/restore`, undefined);
  const { data } = (await mine.get(`/tickets/${id}/messages`)).body as { data: { message: string }[] };
  expect([await found(), data.map((each) => each.message)]).toEqual([lists.map(() => true), ['Unplug it.']]);
});

it('a ticket whose code is taken is a 409, and one whose service is gone a 422, until it is not', async () => {
  const { id: shop } = await service();
  const { id } = await ticket({ ticket_code: 'TILL-1', client_id: client.id, service_id: shop });
  await mine.remove(`/tickets/${id}`);
  const other = await ticket({ ticket_code: 'TILL-1' });
  const taken = await mine.post(`/tickets/${id}/restore`, undefined);
  expect([taken.status, pointersOf(taken)]).toEqual([409, ['#/ticket_code']]);
  await mine.remove(`/tickets/${other.id}`);
  await mine.remove(`/services/${shop}`);
  const dangling = await mine.post(`/tickets/${id}/restore`, undefined);
  expect([dangling.status, pointersOf(dangling)]).toEqual([422, ['#/service_id']]);
  await mine.post(`/services/${shop}/restore`, undefined);
  expect((await mine.post(`/tickets/${id}/restore`, undefined)).body).toMatchObject({ id, ticket_code: 'TILL-1' });
});

it('a resource counts again where it belongs, keeps its history and credentials, and needs its service', async () => {
  const { id: shop } = await service();
  const { id } = await resource({ service_id: shop, health_status: 'degraded', credentials: { key: 's3cret' } });
  const counts = async () => {
    const { body } = await mine.get(`/clients/${client.id}`);
    return [body.total_resources, body.services_count, body.has_risks];
  };
  expect(await counts()).toEqual([1, 1, true]);
  await mine.remove(`/resources/${id}`);
  expect(await counts()).toEqual([0, 1, false]);
  expect(JSON.stringify((await mine.get('/trash?kind=resources')).body)).not.toContain('cred');
  await mine.remove(`/services/${shop}`);
  const refused = await mine.post(`/resources/${id}/restore`, undefined);
  expect([refused.status, pointersOf(refused)]).toEqual([422, ['#/service_id']]);
  await mine.post(`/services/${shop}/restore`, undefined);
  expect((await mine.post(`/resources/${id}/restore`, undefined)).body.credentials).toEqual({ key: 's3cret' });
  expect([await counts(), (await mine.get(`/resources/${id}/history`)).body.total]).toEqual([[1, 1, true], 1]);
});

it('the trash is read page by page', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 3; index++) {
    const { id } = await ticket({ subject: `Page ${index}` });
    ids.unshift(id);
    await mine.remove(`/tickets/${id}`);
  }
  const { body } = await mine.get('/trash?kind=tickets&limit=2');
  expect((body.data as Responded[]).map(({ id }) => id)).toEqual(ids.slice(0, 2));
  const [third] = await trashOf('tickets', `&limit=2&after=${body.next}`);
  expect(third?.id).toBe(ids[2]);
});

it('takes any well-formed cursor: one that is older than all, or later', async () => {
  const { id } = await ticket();
  await mine.remove(`/tickets/${id}`);
  const listed = async (time: string) => {
    const { status, body } = await mine.get(`/trash?after=${time}-${id}`);
    return [status, (body.data as Responded[]).length > 0];
  };
  expect([await listed('000000000000000'), await listed('999999999999999')]).toEqual([
    [200, false],
    [200, true],
  ]);
});
