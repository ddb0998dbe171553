import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { environmentTable, JournalReader, tenantKey } from '#table';
import { BUDGET_OF } from '#tenancy';
import { cursorOf } from '../../functions/events/cursor.ts';
import * as endpointSecrets from '../../functions/events/endpoints/secrets.ts';
import { registeredOf, unregister } from '../../functions/events/state/register.ts';
import { readStates } from '../../functions/events/state/state.ts';
import { attemptsOf, endpointEntity, type StoredEndpoint } from '../../functions/events/store.ts';
import { apiDriverOf, NOWHERE, pointersOf } from '../http/api-driver.ts';
import type { ApiResponse, JsonBody } from '../support/api.ts';
import { keyMadeBy } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { doIn, openTenant } from '../support/storage.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';
import { challengeOf } from '../support/verified.ts';

/**
 * `/webhook-endpoints`: what an endpoint is, how far it is, and what ends with it. Who may change it is in
 * `power.test.ts`.
 */

const api = useApi({ authorizerTtlSeconds: 0 });
const org = prepared(() => api.orgToken());
const mine = prepared(() => apiDriverOf(api, org.token));
const platform = prepared(async () => apiDriverOf(api, await api.platformToken()));

const PATH = '/webhook-endpoints';
const URL = 'https://hooks.acme.example/in';
const create = (fields: JsonBody = {}) => mine.create(PATH, { url: URL, ...fields });
/** One whose receiver has proved that it wants it, as a person shows. */
const createVerified = async (fields: JsonBody = {}): Promise<JsonBody & { id: string }> => {
  const { id, secret } = await create(fields);
  const { status, body } = await mine.post(`${PATH}/${id}/verify`, { code: await challengeOf(org.orgId, id) });
  expect([status, body.status]).toEqual([200, 'active']);
  return { ...body, id, secret };
};
const read = async (id: string) => (await mine.get(`${PATH}/${id}`)).body;

const handle = (orgId = org.orgId) => openTenant(environmentTable(), orgId);
const stored = async (id: string) => {
  const found = await handle().records(endpointEntity).get(id);
  if (found === undefined) throw new Error('there is no such endpoint');
  return found;
};
const stateOf = async (id: string) => (await readStates(handle(), [id])).get(id);
const isRegistered = async (id: string, orgId = org.orgId) =>
  (await registeredOf(environmentTable(), orgId)).find(({ endpointId }) => endpointId === id)?.version;

/** Changes an endpoint as a worker does. */
const become = async (id: string, changes: Partial<StoredEndpoint>) => {
  const tenant = handle();
  tenant.session.audit.actAs({ type: 'operator' }, 'deliver');
  await doIn(tenant, async () => {
    const before = await tenant.records(endpointEntity).get(id);
    if (before !== undefined) await tenant.records(endpointEntity).update(before, changes);
  });
};

const outcome = ({ status, body }: ApiResponse) => [status, String(body.type).replace(/.*:/, '')];

