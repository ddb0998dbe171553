import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonBody } from '../support/api.ts';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';
import { type ApiDriver, apiDriverOf, NOWHERE, pointersOf } from './api-driver.ts';

/** Maintenance windows, and which services and resources they cover. */

const WINDOWS = '/maintenance-windows';
const HOUR_MS = 3_600_000;
const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();
const OPEN = { from: inHours(-1), to: inHours(1) };

const api = useApi();
const org = prepared(() => api.orgToken());
let acme: ApiDriver;
const ids: Record<string, string> = {};

beforeAll(async () => {
  acme = apiDriverOf(api, org.token);
  const [{ id: client }, { id: other }] = [await acme.client(), await acme.client()];
  Object.assign(ids, { client, other });
  ids.shop = (await acme.service({ client_id: client })).id;
  ids.mail = (await acme.service({ client_id: client, health_status: 'degraded' })).id;
  ids.blog = (await acme.service({ client_id: other, status: 'maintenance' })).id;
  ids.shopDisk = (await acme.resource({ client_id: client, service_id: ids.shop })).id;
  ids.clientDisk = (await acme.resource({ client_id: client })).id;
  ids.otherDisk = (await acme.resource({ client_id: other })).id;
});

const maintained = async (query = 'under_maintenance=true'): Promise<unknown[]> => {
  const all = await Promise.all(['/services', '/resources'].map((list) => acme.list(`${list}?${query}`)));
  return all.flatMap((page) => page.ids.map((id) => Object.keys(ids).find((name) => ids[name] === id))).toSorted();
};

/** What is under maintenance while there is a window. */
async function during(window: JsonBody): Promise<unknown[]> {
  const { id } = await acme.create(WINDOWS, { ...OPEN, ...window });
  try {
    return await maintained();
  } finally {
    expect((await acme.remove(`${WINDOWS}/${id}`)).status).toBe(204);
  }
}

