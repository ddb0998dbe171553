import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { configureTable } from '#table';
import { sign } from '../../functions/webhooks/signature.ts';
import type { OrgAccess } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { FaultyHandler } from '../support/faults.ts';
import { forgetIds } from '../support/other-container.ts';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf } from './api-driver.ts';

const wire = new FaultyHandler();
const api = useApi();
beforeAll(() => configureTable({ requestHandler: wire }));
const org = prepared(() => api.orgToken());

const created = (name: string) => ({ event_type: 'client.created', data: { name } });
const listed = async (path: string) =>
  (await api.request<{ data: Record<string, unknown>[]; total: number }>('GET', path, { token: org.token })).body;
const problem = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  String(body.type).split(':').at(-1),
];

describe('a delivery', () => {
  it('has the effect of the operation, and gets the receipt', async () => {
    const eventId = randomUUID();
    const { status, body } = await deliver(api, org, created('By webhook'), {
      eventId,
      headers: { 'x-timestamp': '2026-11-20T10:00:00+01:00' },
    });
    expect([status, body]).toEqual([200, { received: true, app: org.appCode, timestamp: expect.any(String) }]);
    const { data } = await listed('/api/v1/clients?sort=-created_at&page_size=1');
    expect(data[0]).toMatchObject({ name: 'By webhook', org_id: org.orgId });
    const events = await listed('/api/v1/webhook-events?event_type=client.created');
    const event = events.data.find((found) => found.event_id === eventId);
    expect(event).toMatchObject({
      outcome: 'applied',
      operation: 'createClient',
      record_id: data[0]?.id,
      occurred_at: '2026-11-20T09:00:00.000Z',
    });
    const whole = await api.request('GET', `/api/v1/webhook-events/${event?.id}`, { token: org.token });
    expect(whole.body).toMatchObject({ data: { name: 'By webhook' }, app_code: org.appCode });
  });

  it('that comes again is a 409 and does nothing', async () => {
    const eventId = randomUUID();
    await deliver(api, org, created('Once'), { eventId });
    const before = (await listed('/api/v1/clients')).total;
    const again = await deliver(api, org, created('Once'), { eventId });
    expect(problem(again)).toEqual([409, 'event-already-processed']);
    expect(again.body.detail).toBe('This event was already processed: there is no need to send it again.');
    expect(
      problem(await deliver(api, org, '{ "data": {"name":"Once"}, "event_type":"client.created" }', { eventId })),
    ).toEqual([409, 'event-id-reused']);
    expect(problem(await deliver(api, org, created('Other'), { eventId }))).toEqual([409, 'event-id-reused']);
    expect((await listed('/api/v1/clients')).total).toBe(before);
  });

  it('that comes again allocates no numbers in the container that has processed it, and releases them in another', async () => {
    const eventId = randomUUID();
    await deliver(api, org, created('Counted'), { eventId });
    const before = await Promise.all(['clients', 'webhook-events'].map((list) => listed(`/api/v1/${list}`)));
    const again = async () => {
      wire.follow(() => undefined);
      expect(problem(await deliver(api, org, created('Counted'), { eventId }))).toEqual([
        409,
        'event-already-processed',
      ]);
      return wire.calls.filter((operation) => operation !== 'GetItem').sort();
    };
    expect(await again()).toEqual([]);
    forgetIds();
    // The numbers of the client, of its event, and of the webhook event: each is allocated, and released.
    expect(await again()).toEqual(Array(6).fill('UpdateItem'));
    const after = await Promise.all(['clients', 'webhook-events'].map((list) => listed(`/api/v1/${list}`)));
    expect(after.map(({ total }) => total)).toEqual(before.map(({ total }) => total));
  });

  it('is applied once when it comes sixteen times at once', async () => {
    const eventId = randomUUID();
    const name = `Race ${eventId}`;
    const responses = await Promise.all(
      Array.from({ length: 16 }, () => deliver(api, org, created(name), { eventId })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(15).fill(409)]);
    const { data } = await listed('/api/v1/clients?page_size=200');
    expect(data.filter((client) => client.name === name)).toHaveLength(1);
  });

  it('of an event without effect is stored and acknowledged', async () => {
    const eventId = randomUUID();
    const { status, body } = await deliver(
      api,
      org,
      { event_type: 'invoice.paid', data: { amount: 1e300 } },
      { eventId },
    );
    expect([status, body.outcome, body.reason]).toEqual([200, 'stored', expect.stringContaining('changed nothing')]);
    const { data } = await listed('/api/v1/webhook-events?event_type=invoice.paid');
    expect(data[0]).toMatchObject({ event_id: eventId, outcome: 'stored', operation: null, record_id: null });
  });

  it('that cannot be applied names the reason and is not remembered', async () => {
    const eventId = randomUUID();
    const refused = async (event_type: string, data: object) => {
      const response = await deliver(api, org, { event_type, data }, { eventId });
      return [problem(response), response.body.errors];
    };
    const at = (pointer: string) => [{ in: 'body', pointer, detail: expect.any(String) }];
    const invalid = [422, 'invalid-body'];
    const dangling = [422, 'reference-not-found'];
    expect(await refused('client.created', { name: 7, colour: 'red' })).toEqual([invalid, at('#/data/name')]);
    expect(await refused('client.updated', { id: randomUUID(), name: 'x' })).toEqual([dangling, at('#/data/id')]);
    expect(await refused('terminal.created', { client_id: randomUUID(), name: 'Front desk' })).toEqual([
      dangling,
      at('#/data/client_id'),
    ]);
    const named = { event_type: 'client.created', data: { name: 'Acme', slug: `acme-${eventId}` } };
    expect((await deliver(api, org, named)).status).toBe(200);
    expect(await refused('client.created', named.data)).toEqual([[409, 'already-exists'], at('#/data/slug')]);
    const mine = apiDriverOf(api, org.token);
    const { id: client_id } = await mine.client();
    const { id: service_id } = await mine.service({ client_id });
    await mine.resource({ client_id, service_id });
    expect(await refused('service.deleted', { id: service_id })).toEqual([[409, 'still-in-use'], undefined]);
    expect((await deliver(api, org, created('Mended'), { eventId })).status).toBe(200);
  });

  it('may have unknown members, which are ignored, and named in the record of the event', async () => {
    const foreign = { id: 4711, created_at: 'yesterday', org_id: 7, ['x'.repeat(300)]: 1, '\ud800': 2 };
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`more_${index}`, null]));
    const eventId = randomUUID();
    const event = { event_type: 'user.created', data: { email: 'ines@acme.example', ...foreign, ...many } };
    expect((await deliver(api, org, event, { eventId })).status).toBe(200);
    const { data } = await listed('/api/v1/webhook-events?event_type=user.created');
    const stored = await api.request('GET', `/api/v1/webhook-events/${data[0]?.id}`, { token: org.token });
    const names = stored.body.ignored_fields as string[];
    expect(names).toHaveLength(50);
    expect(names.slice(0, 6)).toEqual(['id', 'created_at', 'org_id', 'x'.repeat(100), '\ufffd', 'more_0']);
    expect(stored.body).toMatchObject({ event_id: eventId, outcome: 'applied', data: { id: 4711 } });
    const user = await api.request('GET', `/api/v1/users/${stored.body.record_id}`, { token: org.token });
    expect(user.body.email).toBe('ines@acme.example');
  });

  it('does not move a service, and names the ignored field', async () => {
    const post = async (path: string, body: object) =>
      (await api.request<{ id: string }>('POST', path, { token: org.token, body })).body;
    const [one, other] = [
      await post('/api/v1/clients', { name: 'One' }),
      await post('/api/v1/clients', { name: 'Other' }),
    ];
    const { id } = await post('/api/v1/services', { client_id: one.id, name: 'Shop', type: 'web' });
    const event = { event_type: 'service.updated', data: { id, name: 'Store', client_id: other.id } };
    expect((await deliver(api, org, event)).status).toBe(200);
    const service = await api.request('GET', `/api/v1/services/${id}`, { token: org.token });
    expect(service.body).toMatchObject({ name: 'Store', client_id: one.id });
    const { data } = await listed('/api/v1/webhook-events?event_type=service.updated');
    const stored = await api.request('GET', `/api/v1/webhook-events/${data[0]?.id}`, { token: org.token });
    expect(stored.body.ignored_fields).toEqual(['client_id']);
  });

  it('may name its organization in any spelling, and no other', async () => {
    const named = (org_id: unknown) => ({ event_type: 'client.created', data: { name: 'Named', org_id } });
    expect((await deliver(api, org, named(org.orgId.toUpperCase()))).status).toBe(200);
    for (const orgId of ['', 'x'.repeat(3_000)]) {
      expect(problem(await deliver(api, org, named(orgId)))).toEqual([403, 'forbidden']);
    }
  });
});

