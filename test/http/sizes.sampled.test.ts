import { randomBytes } from 'node:crypto';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { beforeAll, describe, expect, it } from 'vitest';
import { MAX_RESPONSE } from '#contract';
import { configureTable } from '#table';
import { MAX_JSON } from '../../shared/contract/sizes.ts';
import type { JsonBody } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { byExtent, EXTENT } from '../support/extent.ts';
import { type Calls, callsOf, newTenant } from '../support/tenant-calls.ts';
import { newMessage, newTicket, TICKETS } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';

/** Bounds of fields, records, pages and reads. `npm test` leaves out pages, which take hundreds of large records. */

/**
 * The SDK's own request handler, which counts the table's responses to reads in bytes of JSON: somewhat more than what
 * is read.
 */
class Meter extends NodeHttpHandler {
  bytes = 0;

  override async handle(...[request, options]: Parameters<NodeHttpHandler['handle']>) {
    const response = await super.handle(request, options);
    if (/\.(Query|BatchGetItem)$/.test(request.headers['x-amz-target'] ?? ''))
      this.bytes += Number(response.response.headers['content-length']);
    return response;
  }
}

const meter = new Meter();
const api = useApi({ authorizerTtlSeconds: 0 });
beforeAll(() => configureTable({ requestHandler: meter }));

/** Bytes: of the largest record; of what one request reads, and reads at first of records that are far apart. */
const MAX_RECORD = 230_000;
const MAX_READ = 16 * 1_048_576;
const MAX_FIRST_LOOK = 2 * MAX_READ;

/** A JSON object of this many bytes. */
const object = (bytes: number, filling = 'x') => {
  const around = JSON.stringify({ t: '' }).length;
  return { t: filling.repeat((bytes - around) / (JSON.stringify(filling).length - 2)) };
};

/** A text that can hardly be compressed. */
const noise = (bytes: number) => ({
  t: randomBytes(bytes)
    .toString('base64')
    .slice(0, bytes - 10),
});

const newClient = async ({ create }: Calls) => (await create('/api/v1/clients', { name: 'Bistro' })).id;

/** A resource whose four fields of JSON have this many bytes each. */
const newResource = (client_id: string, bytes: number, make = object) => ({
  client_id,
  name: 'db-1',
  type: 'server',
  specifications: make(bytes),
  credentials: make(bytes),
  limits: make(bytes),
  metadata: make(bytes),
});

const pointers = (body: { readonly errors?: readonly { readonly pointer?: unknown }[] }): unknown[] =>
  (body.errors ?? []).map(({ pointer }) => pointer);

describe('a field of free-form JSON', () => {
  it('over its limit is a 413 with every field error, and nothing is kept', async () => {
    const acme = await newTenant(api);
    const body = { name: '', slug: 'acme', metadata: object(MAX_JSON + 1), colour: 'red' };
    const refused = await acme.ask('POST', '/api/v1/clients', body);
    expect([refused.status, refused.body.type, pointers(refused.body)]).toEqual([
      413,
      'urn:problem-type:custodia:content-too-large',
      ['#/name', '#/metadata', '#/colour'],
    ]);
    expect((await acme.read('/api/v1/clients')).total).toBe(0);
  });

  it('over its limit in an event of a webhook is a 413 inside the data, and the event may come again', async () => {
    const org = await api.orgToken();
    const event = (bytes: number) => ({
      event_type: 'client.created',
      data: { name: 'Bistro', metadata: object(bytes) },
    });
    const refused = await deliver(api, org, event(MAX_JSON + 1), { eventId: 'evt-1' });
    expect([refused.status, pointers(refused.body)]).toEqual([413, ['#/data/metadata']]);
    expect((await deliver(api, org, event(MAX_JSON), { eventId: 'evt-1' })).status).toBe(200);
  });

  it('counts as it is written, whatever the sender wrote between', async () => {
    const acme = await newTenant(api);
    const raw = JSON.stringify({ name: 'Bistro', metadata: object(1_000) }).replace(
      '{"t"',
      `{${' '.repeat(100_000)}"t"`,
    );
    const options = { token: acme.token, raw, headers: { 'content-type': 'application/json' } };
    expect((await api.request('POST', '/api/v1/clients', options)).status).toBe(201);
  });
});