describe('a new endpoint', () => {
  it('shows its secret once, which is stored encrypted, is unverified and registered', async () => {
    const { secret, ...endpoint } = await create({ description: 'Mirror', batch_size: 50, payload: 'record' });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(endpoint).toMatchObject({
      integration_id: org.integrationId,
      app_code: org.appCode,
      status: 'unverified',
      status_reason: 'ping_pending',
      event_types: null,
      backlog: 1,
      failing_since: null,
    });
    expect(await read(endpoint.id)).toEqual(endpoint);
    const { record, version } = await stored(endpoint.id);
    expect(JSON.stringify(record)).not.toContain(String(secret));
    expect(await endpointSecrets.open({ tenant: handle(), id: endpoint.id }, record.secrets[0]?.sealed ?? '')).toBe(
      secret,
    );
    expect(record.confirmed).toEqual({ token_epoch: 0, permissions: null });
    expect(await isRegistered(endpoint.id)).toBe(version);
  });

  it('begins at its creation: its backlog has later changes, and no earlier ones', async () => {
    const before = await create();
    const client = await mine.client();
    const after = await create();
    await mine.patch(`/clients/${client.id}`, { name: 'Bistro' });
    await mine.patch(`${PATH}/${after.id}`, { description: 'x' });
    // The creation of each endpoint is an event too.
    expect([(await read(before.id)).backlog, (await read(after.id)).backlog]).toEqual([5, 3]);
    const { body } = await mine.get(`/events?after=${(await read(after.id)).delivered_through}`);
    expect((body.data as JsonBody[]).map(({ type }) => type)).toEqual([
      'webhook_endpoint.created',
      'client.updated',
      'webhook_endpoint.updated',
    ]);
  });

  it('has exact backlogs in a list, also where numbers were released', async () => {
    const other = await api.orgToken();
    const theirs = apiDriverOf(api, other.token);
    const ids: string[] = [];
    for (let made = 0; made < 3; made++) {
      ids.push((await theirs.create(PATH, { url: URL })).id);
      // Its slug is taken from the second on: the number of its event is released.
      await theirs.post('/clients', { name: 'Acme', slug: 'acme' });
    }
    const { body } = await theirs.get(`${PATH}?sort=created_at`);
    expect((body.data as JsonBody[]).map(({ id, backlog }) => [id, backlog])).toEqual([
      [ids[0], 4],
      [ids[1], 2],
      [ids[2], 1],
    ]);
    expect(body.total).toBe(3);
  });

  it('knows of no backlog once its cursor has ended', async () => {
    const other = await api.orgToken();
    const theirs = apiDriverOf(api, other.token);
    const { id } = await theirs.create(PATH, { url: URL });
    await new JournalReader(handle(other.orgId)).raiseGeneration();
    expect((await theirs.get(`${PATH}/${id}`)).body).toMatchObject({ status: 'unverified', backlog: null });
  });

  const unchanged = prepared(() => create());
  it.each([
    [{ url: 'http://hooks.acme.example' }, '#/url'],
    [{ url: 'https://user:word@hooks.acme.example' }, '#/url'],
    [{ url: 'https://10.1/' }, '#/url'],
    [{ url: 'https://169.254.169.254/latest' }, '#/url'],
    [{ url: `https://hooks.acme.example/${'x'.repeat(2_048)}` }, '#/url'],
    [{ event_types: ['client.created', 'client.cloned'] }, '#/event_types/1'],
    [{ event_types: [] }, '#/event_types'],
    [{ batch_size: 101 }, '#/batch_size'],
    [{ payload: 'all' }, '#/payload'],
    [{ status: 'paused' }, '#/status'],
    [{ integration_id: NOWHERE }, '#/integration_id'],
  ])('is refused with %j', async (fields, pointer) => {
    const response = await mine.post(PATH, { url: URL, ...fields });
    expect([response.status, pointersOf(response)]).toEqual([422, [pointer]]);
    if ('url' in fields) expect((await mine.patch(`${PATH}/${unchanged.id}`, fields)).status).toBe(422);
  });

  it('is one of 20, also when many are made at once; a deletion makes room, and a platform caller may pass', async () => {
    vi.stubEnv('MAX_WEBHOOK_ENDPOINTS', '');
    const other = await api.orgToken();
    const theirs = apiDriverOf(api, other.token);
    const make = () => theirs.post(PATH, { url: URL });
    const made = await Promise.all(Array.from({ length: 22 }, make));
    const refused = made.filter(({ status }) => status !== 201);
    expect(made.length - refused.length).toBe(20);
    expect(refused.map(outcome)).toEqual(refused.map(() => [409, 'conflict']));
    const first = made.find(({ status }) => status === 201)?.body.id;
    expect((await theirs.remove(`${PATH}/${first}`)).status).toBe(204);
    expect([(await make()).status, (await make()).status]).toEqual([201, 409]);
    const asked = { url: URL, integration_id: other.integrationId };
    expect((await platform.post(`${PATH}?org_id=${other.orgId}`, asked)).status).toBe(201);
    vi.unstubAllEnvs();
  });
});

