import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { ids } from '@custodia/counted-lists';
import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { environmentTable } from '#table';
import { ConflictingHandler, Conflicts } from '../support/conflicts.ts';
import { deliver } from '../support/deliver.ts';
import { bodyOf, FaultyHandler } from '../support/faults.ts';
import { forgetIds } from '../support/other-container.ts';
import { useTableOver } from '../support/storage.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** Several log entries in one request: one range of numbers and one transaction. */

const INGEST = '/api/v1/logs/ingest';
const MOST = 45;
const LEVELS = ['info', 'warn', 'error', 'debug'] as const;

/** Faults, and the number of actions, the bytes and the items of each transaction of a tenant. */
class Counting extends FaultyHandler {
  readonly sent: { readonly actions: number; readonly bytes: number; readonly items: readonly string[] }[] = [];

  tenant = 'none';

  override handle(...[request, options]: Parameters<NodeHttpHandler['handle']>) {
    if (request.headers['x-amz-target']?.endsWith('TransactWriteItems')) {
      const body = bodyOf(request);
      const items = Array.from(body.matchAll(/"PK":\{"S":"([^"]+)"/g), ([, partition = '']) => partition);
      // What earlier tests have left to the background is of others.
      if (items.some((partition) => partition.includes(this.tenant)))
        this.sent.push({ actions: JSON.parse(body).TransactItems.length, bytes: body.length, items });
    }
    return super.handle(request, options);
  }
}

const network = new Counting();
const api = useApi({ authorizerTtlSeconds: 0 });
let org: Awaited<ReturnType<typeof api.orgToken>>;
let calls: Calls;
beforeAll(() => useTableOver(network));
beforeEach(async () => {
  network.follow(() => undefined);
  org = await api.orgToken();
  calls = callsOf(api, org.token);
  network.tenant = org.orgId;
  network.sent.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** Numbers that are 32 apart have different levels, so that no two bits are in one item. */
const entry = (index: number) => ({
  level: LEVELS[(index + Math.floor(index / 32)) % LEVELS.length] as string,
  message: `line ${index}`,
  metadata: { index },
});
const batch = (count: number) => ({ entries: Array.from({ length: count }, (_, index) => entry(index)) });
const send = (body: unknown, key?: string) =>
  calls.ask('POST', INGEST, body, key === undefined ? {} : { headers: { 'idempotency-key': key } });
const list = (query = '') => calls.read(`/api/v1/logs?page_size=200&sort=created_at${query}`);
const idsIn = ({ data }: Awaited<ReturnType<typeof list>>) => data.map(({ id }) => id);

describe('several entries', () => {
  it('are stored in their order under one range of numbers, each with an id, in one transaction', async () => {
    await send(entry(0));
    network.sent.length = 0;
    const { status, body } = await send(batch(MOST));
    const [id] = body.ids as string[];
    expect([status, body]).toEqual([201, { id, received: true, ids: Array(MOST).fill(expect.any(String)) }]);
    expect((body.ids as string[]).map(ids.numberOf)).toEqual(Array.from({ length: MOST }, (_, index) => index + 1));
    const { data, total } = await list();
    expect([total, data.slice(1)]).toMatchObject([
      MOST + 1,
      batch(MOST).entries.map((each, index) => ({ ...each, id: (body.ids as string[])[index] })),
    ]);
    expect((await list('&level=warn')).total).toBe(12);
    expect(network.sent).toMatchObject([{ actions: 2 * MOST }]);
  });

  it('may be one, and what is left out is filled in', async () => {
    const { body } = await send({ entries: [{ level: 'info', message: 'x' }] });
    expect(body.ids).toEqual([body.id]);
    expect((await list()).data).toMatchObject([{ id: body.id, metadata: {} }]);
  });

  it('keep their numbers as they were written', async () => {
    const metadata = `{"n":[1.0,12345678901234567890,1e3,1e-400${',7'.repeat(300)}]}`;
    const raw = `{"entries":[{"level":"info","message":"x","metadata":${metadata}}]}`;
    const headers = { 'content-type': 'application/json' };
    expect((await api.request('POST', INGEST, { token: org.token, raw, headers })).status).toBe(201);
    const stored = await fetch(`${api.url}/api/v1/logs`, { headers: { authorization: `Bearer ${org.token}` } });
    expect(await stored.text()).toContain(`"metadata":${metadata}`);
  });

  it('may take 1 MB together, a byte more is a 413', async () => {
    const bytes = 1_048_576;
    const large = {
      entries: Array.from({ length: 16 }, (_, index) => ({ ...entry(index), metadata: { t: 'x'.repeat(64_000) } })),
    };
    const missing = bytes - JSON.stringify(large).length;
    const message = 'é'.repeat(5_000) + 'x'.repeat(missing - 10_000);
    const full = {
      entries: large.entries.map((each, index) => (index === 0 ? { ...each, message: each.message + message } : each)),
    };
    expect(Buffer.byteLength(JSON.stringify(full))).toBe(bytes);
    const { status, body } = await send(full);
    expect([status, (body.ids as string[]).length]).toEqual([201, 16]);
    expect(network.sent.at(-1)?.bytes).toBeLessThan(4 * 1_048_576);
    const Key = { PK: `ORG#${org.orgId}#LOG#SET`, SK: 'HEAD' };
    const { client, name: TableName } = environmentTable();
    const counter = (await client.send(new GetCommand({ TableName, Key }))).Item;
    expect(counter?.LARGEST).toBeGreaterThan(64_000);
    expect(idsIn(await list())).toEqual(body.ids);
    expect(
      (
        await send({
          entries: full.entries.map((each, index) => (index === 1 ? { ...each, message: `${each.message}x` } : each)),
        })
      ).status,
    ).toBe(413);
  });

  it('are charged by their work', async () => {
    vi.stubEnv('RATE_LIMIT', '600');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const left = ({ headers }: Awaited<ReturnType<typeof send>>) =>
      Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    const before = left(await send(entry(0)));
    const between = left(await send(batch(MOST)));
    expect([before - between, between - left(await send(entry(0)))]).toEqual([2, 1]);
  });

  it('are taken from a webhook too, with the event in the same transaction', async () => {
    const { status } = await deliver(api, org, { event_type: 'log.ingested', data: batch(MOST) });
    expect([status, (await list()).total]).toEqual([200, MOST]);
    expect(network.sent).toMatchObject([{ actions: expect.toSatisfy((many) => many > 2 * MOST && many <= 100) }]);
    const refused = await deliver(api, org, { event_type: 'log.ingested', data: { entries: [entry(0), {}] } });
    expect([refused.status, refused.body]).toMatchObject([
      422,
      { errors: [{ pointer: '#/data/entries/1/level' }, { pointer: '#/data/entries/1/message' }] },
    ]);
  });
});

describe('a body that is refused', () => {
  const REFUSED: readonly (readonly [string, unknown, Readonly<Record<string, string>>])[] = [
    [
      'has both forms',
      { ...entry(0), ...batch(2) },
      {
        level: 'cannot be sent with `entries`',
        message: 'cannot be sent with `entries`',
        metadata: 'cannot be sent with `entries`',
      },
    ],
    ['has neither', {}, { level: 'is required without `entries`', message: 'is required without `entries`' }],
    ['has half of one', { level: 'info' }, { message: 'is required without `entries`' }],
    ['has 46 entries', batch(46), { entries: 'must have at most 45 elements' }],
    ['has none', { entries: [] }, { entries: 'must not be empty' }],
    ['has no list', { entries: null }, { entries: 'must be a list' }],
    [
      'has faults in several places, and both forms',
      {
        entries: [
          { ...entry(0), level: 'fatal' },
          entry(1),
          { message: '', ts: '2026-11-20', metadata: [] },
          null,
          1.5,
        ],
        level: 'info',
      },
      {
        'entries/0/level': 'must be one of: info, warn, error, debug',
        'entries/2/level': 'is required',
        'entries/2/message': 'must not be empty',
        'entries/2/metadata': 'must be a JSON object',
        'entries/2/ts': 'is not known here',
        'entries/3': 'must be a JSON object',
        'entries/4': 'must be a JSON object',
        level: 'cannot be sent with `entries`',
      },
    ],
  ];

  it.each(REFUSED)('%s', async (_, body, errors) => {
    const response = await send(body);
    const found = (response.body.errors as { pointer: string; detail: string }[]).map(
      ({ pointer, detail }) => [pointer.slice(2), detail] as const,
    );
    expect(response.status).toBe(422);
    expect(Object.fromEntries(found)).toMatchObject(errors);
    expect(network.sent).toEqual([]);
  });

  it('has numbers in the place of objects, also such that are kept as text', async () => {
    const raw = '{"entries":[1.0,{"level":"info","message":"x","metadata":1e3}]}';
    const headers = { 'content-type': 'application/json' };
    const { status, body } = await api.request('POST', INGEST, { token: org.token, raw, headers });
    expect([status, body.errors]).toMatchObject([
      422,
      [
        { pointer: '#/entries/0', detail: 'must be a JSON object' },
        { pointer: '#/entries/1/metadata', detail: 'must be a JSON object' },
      ],
    ]);
  });

  it('has entries that are too large, each of which is named, and takes no number', async () => {
    const large = { ...entry(0), message: '\u0001'.repeat(20_000), metadata: { t: '"'.repeat(32_000) } };
    const { status, body } = await send({ entries: [large, entry(1), large] });
    expect([status, body.errors]).toMatchObject([413, [{ pointer: '#/entries/0' }, { pointer: '#/entries/2' }]]);
    const longer = await send({ entries: [entry(0), { ...entry(1), metadata: { t: 'x'.repeat(70_000) } }] });
    expect([longer.status, longer.body.errors]).toMatchObject([413, [{ pointer: '#/entries/1/metadata' }]]);
    const [number] = ((await send(batch(1))).body.ids as string[]).map(ids.numberOf);
    expect(number).toBe(0);
  });

  it('is refused after its numbers were allocated, which no total counts, and takes none when it is sent again', async () => {
    const refused = { ...batch(MOST), ts: '2020-01-01T00:00:00.000Z' };
    for (let turn = 0; turn < 3; turn++) expect((await send(refused)).status).toBe(422);
    const { body } = await send(entry(0));
    const { total } = await calls.read('/api/v1/logs?page_size=1');
    expect([ids.numberOf(String(body.id)), total]).toEqual([MOST, 1]);
  });

  it('is refused, and none of its numbers counts on a page that is far from them', async () => {
    const good = await send(batch(MOST));
    for (let turn = 1; turn <= 3; turn++) {
      expect((await send({ ...batch(MOST), ts: '2020-01-01T00:00:00.000Z' })).status).toBe(422);
      // After a good one the next one is no trial.
      expect((await send(entry(0))).status).toBe(201);
      const { total, data } = await calls.read('/api/v1/logs?page_size=1&sort=created_at');
      expect([total, data[0]?.id]).toEqual([MOST + turn, (good.body.ids as string[])[0]]);
    }
  });

  it('is for another organization', async () => {
    const other = await api.orgToken();
    const { status } = await calls.ask('POST', `${INGEST}?org_id=${other.orgId}`, batch(2));
    expect([status, (await callsOf(api, other.token).read('/api/v1/logs')).total]).toEqual([403, 0]);
  });
});

describe('all or none, once', () => {
  it('under an idempotency key: the same ids, in this container and another', async () => {
    const key = randomUUID();
    const first = await send(batch(MOST), key);
    expect(network.sent).toMatchObject([{ actions: expect.toSatisfy((many) => many <= 100) }]);
    const again = await send(batch(MOST), key);
    forgetIds();
    const elsewhere = await send(batch(MOST), key);
    expect([again, elsewhere].map(({ body }) => body)).toEqual([first.body, first.body]);
    for (const other of [batch(MOST - 1), entry(0)]) expect((await send(other, key)).status).toBe(422);
    expect(idsIn(await list())).toEqual(first.body.ids);
    expect((await list()).total).toBe(MOST);
  });

  it('where two callers send the same key at once', async () => {
    const key = randomUUID();
    const [one, other] = await Promise.all([send(batch(MOST), key), send(batch(MOST), key)]);
    expect([one.status, other.status, other.body]).toEqual([201, 201, one.body]);
    expect([(await list()).total, (await list('&level=info')).total]).toEqual([MOST, 11]);
    expect(idsIn(await list())).toEqual(one.body.ids);
  });

  it.each(['reply-lost', 'forgotten', 'applied-server-error', 'conflict', 'dropped'] as const)(
    'where the transaction meets this fault: %s',
    async (fault) => {
      let transactions = 0;
      network.follow(({ operation }) =>
        operation === 'TransactWriteItems' && transactions++ === 0 ? fault : undefined,
      );
      const { status, body } = await send(batch(MOST));
      expect([status, idsIn(await list())]).toEqual([201, body.ids]);
      expect((await list()).total).toBe(MOST);
    },
  );

  it('where the process ends before the transaction, whose numbers the next readers close', async () => {
    const [before] = (await send(batch(2))).body.ids as string[];
    network.follow(({ operation }) => (operation === 'TransactWriteItems' ? 'crash' : undefined));
    expect((await send(batch(MOST))).status).toBe(503);
    network.follow(() => undefined);
    await send(batch(2));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6_000 });
    const { total, data } = await list();
    expect([total, data.length, data[0]?.id]).toEqual([4, 4, before]);
  });

  it('where many meet in the same items', async () => {
    const conflicts = new Conflicts({ sends: 2 });
    const entries = batch(MOST).entries.map((each) => ({ ...each, level: 'info' }));
    useTableOver(new ConflictingHandler(conflicts));
    try {
      const sent = await Promise.all(Array.from({ length: 4 }, () => send({ entries })));
      expect(sent.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      expect(conflicts.refused).toBeGreaterThan(0);
      expect(new Set(idsIn(await list()))).toEqual(new Set(sent.flatMap(({ body }) => body.ids)));
    } finally {
      useTableOver(network);
    }
  });
});
