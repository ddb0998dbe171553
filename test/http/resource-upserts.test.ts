import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { type Calls, type Created, callsOf, pointsAt } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** `PUT /resources?external_id=`, and the list by it. What all upserts do: `upserts.test.ts`. */

const api = useApi();
const org = prepared(() => api.orgToken());
const acme = prepared(() => callsOf(api, org.token));
const RESOURCES = '/api/v1/resources';
let client: Created;
beforeAll(async () => {
  client = await acme.create('/api/v1/clients', { name: 'Acme' });
});

const newId = (): string => `ext/${randomUUID()} é`;
const at = (externalId: string): string => `${RESOURCES}?${new URLSearchParams({ external_id: externalId })}`;
const fields = (more = {}) => ({ client_id: client.id, name: 'db-1', type: 'server', ...more });
const put = (externalId: string, body: unknown = fields(), by: Calls = acme) => by.ask('PUT', at(externalId), body);
const post = (external_id: string | null) => acme.create(RESOURCES, fields({ external_id }));
const idsOf = async (externalId: string) => (await acme.read(at(externalId))).data.map(({ id }) => id);

describe('PUT /resources?external_id=', () => {
  it('creates a resource, then changes what is sent of it, and counts it once', async () => {
    const id = newId();
    const made = await put(id, fields({ status: 'maintenance', credentials: { token: 'a' } }));
    expect([made.status, made.headers.get('location')]).toEqual([201, `${RESOURCES}/${made.body.id}`]);
    expect(made.body).toMatchObject({ external_id: id, status: 'maintenance', provider: 'local' });
    const changed = await put(id, fields({ name: 'db-2' }));
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...made.body, name: 'db-2', updated_at: expect.any(String) },
    ]);
    const again = await put(id, fields({ name: 'db-2' }));
    expect([again.body, again.headers.get('etag')]).toEqual([changed.body, changed.headers.get('etag')]);
    expect(await idsOf(id)).toEqual([made.body.id]);
  });

  it('changes one that was created otherwise, also where nothing else changes, and then no other may claim it', async () => {
    const id = newId();
    const { id: posted } = await post(id);
    const tag = (await acme.ask('GET', `${RESOURCES}/${posted}`)).headers.get('etag');
    const taken = await put(id);
    expect([taken.status, taken.body.id, taken.headers.get('etag')]).toEqual([200, posted, tag]);
    await acme.ask('DELETE', `${RESOURCES}/${posted}`);
    const next = await put(id);
    expect([next.status, next.body.id === posted]).toEqual([201, false]);
    const other = newId();
    expect((await acme.ask('PATCH', `${RESOURCES}/${next.body.id}`, { external_id: other })).status).toBe(200);
    expect([(await put(id)).status, (await put(other)).body.id]).toEqual([201, next.body.id]);
  });

  it('takes the id without what shows nothing at its ends', async () => {
    const id = newId();
    const made = await put(` ${id}`, fields({ external_id: `${id}\u00ad` }));
    expect([made.status, made.body.external_id]).toEqual([201, id]);
    for (const spelling of [id, `${id}\n`, `\ufeff${id}`, `${id}\u200b`]) {
      expect((await put(spelling)).body.id).toBe(made.body.id);
      expect(await idsOf(spelling)).toEqual([made.body.id]);
    }
    expect((await post(`${id} `)).external_id).toBe(id);
    expect((await put('\u2060')).status).toBe(400);
  });

  it('is a 409 where several have it, and no other request is', async () => {
    const id = newId();
    const [one] = [await post(id), await post(id)];
    const { status, body } = await put(id);
    expect([status, body.errors]).toEqual([409, [expect.objectContaining({ in: 'query', pointer: '#/external_id' })]]);
    expect(await idsOf(id)).toHaveLength(2);
    await acme.ask('PATCH', `${RESOURCES}/${one.id}`, { external_id: null });
    expect((await put(id)).status).toBe(200);
  });

  it('refuses another client, another value in the body, and none in the query', async () => {
    const id = newId();
    await put(id);
    const other = await acme.create('/api/v1/clients', { name: 'Other' });
    const moved = await put(id, fields({ client_id: other.id }));
    expect([moved.status, moved.body.errors]).toEqual([422, pointsAt('client_id')]);
    const named = await put(id, fields({ external_id: 'x' }));
    expect([named.status, named.body.errors]).toEqual([422, pointsAt('external_id')]);
    expect((await put('')).status).toBe(400);
    expect((await put('x'.repeat(501))).status).toBe(400);
    expect((await put(newId(), fields({ client_id: randomUUID() }))).body.errors).toEqual(pointsAt('client_id'));
  });

  it('many at once make one resource, and deletions between them no ghosts', async () => {
    for (let round = 0; round < 3; round++) {
      const id = newId();
      const replies = await Promise.all(['a', 'b', 'c'].map((name) => put(id, fields({ name }))));
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 201]);
      const made = replies[0]?.body.id;
      expect(await idsOf(id)).toEqual([made]);
      const [deleted, upserted] = await Promise.all([
        acme.ask('DELETE', `${RESOURCES}/${made}`),
        put(id, fields({ name: 'd' })),
      ]);
      expect([deleted.status, [200, 201].includes(upserted.status)]).toEqual([204, true]);
      expect(await idsOf(id)).toEqual(upserted.status === 201 ? [upserted.body.id] : []);
    }
  });
});