describe('the status', () => {
  it('is paused and active again by requests; what comes meanwhile waits', async () => {
    const { id } = await createVerified();
    expect((await mine.patch(`${PATH}/${id}`, { status: 'paused' })).body).toMatchObject({
      status: 'paused',
      status_reason: 'requested',
    });
    await mine.client();
    const { version } = await stored(id);
    const { body } = await mine.patch(`${PATH}/${id}`, { status: 'active' });
    expect(body).toMatchObject({ status: 'active', status_reason: null, backlog: 5 });
    expect(await isRegistered(id)).toBe(version + 1);
  });

  it('is confirmed where it is active, which registers the endpoint again', async () => {
    const { id } = await createVerified();
    const [entry] = (await registeredOf(environmentTable(), org.orgId)).filter(({ endpointId }) => endpointId === id);
    if (entry !== undefined) await unregister(environmentTable(), entry);
    expect(await isRegistered(id)).toBeUndefined();
    await mine.patch(`${PATH}/${id}`, { status: 'active' });
    expect(await isRegistered(id)).toBe(2);
  });

  it('cannot be set to anything else, but the value that it has may be sent back', async () => {
    const { id } = await createVerified();
    await become(id, { status: 'disabled', status_reason: 'failing' });
    expect((await mine.patch(`${PATH}/${id}`, { status: 'expired' })).status).toBe(422);
    const body = await read(id);
    expect((await mine.patch(`${PATH}/${id}`, { ...body, description: 'Same' })).body).toMatchObject({
      status: 'disabled',
      status_reason: 'failing',
      description: 'Same',
    });
    expect((await mine.patch(`${PATH}/${id}`, { status: 'active' })).body).toMatchObject({ status: 'active' });
  });

  it('of two concurrent changes with one version is changed once', async () => {
    const { id } = await create();
    const etag = String((await mine.get(`${PATH}/${id}`)).headers.get('etag'));
    const both = ['paused', 'active'].map((status) =>
      mine.patch(`${PATH}/${id}`, { status, description: status }, { headers: { 'if-match': etag } }),
    );
    expect((await Promise.all(both)).map(({ status }) => status).toSorted()).toEqual([200, 412]);
  });

  it('has the same version after a delivery, but another entity tag', async () => {
    const { id } = await create();
    const before = await mine.get(`${PATH}/${id}`);
    await mine.client();
    const after = await mine.get(`${PATH}/${id}`, {
      headers: { 'if-none-match': String(before.headers.get('etag')) },
    });
    expect([after.status, after.body.backlog]).toEqual([200, 2]);
    const version = (response: ApiResponse) => String(response.headers.get('etag')).split('.')[0];
    expect(version(after)).toBe(version(before));
  });
});

