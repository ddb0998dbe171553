import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keyMadeBy } from '../support/keys.ts';
import { lengthen } from '../support/long-lists.ts';
import { prepared } from '../support/prepared.ts';
import { callsOf, newTenant } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

const LOGS = '/api/v1/logs';
const INGEST = `${LOGS}/ingest`;
const DAY_MS = 86_400_000;

const api = useApi();

const acme = prepared(() => newTenant(api));
afterEach(() => vi.useRealTimers());

describe('ingesting', () => {
  it('returns a receipt, and stores the entry with the service’s own time', async () => {
    const before = new Date().toISOString();
    const sent = { level: 'error', message: 'Line 1\nline 2', metadata: { host: 'db-1', used: [0.93, null] } };
    const chosen = await acme.ask('POST', INGEST, { ...sent, ts: '1999-01-01T00:00:00Z', id: randomUUID() });
    expect(chosen.status).toBe(422);
    const { status, body } = await acme.ask('POST', INGEST, sent);
    expect([status, body]).toEqual([201, { id: expect.any(String), received: true }]);
    const { data } = await acme.read(LOGS);
    expect(data).toEqual([{ ...sent, id: body.id, integration_id: expect.any(String), ts: expect.any(String) }]);
    expect(String(data[0]?.ts) >= before).toBe(true);
  });

  it('fills in the metadata', async () => {
    const org = await newTenant(api);
    await org.create(INGEST, { level: 'debug', message: 'x' });
    expect((await org.read(LOGS)).data).toMatchObject([{ level: 'debug', metadata: {} }]);
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

  it('begins again with several entries at once, after nothing was logged for long', async () => {
    const { token, appCode, secret } = await api.orgToken();
    await callsOf(api, token).create(INGEST, { level: 'info', message: 'old' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 70 * DAY_MS });
    const later = callsOf(api, await api.login(appCode, secret));
    const entries = Array.from({ length: 45 }, () => ({ level: 'warn', message: 'new' }));
    for (const total of [45, 90]) {
      await later.create(INGEST, { entries });
      expect(await later.read(LOGS)).toMatchObject({ total });
      expect(await later.read(`${LOGS}?level=warn`)).toMatchObject({ total });
    }
  });
});

describe('searching', () => {
  it('finds entries by time, words of the message, and who reported them', async () => {
    const org = await api.orgToken();
    const first = callsOf(api, org.token);
    const other = await keyMadeBy(api, first);
    await first.create(INGEST, { level: 'info', message: 'Ligação: ConnectionTimeout of db-1' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 });
    const noon = new Date().toISOString();
    await other.create(INGEST, { entries: [{ level: 'error', message: 'The disk of DB-1 is full', metadata: {} }] });
    const found = async (query: string) => (await first.read(`${LOGS}?${query}`)).data.map(({ level }) => level);
    expect(await found('q=timeout')).toEqual(['info']);
    expect(await found('q=ligacao')).toEqual(['info']);
    expect(await found('q=db-1')).toEqual(['error', 'info']);
    expect(await found('q=full+disk&level=error')).toEqual(['error']);
    expect(await found('q=full+timeout')).toEqual([]);
    expect(await found(`integration_id=${other.id}`)).toEqual(['error']);
    expect(await found(`from=${noon}`)).toEqual(['error']);
    expect(await found(`to=${noon}&q=db`)).toEqual(['info']);
    expect(await found(`from=${noon}&to=${noon}`)).toEqual([]);
    // Both bounds hold where two parameters are about one.
    expect(await found(`from=2026-01-01&ts_after=${noon}`)).toEqual(['error']);
    expect(await found(`from=${noon}&ts_after=2026-01-01`)).toEqual(['error']);
    const refused = await first.ask('GET', `${LOGS}?from=noon&q=%C2%AD&integration_id=x`);
    expect(refused.body.errors?.map(({ pointer }) => pointer)).toEqual(['#/integration_id', '#/from', '#/q']);
  });

  it('is refused where too many entries would be read', async () => {
    const acme = await newTenant(api);
    await acme.create(INGEST, { level: 'info', message: 'one' });
    await lengthen(api, acme, 'LOG', 41_249);
    const { status, body } = await acme.ask('GET', `${LOGS}?q=one`);
    expect([status, body.errors]).toMatchObject([400, [{ in: 'query', pointer: '#/q' }]]);
  });
});