describe('a delivery is refused', () => {
  it('for an unknown app code: 404; without a well-formed signature: 401', async () => {
    const never = (appCode: string, options = {}) => deliver(api, { ...org, appCode }, created('Never'), options);
    for (const appCode of ['nobody-has-this', '%20', 'a%2Fb', '..%2f..']) {
      expect(problem(await never(appCode))).toEqual([404, 'not-found']);
    }
    for (const signature of ['', 'nonsense', '0'.repeat(63), `${'0'.repeat(64)}, ${'0'.repeat(64)}`]) {
      expect(problem(await never('nobody-has-this', { signature }))).toEqual([401, 'invalid-signature']);
    }
  });

  it('without a right signature: 401', async () => {
    const event = created('Never');
    const right = sign(JSON.stringify(event), org.secret);
    for (const [signature, detail] of [
      ['', /is missing/],
      [undefined, /is missing/],
      ['nonsense', /must be 64 hex digits/],
      ['0'.repeat(63), /must be 64 hex digits/],
      ['0'.repeat(65), /must be 64 hex digits/],
      [`${right}, ${right}`, /given once/],
      [`sha256=${right}`, /without sha256= before them/],
      [`sha256=${'0'.repeat(64)}`, /without sha256= before them/],
      ['0'.repeat(64), /is not the HMAC-SHA256 of the body as it was sent/],
    ] as const) {
      const response =
        signature === undefined
          ? await api.request('POST', `/api/v1/webhooks/${org.appCode}`, { body: event })
          : await deliver(api, org, event, { signature });
      expect([problem(response), response.body.detail]).toEqual([
        [401, 'invalid-signature'],
        expect.stringMatching(detail),
      ]);
    }
  });

  it.each([
    ['a blank event id', { 'x-event-id': ' ' }],
    ['a long event id', { 'x-event-id': 'x'.repeat(257) }],
    ['a time that is none', { 'x-timestamp': 'yesterday' }],
    ['a day that is none', { 'x-timestamp': '2026-02-30T10:00:00Z' }],
  ])('with %s: 400', async (_, headers) => {
    expect(problem(await deliver(api, org, created('Never'), { headers }))).toEqual([400, 'invalid-parameter']);
  });

  it('with two event ids, in whatever spelling: 400', async () => {
    const raw = JSON.stringify(created('Never'));
    for (const second of ['X-Event-ID', 'x-event-id']) {
      const status = await new Promise((resolve, reject) => {
        const names = ['X-Event-ID', 'one', second, 'two', 'X-Signature', sign(raw, org.secret)];
        const headers = [...names, 'Content-Type', 'application/json', 'Host', 'localhost'];
        request(`${api.url}/api/v1/webhooks/${org.appCode}`, { method: 'POST', headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end(raw);
      });
      expect(status).toBe(400);
    }
  });

  it('with a body that is no event', async () => {
    const malformed = await deliver(api, org, '{');
    expect(problem(malformed)).toEqual([400, 'malformed-request']);
    expect(malformed.body.detail).toMatch(/line 1, column 2 has the end of the text/);
    expect(problem(await deliver(api, org, '[]'))).toEqual([422, 'invalid-body']);
    expect(problem(await deliver(api, org, { event_type: 'created', data: {} }))).toEqual([422, 'invalid-body']);
    expect(problem(await deliver(api, org, { event_type: 'client.created' }))).toEqual([422, 'invalid-body']);
    expect(problem(await deliver(api, org, created('x'.repeat(300_000))))).toEqual([413, 'content-too-large']);
    // Before the signature is looked at.
    const unsigned = await deliver(api, org, created('x'.repeat(300_000)), { signature: '' });
    expect(problem(unsigned)).toEqual([413, 'content-too-large']);
    const text = await deliver(api, org, created('x'), { headers: { 'content-type': 'text/plain' } });
    expect(problem(text)).toEqual([415, 'unsupported-media-type']);
  });
});

describe('the time of an event', () => {
  const at = (org: OrgAccess, seconds: number) =>
    deliver(
      api,
      org,
      { event_type: 'time.told', data: {} },
      {
        headers: { 'x-timestamp': new Date(Date.now() + seconds * 1000).toISOString() },
      },
    );
  const statusesAt = async (org: OrgAccess, ...offsets: number[]) =>
    (await Promise.all(offsets.map((seconds) => at(org, seconds)))).map(({ status }) => status);
  const tolerate = (org: OrgAccess, webhook_tolerance_seconds: number | null) =>
    api.request('PATCH', `/api/v1/integrations/${org.integrationId}`, {
      token: org.token,
      body: { webhook_tolerance_seconds },
    });

  it('may be any, or missing, unless the integration has a tolerance', async () => {
    const strict = await api.orgToken();
    expect(await statusesAt(strict, -9e6, 9e6)).toEqual([200, 200]);
    expect((await tolerate(strict, 300)).body.webhook_tolerance_seconds).toBe(300);
    expect(await statusesAt(strict, -200, 200, -400, 400)).toEqual([200, 200, 400, 400]);
    const none = await deliver(api, strict, created('Timeless'));
    expect([problem(none), none.body.errors]).toEqual([
      [400, 'invalid-parameter'],
      [{ in: 'header', pointer: '#/X-Timestamp', detail: expect.any(String) }],
    ]);
    await tolerate(strict, null);
    expect((await deliver(api, strict, created('Timeless'))).status).toBe(200);
  });

  it('is held to the stricter of stage and integration', async () => {
    vi.stubEnv('WEBHOOK_TOLERANCE_SECONDS', '600');
    const strict = await api.orgToken();
    expect(await statusesAt(strict, -500, -700)).toEqual([200, 400]);
    await tolerate(strict, 300);
    expect(await statusesAt(strict, -200, -400)).toEqual([200, 400]);
    await tolerate(strict, 900);
    expect(await statusesAt(strict, -500, -700)).toEqual([200, 400]);
  });

  it.each([0, -1, 1.5, 2_592_001, '60'])('cannot be held to %j', async (seconds) => {
    expect((await tolerate(org, seconds as number)).status).toBe(422);
  });
});