describe('a replay', () => {
  const replay = (id: string, from: unknown) => mine.post(`${PATH}/${id}/replay`, { from });

  it('goes back to a cursor, to the oldest event, or to the end', async () => {
    const { id, delivered_through } = await create();
    await mine.client();
    const latest = await replay(id, 'latest');
    expect([latest.status, latest.body.backlog]).toEqual([200, 1]);
    expect(latest.body.replayed_at).not.toBeNull();
    const back = await replay(id, delivered_through);
    expect(back.body).toMatchObject({ delivered_through, backlog: 4 });
    expect(await read(id)).toEqual(back.body);
    const oldest = (await replay(id, 'oldest')).body;
    expect(Number(oldest.backlog)).toBeGreaterThan(5);
    const { total } = (await mine.get(`/audit-events?record_id=${id}`)).body;
    expect(total).toBe(4);
  });

  it('takes a lease from the endpoint, but not its failures, as a new address does', async () => {
    const { id } = await create();
    const retryAt = Date.now() + 600_000;
    await environmentTable().client.send(leased(id, retryAt));
    const waiting = { failing_since: expect.any(String), waits_until: new Date(retryAt).toISOString() };
    expect((await replay(id, 'latest')).body).toMatchObject(waiting);
    expect(await stateOf(id)).not.toHaveProperty('lease');
    expect(await read(id)).toMatchObject(waiting);
    await environmentTable().client.send(leased(id, retryAt));
    const { body } = await mine.patch(`${PATH}/${id}`, { url: `${URL}/2` });
    expect(await stateOf(id)).not.toHaveProperty('lease');
    expect(body).toMatchObject({ failing_since: null, waits_until: null });
    expect(await read(id)).toEqual(body);
  });

  describe('that goes back', () => {
    const MINUTE = 60_000;
    /** Of an organization of its own, at a time that the test moves. */
    const begin = async (endpoints = 3) => {
      const { token, orgId } = await api.orgToken();
      const theirs = apiDriverOf(api, token);
      const ids: string[] = [];
      for (let made = 0; made < endpoints; made++) ids.push(String((await theirs.create(PATH, { url: URL })).id));
      const start = Math.floor(Date.now() / 1_000) * 1_000;
      vi.useFakeTimers({ toFake: ['Date'], now: start });
      return {
        orgId,
        replay: (index: number, from = 'oldest') => theirs.post(`${PATH}/${ids[index]}/replay`, { from }),
        minutesUntil: ({ body }: ApiResponse) =>
          body.waits_until === null ? 0 : (Date.parse(String(body.waits_until)) - start) / MINUTE,
        get: async (index: number) => (await theirs.get(`${PATH}/${ids[index]}`)).body,
        change: (index: number, fields: JsonBody) => theirs.patch(`${PATH}/${ids[index]}`, fields),
      };
    };
    afterEach(() => void vi.useRealTimers());

    it('begins at once; others of the organization wait, one a minute and ten an hour, and more are refused', async () => {
      const { replay: back, minutesUntil } = await begin(13);
      const waits: number[] = [];
      for (let index = 0; index < 11; index++) waits.push(minutesUntil(await back(index)));
      expect(waits).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 60]);
      const refused = await back(11);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
      expect(minutesUntil(await back(12, 'latest'))).toBe(0);
    });

    it('takes the place of one that waits, and waits whatever activates the endpoint', async () => {
      const { replay: back, minutesUntil, change, get } = await begin();
      const waits: number[] = [];
      for (const index of [0, 1]) waits.push(minutesUntil(await back(index)));
      for (const index of [1, 2]) waits.push(minutesUntil(await back(index)));
      expect(waits).toEqual([0, 1, 1, 2]);
      const changes = [{ status: 'paused' }, { status: 'active' }, { url: `${URL}/2` }, { description: 'Waits' }];
      for (const fields of changes) {
        const changed = await change(1, fields);
        expect([minutesUntil(changed), changed.body]).toEqual([1, await get(1)]);
      }
    });

    it('is cancelled by one from the latest event, which repeats nothing', async () => {
      const { replay: back, minutesUntil } = await begin();
      const waits: number[] = [];
      for (const index of [0, 1]) waits.push(minutesUntil(await back(index)));
      waits.push(minutesUntil(await back(1, 'latest')), minutesUntil(await back(1)));
      expect(waits).toEqual([0, 1, 0, 2]);
    });

    it('does not wait for times that a wrong clock has stored', async () => {
      const { orgId, replay: back, minutesUntil } = await begin();
      const times = [1, 2].map((days) => Date.now() + days * 24 * 60 * MINUTE);
      await environmentTable().client.send(
        new PutCommand({
          TableName: environmentTable().name,
          Item: { ...tenantKey(handle(orgId).id, 'BUDGET', BUDGET_OF.replays), BEGINS: times, LAST: times[1] },
        }),
      );
      expect([minutesUntil(await back(0)), minutesUntil(await back(1))]).toEqual([0, 1]);
    });
  });

  it('makes an expired endpoint active, which a change does not, and leaves others as they are', async () => {
    const { id } = await createVerified();
    await become(id, { status: 'expired', status_reason: 'cursor_expired' });
    expect(outcome(await mine.patch(`${PATH}/${id}`, { status: 'active' }))).toEqual([409, 'conflict']);
    expect((await replay(id, 'oldest')).body).toMatchObject({ status: 'active', status_reason: null });
    expect(await isRegistered(id)).toBe((await stored(id)).version);
    await mine.patch(`${PATH}/${id}`, { status: 'paused' });
    expect((await replay(id, 'oldest')).body).toMatchObject({ status: 'paused' });
  });

  it('refuses what is no cursor of the organization, and one that has expired', async () => {
    const { id } = await create();
    const next = { generation: '0123456789ab', next: 0 };
    const theirs = cursorOf((await api.orgToken()).orgId as Parameters<typeof cursorOf>[0], next);
    for (const from of ['', 'x', 'x'.repeat(32), theirs, 7]) {
      const response = await replay(id, from);
      expect([response.status, pointersOf(response)], String(from)).toEqual([422, ['#/from']]);
    }
    for (const number of [0, 2 ** 48 - 1])
      expect(outcome(await replay(id, cursorOf(handle().id, { ...next, next: number })))).toEqual([
        410,
        'cursor-expired',
      ]);
    const sendWhat = 'send `oldest`, `latest`, or the `next` of an earlier response as it was';
    const { body } = await replay(id, 'x');
    expect(body).toMatchObject({ errors: [{ detail: `is no cursor of this organization: ${sendWhat}` }] });
  });
});

const leased = (id: string, retryAt: number) =>
  new UpdateCommand({
    TableName: environmentTable().name,
    Key: { ...tenantKey(handle().id, 'DELIVERY', id) },
    UpdateExpression: 'SET lease = :text, failing_since = :text, retry_at = :retry',
    ExpressionAttributeValues: { ':text': '2026-11-20T09:30:00.000Z', ':retry': retryAt },
  });

