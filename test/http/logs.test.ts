import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
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
    expect(data).toEqual([{ ...sent, id: body.id, ts: expect.any(String) }]);
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