describe('a record', () => {
  let acme: Calls & { readonly orgId: string };
  let clientId: string;
  beforeAll(async () => {
    acme = await newTenant(api);
    clientId = await newClient(acme);
  });

  const tooLarge = expect.stringMatching(
    new RegExp(`would take \\d{6} bytes in a response, and may take ${MAX_RECORD}`),
  );

  it('may take so much in a response, and no more, though each of its fields is within its own limit', async () => {
    const refused = await acme.ask('POST', '/api/v1/resources', newResource(clientId, MAX_JSON));
    expect([refused.status, refused.body.detail]).toEqual([413, tooLarge]);
    expect((await acme.ask('POST', '/api/v1/resources', newResource(clientId, 45_000))).status).toBe(201);
    expect((await acme.read('/api/v1/resources')).total).toBe(1);
    expect((await acme.read(`/api/v1/clients/${clientId}`)).total_resources).toBe(1);
  });

  it('counts as it is escaped in the response', async () => {
    const quotes = (bytes: number) => object(bytes, '"');
    const ticket = (bytes: number) => newTicket({ description: '\u0001'.repeat(18_000), custom_fields: quotes(bytes) });
    expect((await acme.ask('POST', TICKETS, ticket(MAX_JSON))).body.detail).toEqual(tooLarge);
    expect((await acme.ask('POST', TICKETS, ticket(40_000))).status).toBe(201);
  });

  it('counts whole when it is changed, and stays as it was when that is too much', async () => {
    const { id } = await acme.create('/api/v1/resources', { ...newResource(clientId, 45_000), metadata: null });
    const path = `/api/v1/resources/${id}`;
    const before = await acme.read(path);
    const refused = await acme.ask('PATCH', path, { metadata: object(MAX_JSON), description: '\u0001'.repeat(4_000) });
    expect([refused.status, refused.body.detail]).toEqual([413, tooLarge]);
    expect(await acme.read(path)).toEqual(before);
    expect((await acme.ask('PATCH', path, { metadata: object(45_000) })).status).toBe(200);
  });

  it('counts with credentials that the caller may not see', async () => {
    const blind = await withoutCredentials(acme);
    const { id } = await acme.create('/api/v1/resources', {
      ...newResource(clientId, 60_000),
      limits: null,
      metadata: null,
    });
    const change = { limits: object(60_000), metadata: object(30_000) };
    const { status, body } = await blind.ask('PATCH', `/api/v1/resources/${id}`, change);
    expect([status, body.detail]).toEqual([413, tooLarge]);
    expect((await blind.read(`/api/v1/resources/${id}`)).credentials).toBeNull();
  });

  it('counts when an event of a webhook writes it', async () => {
    const org = await api.orgToken();
    const mine = callsOf(api, org.token);
    const { credentials: _, ...fields } = newResource(await newClient(mine), 60_000);
    const { id } = await mine.create('/api/v1/resources', fields);
    const event = { event_type: 'resource.updated', data: { id, credentials: object(MAX_JSON) } };
    const { status, body } = await deliver(api, org, event);
    expect([status, body.detail]).toEqual([413, tooLarge]);
    expect((await mine.read(`/api/v1/resources/${id}`)).credentials).toBeNull();
  });

  it('of the largest kind is remembered for its idempotency key', async () => {
    const headers = { 'idempotency-key': 'large' };
    const body = newResource(clientId, 45_000, noise);
    const [first, again] = [
      await acme.ask('POST', '/api/v1/resources', body, { headers }),
      await acme.ask('POST', '/api/v1/resources', body, { headers }),
    ];
    expect([first.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(again.body).toEqual(first.body);
  });

  it('leaves an action of its client, however much of it was changed', async () => {
    const { id } = await acme.create('/api/v1/clients', { name: 'Bar', metadata: object(MAX_JSON, '"') });
    for (const bytes of [16_000, 16_300, MAX_JSON]) {
      const { status } = await acme.ask('PATCH', `/api/v1/clients/${id}`, { metadata: object(bytes, '"') });
      expect(status).toBe(200);
    }
    expect((await acme.read(`/api/v1/clients/${id}/actions`)).data).toHaveLength(4);
  });
});

/** The same organization's caller who may not see credentials. */
async function withoutCredentials(acme: Calls): Promise<Calls> {
  const app_code = `blind-${randomBytes(6).toString('hex')}`;
  const permissions = ['resources:read', 'resources:write'];
  const { secret } = await acme.create('/api/v1/integrations', { app_code, display_name: 'Blind', permissions });
  return callsOf(api, await api.login(app_code, String(secret)));
}

describe.skipIf(EXTENT === 'sample')('a page', () => {
  it('of the standard size is always returned, and one that is too large names the largest that is', async () => {
    const acme = await newTenant(api);
    const clientId = await newClient(acme);
    const largest = newResource(clientId, 45_800);
    await inTurn(40, () => acme.create('/api/v1/resources', largest));
    const list = (query: string) => acme.ask('GET', `/api/v1/resources${query}`);

    expect((await list('')).body.data).toHaveLength(25);
    const refused = await list('?page_size=200');
    expect([refused.status, pointers(refused.body)]).toEqual([400, ['#/page_size']]);
    const most = Number(/Ask for at most (\d+) with page_size/.exec(String(refused.body.detail))?.[1]);
    expect(most).toBeGreaterThanOrEqual(25);
    expect((await list(`?page_size=${most}`)).body.data).toHaveLength(most);
    expect((await list(`?page_size=${most + 1}`)).status).toBe(400);
    expect((await list(`?page_size=${most + 1}&client_id=${clientId}`)).status).toBe(400);
  });

  it('of the standard size returns records of the largest size', async () => {
    const acme = await newTenant(api);
    const quotes = (bytes: number) => object(bytes, '"');
    const clientId = await newClient(acme);
    const largest = { ...newResource(clientId, 38_000, quotes), credentials: null };
    await inTurn(26, () => acme.create('/api/v1/resources', largest));
    await inTurn(26, () => acme.create('/api/v1/clients', { name: 'Bistro', metadata: quotes(MAX_JSON) }));
    for (const path of ['/api/v1/resources', '/api/v1/clients', `/api/v1/resources?client_id=${clientId}`]) {
      const { data } = await acme.read(path);
      expect(data).toHaveLength(25);
      expect(Buffer.byteLength(JSON.stringify(JSON.stringify(data)))).toBeLessThan(MAX_RESPONSE);
    }
  });

  const looks: readonly [string, string, number][] = [
    ['', '', MAX_READ],
    ['of a filter that few records match', '?status=open&', MAX_FIRST_LOOK],
  ];
  it.skipIf(EXTENT !== 'nightly').each(looks)(
    '%s reads no more than it may, however little it shows of it',
    async (_, filter, bound) => {
      const acme = await newTenant(api);
      const ticket = newTicket({
        description: '€'.repeat(20_000),
        tags: Array.from({ length: 100 }, () => '€'.repeat(100)),
        custom_fields: object(MAX_JSON),
      });
      // Records that do not match lie between, so that the others are read singly.
      const between = filter === '' ? 0 : 4;
      await inTurn(160, async () => {
        await acme.create(TICKETS, { ...ticket, status: 'open' });
        for (let turn = 0; turn < between; turn++) await acme.create(TICKETS, newTicket({ status: 'closed' }));
      });
      const list = `${TICKETS}${filter || '?'}`;

      meter.bytes = 0;
      const refused = await acme.ask('GET', `${list}page_size=200`);
      expect(refused.status).toBe(400);
      const most = Number(/Ask for at most (\d+) with page_size/.exec(String(refused.body.detail))?.[1]);
      expect(most).toBeGreaterThan(60);
      expect(meter.bytes).toBeLessThan(bound * 1.1);

      meter.bytes = 0;
      expect((await acme.read(`${list}page_size=${most}`)).data).toHaveLength(most);
      expect(meter.bytes).toBeLessThan(bound * 1.1);
      expect((await acme.ask('GET', `${list}page_size=${most + 1}`)).status).toBe(400);
      expect((await acme.read(list)).data).toHaveLength(25);
    },
  );
});

describe.skipIf(EXTENT === 'sample')('a page of the feed with records', () => {
  const many = byExtent({ sample: 0, extended: 40, nightly: 200 });

  it.each([
    ['x', 45_800],
    ['"', 38_000],
  ])('of the largest size, of %j, reads 4 MB at most, and ends early: none is missing', async (filling, bytes) => {
    const acme = await newTenant(api);
    const clientId = await newClient(acme);
    const make = (length: number) => object(length, filling);
    const largest = { ...newResource(clientId, bytes, make), ...(filling === '"' && { credentials: null }) };
    await inTurn(many, () => acme.create('/api/v1/resources', largest));

    const path = '/api/v1/events?types=resource.created&limit=200&expand=record';
    const found = new Set<unknown>();
    let pages = 0;
    for (let after = '', more = true; more; pages++) {
      meter.bytes = 0;
      const body: JsonBody = await acme.read(`${path}${after}`);
      const data = body.data as { record: JsonBody }[];
      // Quotation marks are escaped in what is measured.
      expect(meter.bytes).toBeLessThan(1.1 * (filling === 'x' ? 1 : 2) * 4 * 1_048_576);
      for (const { record } of data) found.add(record.id);
      [after, more] = [`&after=${body.next}`, body.more as boolean];
      expect(data.length > 15 || !more).toBe(true);
    }
    expect(found.size).toBe(many);
    expect(pages).toBeGreaterThan(1);
  });
});

describe.skipIf(EXTENT === 'sample')('a list without pages', () => {
  it('reads and returns as much as a response can carry, and links to the rest', async () => {
    const acme = await newTenant(api);
    const { id } = await acme.create(TICKETS, newTicket());
    const path = `${TICKETS}/${id}/messages`;
    const message = newMessage('\u0001'.repeat(10_000));
    await inTurn(220, () => acme.ask('POST', path, message));

    let found = 0;
    let next: string | undefined = path;
    while (next !== undefined) {
      meter.bytes = 0;
      const { status, body, headers } = await acme.ask('GET', next);
      expect(status).toBe(200);
      expect(meter.bytes).toBeLessThan(16_000_000);
      found += body.data.length;
      next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(found).toBe(220);
  });
});

/** Does something this many times, a few at a time: more would write the same counters at once for too long. */
async function inTurn(times: number, task: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < times; done += 3) {
    await Promise.all(Array.from({ length: Math.min(3, times - done) }, task));
  }
}