describe('a ping', () => {
  const ping = (id: string) => mine.post(`${PATH}/${id}/ping`, undefined);

  it('is an event in the journal, whatever the endpoint wants', async () => {
    const { id, delivered_through: after } = await createVerified({ event_types: ['client.created'] });
    const { status, body } = await ping(id);
    expect([status, body]).toEqual([
      202,
      expect.objectContaining({ type: 'webhook_endpoint.pinged', record_id: id, version: 2, changed_fields: null }),
    ]);
    const { body: feed } = await mine.get(`/events?after=${after}&types=webhook_endpoint.pinged`);
    expect(feed.data).toEqual([body]);
  });

  it('is refused where nothing is delivered', async () => {
    const { id } = await create();
    await mine.patch(`${PATH}/${id}`, { status: 'paused' });
    expect(outcome(await ping(id))).toEqual([409, 'conflict']);
  });
});

describe('the secret', () => {
  const rotate = (id: string, body: JsonBody = {}, headers = {}) =>
    mine.post(`${PATH}/${id}/rotate-secret`, body, { headers });

  it('is replaced, with the one before for a while; there are two at most', async () => {
    const { id, secret } = await create();
    const { status, headers, body } = await rotate(id);
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    const open = async () => {
      const { record } = await stored(id);
      return Promise.all(record.secrets.map(({ sealed }) => endpointSecrets.open({ tenant: handle(), id }, sealed)));
    };
    expect(await open()).toEqual([body.secret, secret]);
    const ends = (await stored(id)).record.secrets.map(({ expires_at }) => expires_at);
    expect(ends).toEqual([null, Date.parse(String(body.previous_expires_at)) / 1000]);
    const third = (await rotate(id, { previous_valid_for: 60 })).body.secret;
    expect(await open()).toEqual([third, body.secret]);
    const { body: last } = await rotate(id, { previous_valid_for: 0 });
    expect([await open(), last.previous_expires_at]).toEqual([[last.secret], null]);
  });

  it('is shown again under an idempotency key to the first caller alone', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await mine.post(PATH, { url: URL }, { headers });
    const again = await mine.post(PATH, { url: URL }, { headers });
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true']);
    const fresh = apiDriverOf(api, await api.login(org.appCode, org.secret));
    expect((await fresh.post(PATH, { url: URL }, { headers })).body).toEqual({ ...first.body, secret: null });
  });

  it('is shown again to a platform caller, in the organization that it named', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const ask = () =>
      platform.post(`${PATH}?org_id=${org.orgId}`, { url: URL, integration_id: org.integrationId }, { headers });
    const first = await ask();
    expect([first.status, (await ask()).body]).toEqual([201, first.body]);
  });
});

describe('failed deliveries', () => {
  it('are listed below their endpoint for seven days, and go with it', async () => {
    const { id } = await create();
    const attempt = { events: 1, first_event_id: NOWHERE, duration_ms: 12, skipped: false };
    for (const status_code of [500, 503]) {
      await doIn(handle(), (tenant) =>
        attemptsOf(tenant, id).create({
          fields: { ...attempt, attempted_at: tenant.session.timestamp, status_code, error: null },
        }),
      );
    }
    const { body } = await mine.get(`${PATH}/${id}/attempts`);
    expect([body.total, (body.data as JsonBody[]).map(({ status_code }) => status_code)]).toEqual([2, [503, 500]]);
    expect((await mine.get(`${PATH}/${NOWHERE}/attempts`)).status).toBe(404);

    expect((await mine.remove(`${PATH}/${id}`)).status).toBe(204);
    expect((await mine.get(`${PATH}/${id}/attempts`)).status).toBe(404);
    expect((await attemptsOf(handle(), id).page({ page: 1, page_size: 5 })).records).toEqual([]);
    expect(await stateOf(id)).toBeUndefined();
    expect((await mine.get('/audit-events?page_size=1')).body.data).toMatchObject([
      { operation: 'deleteWebhookEndpoint', record_id: id },
    ]);
  });
});

it('a platform caller names the integration, and the platform has endpoints of its own', async () => {
  const response = await platform.post(`${PATH}?org_id=${org.orgId}`, { url: URL });
  expect([response.status, pointersOf(response)]).toEqual([422, ['#/integration_id']]);
  const own = await platform.create(PATH, { url: URL });
  expect(own).toMatchObject({ app_code: 'platform', status: 'unverified' });
  expect((await platform.remove(`${PATH}/${own.id}`)).status).toBe(204);
});

it('another integration may own it, if the caller has all of its permissions', async () => {
  const key = await keyMadeBy(api, callsOf(api, org.token), { permissions: ['clients:read'] });
  const endpoint = await create({ integration_id: key.id });
  expect([endpoint.integration_id, endpoint.app_code]).toEqual([key.id, key.appCode]);
  expect((await stored(endpoint.id)).record.confirmed.permissions).toEqual(['clients:read']);
});
