import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { configureTable } from '#table';
import type { ApiResponse, OrgAccess } from '../support/api.ts';
import { FaultyHandler } from '../support/faults.ts';
import { useApi } from '../support/use-api.ts';

/**
 * The cost of requests in their budgets: 1, and 1 more for each 100 read or write units beyond the first 100
 * (docs/decisions/0081).
 */

const faulty = new FaultyHandler();
const api = useApi({ authorizerTtlSeconds: 0 });
let org: OrgAccess;
let clientId: string;
beforeAll(async () => {
  configureTable({ ...localConnection(), requestHandler: faulty });
  org = await api.orgToken();
  clientId = String((await send('POST', '/api/v1/clients', { name: 'Bistro' })).body.id);
  for (let made = 0; made < 34; made++) await newResource(45_000);
});
beforeEach(() => {
  // The functions' clock stands still, and begins with full buckets; timers are not changed.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 });
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
  faulty.follow(() => undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const send = (method: string, path: string, body?: unknown): Promise<ApiResponse> =>
  api.request(method, path, { token: org.token, ...(body === undefined ? {} : { body }) });

/** A resource whose four fields of JSON have this many bytes each. */
const sendResource = (bytes: number, client_id = clientId): Promise<ApiResponse> => {
  const json = { t: 'x'.repeat(bytes) };
  const fields = { specifications: json, credentials: json, limits: json, metadata: json };
  return send('POST', '/api/v1/resources', { client_id, name: 'db', type: 'server', ...fields });
};

const newResource = async (bytes: number): Promise<string> => {
  const { status, body } = await sendResource(bytes);
  expect(status).toBe(201);
  return String(body.id);
};

const left = ({ headers }: ApiResponse): number => Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

/** The cost of a request in a budget of 600, with its response. */
const costOf = async (request: () => Promise<ApiResponse>): Promise<readonly [status: number, cost: number]> => {
  vi.stubEnv('RATE_LIMIT', '600');
  const before = left(await send('GET', `/api/v1/clients/${clientId}`));
  const response = await request();
  return [response.status, before - left(response)];
};

const LARGE_PAGE = '/api/v1/resources?page_size=34';

describe('a request takes', () => {
  it('1, where its work is usual', async () => {
    expect(await costOf(() => send('GET', '/api/v1/clients'))).toEqual([200, 1]);
    expect(await costOf(() => send('POST', '/api/v1/clients', { name: 'Another' }))).toEqual([201, 1]);
  });

  it('1, where it is a page of the feed, and 10, where that has 4 MB of records', async () => {
    const feed = '/api/v1/events?types=resource.created';
    expect(await costOf(() => send('GET', feed))).toEqual([200, 1]);
    vi.setSystemTime(Date.now() + 61_000);
    const pages: ApiResponse['body'][] = [];
    const [status, cost] = await costOf(async () => {
      const response = await send('GET', `${feed}&expand=record`);
      pages.push(response.body);
      return response;
    });
    expect([status, cost]).toEqual([200, expect.toSatisfy((many: number) => many >= 8 && many <= 11)]);
    // It ends early, of 34.
    const [{ data = [], more, next } = {}] = pages as { data?: readonly unknown[]; more?: boolean; next?: string }[];
    expect([data.length, more]).toEqual([expect.toSatisfy((many: number) => many > 16 && many < 24), true]);
    const { body } = await send('GET', `${feed}&after=${next}`);
    expect(body.data).toHaveLength(34 - data.length);
  });

  it('5, where it changes the name of a record of 200 KB, and as much for each attempt', async () => {
    const id = await newResource(45_000);
    vi.setSystemTime(Date.now() + 61_000);
    const rename = (name: string) => () => send('PATCH', `/api/v1/resources/${id}`, { name });
    expect(await costOf(rename('a'))).toEqual([200, 5]);
    let conflicts = 0;
    faulty.follow(({ operation }) => (operation === 'TransactWriteItems' && ++conflicts <= 2 ? 'conflict' : undefined));
    const [status, cost] = await costOf(rename('b'));
    expect([status, cost]).toEqual([200, expect.toSatisfy((many: number) => many >= 13 && many <= 15)]);
    expect(await costOf(() => send('DELETE', `/api/v1/resources/${id}`))).toEqual([
      204,
      expect.toSatisfy((many) => many >= 5),
    ]);
  });

  it('as much, where its commit is refused', async () => {
    const [status, cost] = await costOf(() => sendResource(45_000, randomUUID()));
    expect([status, cost]).toEqual([422, expect.toSatisfy((many: number) => many >= 4)]);
  });

  it('17, where a page of large records is refused', async () => {
    const [status, cost] = await costOf(() => send('GET', LARGE_PAGE));
    expect([status, cost]).toEqual([400, expect.toSatisfy((many: number) => many >= 15 && many <= 19)]);
  });
});

describe('large records', () => {
  it('at once do not take more than there is', async () => {
    vi.stubEnv('RATE_LIMIT', '30');
    const responses = await Promise.all(Array.from({ length: 6 }, () => send('GET', LARGE_PAGE)));
    expect(responses.map(({ status }) => status).sort()).toEqual([400, 429, 429, 429, 429, 429]);
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.body.detail).toMatch(
      /^This integration may send 30 requests a minute. This one takes as much as \d+.$/,
    );
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('that are written together, too, and those that are refused write nothing', async () => {
    vi.stubEnv('RATE_LIMIT', '30');
    const entry = { level: 'info', message: 'x', metadata: { t: 'x'.repeat(60_000) } };
    const batch = { entries: Array(16).fill(entry) };
    const sent = await Promise.all(Array.from({ length: 6 }, () => send('POST', '/api/v1/logs/ingest', batch)));
    expect(sent.map(({ status }) => status).sort()).toEqual([201, 429, 429, 429, 429, 429]);
    vi.setSystemTime(Date.now() + 61_000);
    expect((await send('GET', '/api/v1/logs?page_size=1')).body.total).toBe(16);
  });

  it('that take more than the budget are served when it is full, and paid back later', async () => {
    vi.stubEnv('RATE_LIMIT', '5');
    expect((await send('GET', LARGE_PAGE)).status).toBe(400);
    const refused = await send('GET', '/api/v1/clients');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(90);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(241);
    vi.setSystemTime(Date.now() + 1000 * Number(refused.headers.get('retry-after')));
    expect((await send('GET', '/api/v1/clients')).status).toBe(200);
  });
});
