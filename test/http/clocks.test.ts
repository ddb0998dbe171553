import { randomUUID } from 'node:crypto';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { environmentTable, RequestSession, Tenant, type TenantId, tenantKey } from '#table';
import { LoginAttempt } from '#tenancy';
import { Bucket } from '../../shared/tenancy/budget/bucket.ts';
import { BUDGET_WINDOW, flushBudget } from '../../shared/tenancy/budget/stored-budget.ts';
import type { Api, OrgAccess } from '../support/api.ts';
import { aCaller } from '../support/caller.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { useApi } from '../support/use-api.ts';

/** Times written by another container's clock (docs/decisions/0160). */

const DAY = 86_400_000;
/** In whole seconds. It is the real time, by which DynamoDB Local deletes what has expired. */
const NOW = Math.floor(Date.now() / 1_000) * 1_000;

const api = useApi();

const sessionAt = (now: number) => new RequestSession(environmentTable(), () => now, now + 5_000);

describe('the shared bucket of a budget', () => {
  const [orgId, of] = [randomUUID(), randomUUID()];
  const tenantAt = (now: number) => Tenant.of(aCaller(orgId), sessionAt(now));
  const flushAt = async (now: number, cost: number) => (await flushBudget(tenantAt(now), of, cost)).fullAt;
  const stored = async (bucket: object) => {
    const { client, name } = environmentTable();
    await client.send(
      new PutCommand({ TableName: name, Item: { ...tenantKey(orgId as TenantId, 'BUDGET', of), ...bucket } }),
    );
  };

  it.each([
    ['as it is', { FULL_AT: NOW + 30_000, AT: NOW }, 31_000],
    ['as debt of up to five minutes', { FULL_AT: NOW + 290_000, AT: NOW }, 291_000],
    ['as debt of five minutes, where there is more', { FULL_AT: NOW + 590_000, AT: NOW }, 300_000],
    ['as nothing, beyond ten minutes', { FULL_AT: NOW + 601_000, AT: NOW }, 1_000],
    ['as nothing, where an earlier release was 60 days ahead', { FULL_AT: NOW + 60 * DAY }, 1_000],
    [
      'as spent by the writer’s clock, which is 60 days ahead',
      { FULL_AT: NOW + 60 * DAY + 30_000, AT: NOW + 60 * DAY },
      31_000,
    ],
    ['as spent by the writer’s clock, which is a minute ahead', { FULL_AT: NOW + 90_000, AT: NOW + 60_000 }, 31_000],
    ['as full, where the writer’s clock is slow', { FULL_AT: NOW - 60 * DAY + 30_000, AT: NOW - 60 * DAY }, 1_000],
  ])('counts %s', async (_, bucket, spent) => {
    await stored(bucket);
    expect(await flushAt(NOW, 1_000)).toBe(NOW + spent);
    expect(await flushAt(NOW, 500)).toBe(NOW + Math.min(spent + 500, 300_500));
  });

  it('is corrected by each of two containers, whichever is wrong', async () => {
    await stored({});
    expect(await flushAt(NOW, 30_000)).toBe(NOW + 30_000);
    const ahead = NOW + 60 * DAY;
    expect(await flushAt(ahead, 10_000)).toBe(ahead + 10_000);
    expect(await flushAt(NOW, 30_000)).toBe(NOW + 40_000);
  });

  it('is learned up to five minutes', () => {
    const bucket = new Bucket();
    bucket.learn(NOW + 60 * DAY, NOW);
    expect(bucket.wait(600, NOW)).toBe(241);
  });
});

describe('a failed login', () => {
  it('dated 60 days ahead counts as of now, and is dated anew', async () => {
    const appCode = randomUUID();
    const guessAt = (now: number) => new LoginAttempt(sessionAt(now), { kind: 'login', appCode, network: '192.0.2.7' });
    for (let failure = 0; failure < 6; failure++) await guessAt(NOW + 60 * DAY).countFailure();
    expect(await guessAt(NOW).failures()).toEqual({ count: 6, lastAt: NOW });
    expect(await guessAt(NOW + 10_000).failures()).toEqual({ count: 6, lastAt: NOW });
    expect((await guessAt(NOW + 3_601_000).failures()).count).toBe(0);
  });
});

describe('a server that is 60 days ahead', () => {
  let ahead: ServerProcess;
  let org: OrgAccess;
  beforeAll(async () => {
    // A batch of 3, of which one at least is flushed in time on a busy machine, too.
    ahead = await startServerProcess({ RATE_LIMIT: '60' }, 60 * DAY);
    org = await api.orgToken();
  });
  afterAll(() => ahead.close());
  afterEach(() => vi.unstubAllEnvs());

  const login = (request: Api['request'], secret = org.secret) =>
    request<{ access_token: string }>('POST', '/api/v1/auth/login', { body: { app_code: org.appCode, secret } });

  it('does not lock its tenants out of the others', async () => {
    const token = (await login(ahead.request)).body.access_token;
    for (let turn = 0; turn < 20; turn++) await ahead.request('GET', '/api/v1/clients', { token });
    const { client, name } = environmentTable();
    const key = { TableName: name, Key: { ...tenantKey(org.orgId as TenantId, 'BUDGET', org.integrationId) } };
    expect((await client.send(new GetCommand(key))).Item?.FULL_AT).toBeGreaterThan(Date.now() + 59 * DAY);

    vi.stubEnv('RATE_LIMIT', '60');
    const statuses = [];
    for (let turn = 0; turn < 20; turn++)
      statuses.push((await api.request('GET', '/api/v1/clients', { token: org.token })).status);
    expect(statuses).toEqual(Array(20).fill(200));
    expect((await client.send(new GetCommand(key))).Item?.FULL_AT).toBeLessThan(Date.now() + BUDGET_WINDOW.refillMs);
  });

  it('does not keep logins waiting for longer than a wait', async () => {
    for (let failure = 0; failure < 6; failure++) await login(ahead.request, 'wrong');
    const refused = await login(api.request);
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([
      429,
      expect.toSatisfy((s) => s <= 2),
    ]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_000 });
    expect((await login(api.request)).status).toBe(200);
    vi.useRealTimers();
  });

  it('dates the last contact of a client only until the next', async () => {
    const client = (await api.request('POST', '/api/v1/clients', { token: org.token, body: { name: 'A', slug: 'a' } }))
      .body;
    const ticket = {
      client_id: client.id,
      subject: 's',
      description: 'd',
      source: 'email',
      contact_id: randomUUID(),
    };
    const contact = async (request: Api['request'], token: string) => {
      expect((await request('POST', '/api/v1/tickets', { token, body: ticket })).status).toBe(201);
      const { body } = await api.request<{ last_contact: string }>('GET', `/api/v1/clients/${client.id}`, {
        token: org.token,
      });
      return Date.parse(body.last_contact) - Date.now();
    };
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    expect(await contact(ahead.request, (await login(ahead.request)).body.access_token)).toBeGreaterThan(59 * DAY);
    expect(await contact(api.request, org.token)).toBeLessThanOrEqual(0);
    vi.useRealTimers();
  });
});
