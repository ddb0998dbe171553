import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { type Calls, callsOf, newTenant, pointsAt } from '../support/tenant-calls.ts';

const LOGS = '/api/v1/logs';
const INGEST = `${LOGS}/ingest`;
const DAY_MS = 86_400_000;

let api: Api;
let acme: Calls;

beforeAll(async () => {
  api = await startApi();
  acme = await newTenant(api);
});
afterAll(() => api.close());
afterEach(() => vi.useRealTimers());

describe('ingesting', () => {
  it('answers with a receipt, and stores the entry under a time of its own', async () => {
    const before = new Date().toISOString();
    const sent = { level: 'error', message: 'Line 1\nline 2', metadata: { host: 'db-1', used: [0.93, null] } };
    const chosen = await acme.ask('POST', INGEST, { ...sent, ts: '1999-01-01T00:00:00Z', id: randomUUID() });
    expect(chosen.status).toBe(422);
    const { status, body } = await acme.ask('POST', INGEST, sent);
    expect([status, body]).toEqual([201, { id: expect.any(String), received: true }]);
    const { data } = await acme.read(LOGS);
    expect(data).toEqual([{ ...sent, id: body.id, ts: expect.any(String) }]);
    expect(String(data[0]?.ts) >= before).toBe(true);
  });

  it('fills in the metadata', async () => {
    const org = await newTenant(api);
    await org.create(INGEST, { level: 'debug', message: 'x' });
    expect((await org.read(LOGS)).data).toMatchObject([{ level: 'debug', metadata: {} }]);
  });

  it.each([
    ['no level', { level: undefined }, 'level'],
    ['a level that is none', { level: 'fatal' }, 'level'],
    ['a level in capitals', { level: 'INFO' }, 'level'],
    ['no message', { message: undefined }, 'message'],
    ['an empty message', { message: '' }, 'message'],
    ['a numeric message', { message: 42 }, 'message'],
    ['a message of 20,001 characters', { message: 'x'.repeat(20_001) }, 'message'],
    ['null metadata', { metadata: null }, 'metadata'],
    ['a list as metadata', { metadata: [] }, 'metadata'],
    ['an unknown field', { colour: 'red' }, 'colour'],
  ])('refuses %s', async (_, fields, field) => {
    const { status, body } = await acme.ask('POST', INGEST, { level: 'info', message: 'x', ...fields });
    expect([status, body.errors]).toEqual([422, pointsAt(field)]);
  });

  it('counts every one of 64 at once', async () => {
    const org = await newTenant(api);
    await Promise.all(
      Array.from({ length: 64 }, (_, index) => org.create(INGEST, { level: 'info', message: `${index}` })),
    );
    const { total, data } = await org.read(`${LOGS}?page_size=100&level=info`);
    expect([total, new Set(data.map(({ message }) => message)).size]).toEqual([64, 64]);
  });
});

describe('listing', () => {
  it('goes by pages and levels, newest first, and stays within the tenant', async () => {
    const [org, other] = [await newTenant(api), await newTenant(api)];
    for (const level of ['info', 'warn', 'info', 'error', 'info']) await org.create(INGEST, { level, message: level });
    expect(await org.read(LOGS)).toMatchObject({ page: 1, page_size: 25, total: 5 });
    const page = await org.ask('GET', `${LOGS}?level=info&page=2&page_size=2`);
    expect(page.body).toMatchObject({ page: 2, page_size: 2, total: 3, data: [{ level: 'info' }] });
    expect(page.headers.get('link')).toContain(`<${LOGS}?level=info&page_size=2&page=1>; rel="prev"`);
    const all = [await org.read(LOGS), await org.read(`${LOGS}?sort=created_at`)].map(({ data }) =>
      data.map(({ id }) => id),
    );
    expect(all[0]).toEqual(all[1]?.toReversed());
    expect(await org.read(`${LOGS}?level=debug`)).toMatchObject({ data: [], total: 0 });
    expect(await other.read(LOGS)).toMatchObject({ data: [], total: 0 });
  });

  it.each(['level=fatal', 'level=', 'page=0', 'page_size=201'])('refuses ?%s', async (query) => {
    const { status, body } = await acme.ask('GET', `${LOGS}?${query}`);
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ in: 'query' })]]);
  });

  it('forgets entries after thirty days', async () => {
    const { token, appCode, secret } = await api.orgToken();
    const old = callsOf(api, token);
    for (const level of ['info', 'warn']) await old.create(INGEST, { level, message: 'old' });
    const laterBy = async (days: number) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * DAY_MS });
      return callsOf(api, await api.login(appCode, secret));
    };
    const kept = await laterBy(29);
    await kept.create(INGEST, { level: 'info', message: 'newer' });
    expect(await kept.read(LOGS)).toMatchObject({ total: 3 });
    const gone = await laterBy(3);
    expect(await gone.read(LOGS)).toMatchObject({ total: 1, data: [{ message: 'newer' }] });
    expect(await gone.read(`${LOGS}?level=info`)).toMatchObject({ total: 1, data: [{ message: 'newer' }] });
    expect(await gone.read(`${LOGS}?level=warn`)).toMatchObject({ total: 0, data: [] });
  });
});