describe('a maintenance window', () => {
  it('covers what it names and what belongs to that, or all, as long as it is open', async () => {
    expect(await maintained()).toEqual(['blog']);
    expect(await during({ service_id: ids.shop })).toEqual(['blog', 'shop', 'shopDisk']);
    expect(await during({ resource_id: ids.otherDisk })).toEqual(['blog', 'otherDisk']);
    expect(await during({ client_id: ids.client })).toEqual(['blog', 'clientDisk', 'mail', 'shop', 'shopDisk']);
    expect(await during({ client_id: ids.other, resource_id: ids.shopDisk })).toEqual([
      'blog',
      'otherDisk',
      'shopDisk',
    ]);
    expect(await during({})).toHaveLength(6);
    expect(await during({ from: inHours(1), to: inHours(2) })).toEqual(['blog']);
    expect(await during({ from: inHours(-2), to: inHours(-1) })).toEqual(['blog']);
    expect(await maintained('under_maintenance=false&sort=name')).toHaveLength(5);
  });

  it('is said of records wherever they are shown, and counted, and changes none of them', async () => {
    const before = await acme.get(`/services/${ids.mail}`);
    expect(before.body.under_maintenance).toBe(false);
    const { id } = await acme.create(WINDOWS, { ...OPEN, client_id: ids.client });
    const read = await acme.get(`/services/${ids.mail}`);
    expect(read.body).toEqual({ ...before.body, under_maintenance: true });
    const [version, other] = [before, read].map(({ headers }) => headers.get('etag')?.split('.')[0]);
    expect(version).toBe(other);
    expect((await acme.get(`/services/client/${ids.client}/${ids.mail}`)).body).toEqual(read.body);
    const changed = await acme.patch(`/services/${ids.mail}`, { ...read.body, plan: 'gold' });
    expect([changed.status, changed.body.under_maintenance]).toEqual([200, true]);
    const refused = await acme.patch(`/services/${ids.mail}`, { under_maintenance: false });
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['#/under_maintenance']]);
    ids.newDisk = (await acme.resource({ client_id: ids.client })).id;
    expect((await acme.get(`/resources/${ids.newDisk}`)).body.under_maintenance).toBe(true);
    const { body: events } = await acme.get(`/events?record_id=${ids.newDisk}&expand=record`);
    expect(events.data).toMatchObject([{ record: { under_maintenance: true } }]);
    const { body: summary } = await acme.get(`/clients/${ids.client}/summary`);
    expect(summary).toMatchObject({
      services: { total: 2, unhealthy: 1, under_maintenance: 2 },
      resources: { total: 3, unhealthy: 0, under_maintenance: 3 },
    });
    expect((await acme.get('/services/summary?group_by=under_maintenance')).body).toMatchObject({
      data: [{ value: 'true', count: 3 }],
    });
    expect((await acme.patch(`${WINDOWS}/${id}`, { to: inHours(-0.5) })).status).toBe(200);
    expect((await acme.get(`/services/${ids.mail}`)).body.under_maintenance).toBe(false);
  });

  it('ends after it begins, and names what there is', async () => {
    const window = await acme.create(WINDOWS, { ...OPEN, note: 'Disks' });
    const refusals: readonly (readonly [JsonBody, string])[] = [
      [{ to: OPEN.from }, '#/to'],
      [{ from: 'now' }, '#/from'],
      [{ note: 'x'.repeat(1_001) }, '#/note'],
      ...['client_id', 'service_id', 'resource_id'].map((field) => [{ [field]: NOWHERE }, `#/${field}`] as const),
    ];
    for (const [fields, pointer] of refusals) {
      const refused = await acme.post(WINDOWS, { ...OPEN, ...fields });
      expect([refused.status, pointersOf(refused)]).toEqual([422, [pointer]]);
    }
    expect(pointersOf(await acme.patch(`${WINDOWS}/${window.id}`, { to: inHours(-2) }))).toEqual(['#/to']);
    expect(pointersOf(await acme.patch(`${WINDOWS}/${window.id}`, { client_id: ids.client }))).toEqual(['#/client_id']);
    const rival = apiDriverOf(api, (await api.orgToken()).token);
    expect((await rival.get(`${WINDOWS}/${window.id}`)).status).toBe(404);
    expect((await rival.post(WINDOWS, { ...OPEN, client_id: ids.client })).status).toBe(422);
    expect((await rival.list('/services?under_maintenance=true')).ids).toEqual([]);
    const { body } = await acme.post('/integrations', {
      ...{ app_code: randomUUID(), display_name: 'Reader', permissions: ['maintenance-windows:read', 'services:read'] },
    });
    const reader = apiDriverOf(api, await api.login(String(body.app_code), String(body.secret)));
    expect((await reader.get(`${WINDOWS}/${window.id}`)).body).toEqual(window);
    expect((await reader.post(WINDOWS, OPEN)).status).toBe(403);
    // Who may read services sees whether they are under maintenance.
    expect((await reader.get(`/services/${ids.shop}`)).body.under_maintenance).toBe(true);
    await acme.remove(`${WINDOWS}/${window.id}`);
  });

  it('is one of at most a hundred that have not ended', async () => {
    const rival = apiDriverOf(api, (await api.orgToken()).token);
    await rival.create(WINDOWS, { from: inHours(-2), to: inHours(-1) });
    const { id: client_id } = await rival.client();
    const all = { client_id, service_id: (await rival.service({ client_id })).id };
    const named = { ...all, resource_id: (await rival.resource({ client_id })).id };
    for (const amount of [50, 50])
      await Promise.all(Array.from({ length: amount }, () => rival.create(WINDOWS, { ...OPEN, ...named })));
    const refused = await rival.post(WINDOWS, OPEN);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringMatching(/100 maintenance windows/)]);
    expect((await rival.post(WINDOWS, { from: inHours(-2), to: inHours(-1) })).status).toBe(201);
  });
});
