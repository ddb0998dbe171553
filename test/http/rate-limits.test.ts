import { randomUUID } from 'node:crypto';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Caller } from '#identity';
import { localConnection } from '#local-dynamodb';
import { configureTable, environmentTable, RequestSession, Tenant } from '#table';
import { Bucket } from '../../shared/tenancy/budget/bucket.ts';
import { BUDGET_WINDOW, flushBudget } from '../../shared/tenancy/budget/stored-budget.ts';
import type { OrgAccess } from '../support/api.ts';
import { aCaller } from '../support/caller.ts';
import { deliver } from '../support/deliver.ts';
import { FaultyHandler } from '../support/faults.ts';
import { useApi } from '../support/use-api.ts';

const faulty = new FaultyHandler();
const api = useApi({ authorizerTtlSeconds: 0 });
let org: OrgAccess;
beforeAll(() => configureTable({ ...localConnection(), requestHandler: faulty }));
beforeEach(async () => {
  vi.useRealTimers();
  faulty.follow(() => undefined);
  org = await api.orgToken();
  // The functions' clock stands still; timers are not changed.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  // A flush that takes more than a second is dropped, which might happen on a busy machine.
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
});

const ask = (method = 'GET', path = '/api/v1/clients', options = {}) =>
  api.request(method, path, { token: org.token, ...options });

const budgetOf = ({ headers }: { readonly headers: Headers }) => [
  headers.get('ratelimit-policy'),
  headers.get('ratelimit'),
];

const limitTo = async (rate_limit: number | null) => {
  const path = `/api/v1/integrations/${org.integrationId}?org_id=${org.orgId}`;
  const response = await api.request('PATCH', path, { token: await api.platformToken(), body: { rate_limit } });
  expect([response.status, response.body.rate_limit]).toEqual([200, rate_limit]);
};

describe('the request budget', () => {
  it('is in every response to a caller', async () => {
    vi.stubEnv('RATE_LIMIT', '600');
    expect(budgetOf(await ask())).toEqual(['"default";q=600;w=60', '"default";r=599;t=1']);
    const responses = [
      await ask('GET', `/api/v1/clients/${randomUUID()}`),
      await ask('GET', '/api/v1/clients?page=0'),
      await ask('POST', '/api/v1/clients', { body: {} }),
      await ask('GET', '/api/v1/orgs'),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 400, 422, 403]);
    expect(responses.map((response) => budgetOf(response)[1])).toEqual([
      '"default";r=598;t=1',
      '"default";r=597;t=1',
      '"default";r=596;t=1',
      '"default";r=595;t=1',
    ]);
  });

  it('refuses with 429 what goes beyond it, and fills again evenly', async () => {
    await limitTo(6);
    const statuses = [];
    for (let turn = 0; turn < 7; turn++) statuses.push((await ask()).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429]);
    const refused = await ask();
    expect([refused.body.type, refused.headers.get('retry-after'), ...budgetOf(refused)]).toEqual([
      'urn:problem-type:custodia:too-many-requests',
      '10',
      '"default";q=6;w=60',
      '"default";r=0;t=60',
    ]);
    vi.setSystemTime(Date.now() + 10_000);
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 429]);
  });

  it('is each integration’s own', async () => {
    await limitTo(1);
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 429]);
    const other = await api.orgToken();
    expect((await api.request('GET', '/api/v1/clients', { token: other.token })).status).toBe(200);
  });

  it('is set by platform callers only', async () => {
    const path = `/api/v1/integrations/${org.integrationId}`;
    for (const rate_limit of [1_000, 1]) {
      const refused = await ask('PATCH', path, { body: { rate_limit } });
      expect([refused.status, refused.body.errors]).toEqual([
        403,
        [{ in: 'body', pointer: '#/rate_limit', detail: expect.any(String) }],
      ]);
    }
    expect((await ask('PATCH', path, { body: { rate_limit: null, display_name: 'Same' } })).status).toBe(200);
    const body = { app_code: `app-${randomUUID()}`, display_name: 'Mine', rate_limit: 5 };
    expect((await ask('POST', '/api/v1/integrations', { body })).status).toBe(403);
    expect((await api.request('POST', '/api/v1/integrations', { body })).status).toBe(403);
    await limitTo(1_000);
    await limitTo(null);
  });

  it('costs most requests no call of the table', async () => {
    vi.stubEnv('RATE_LIMIT', '600');
    await ask();
    faulty.follow(() => undefined);
    for (let turn = 0; turn < 89; turn++) await ask('GET', `/api/v1/clients/${randomUUID()}`);
    // The authorizer reads each time here.
    expect(faulty.calls.filter((call) => call === 'UpdateItem')).toHaveLength(3);
  });

  it('is not held against anybody while the table cannot be asked', async () => {
    await limitTo(20);
    faulty.follow(({ operation }) => (operation === 'UpdateItem' ? 'server-error' : undefined));
    expect((await ask()).status).toBe(200);
    expect(faulty.calls).toContain('UpdateItem');
  });

  it('is shared through an item of the tenant, which goes by itself', async () => {
    await limitTo(60);
    for (let turn = 0; turn < 3; turn++) await ask();
    const { Item: item } = await api.table.client.send(
      new GetItemCommand({
        TableName: api.table.tableName,
        Key: { PK: { S: `ORG#${org.orgId}#BUDGET` }, SK: { S: org.integrationId } },
      }),
    );
    expect(Number(item?.FULL_AT?.N)).toBe(Date.now() + 3_000);
    expect(Number(item?.TTL?.N) * 1000).toBeGreaterThan(Date.now() + BUDGET_WINDOW.refillMs);
  });
});

/** Another integration of the same organization. */
const secondKey = async (): Promise<OrgAccess> => {
  const response = await api.request<Record<string, string>>('POST', '/api/v1/integrations', {
    token: org.token,
    body: { app_code: `app-${randomUUID()}`, display_name: 'Second' },
  });
  const { id: integrationId = '', app_code: appCode = '', secret = '' } = response.body;
  return { orgId: org.orgId, integrationId, appCode, secret, token: await api.login(appCode, secret) };
};

const list = (token: string, path = '/api/v1/clients') => api.request('GET', path, { token });

describe('the budget of a tenant', () => {
  it('is one for all its keys', async () => {
    const [second, other] = [await secondKey(), await api.orgToken()];
    vi.setSystemTime(Date.now() + 61_000);
    vi.stubEnv('RATE_LIMIT', '5');
    vi.stubEnv('TENANT_RATE_LIMIT', '6');
    const responses = [];
    for (let turn = 0; turn < 4; turn++) responses.push(await list(org.token), await list(second.token));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
    const [refused] = responses.slice(-1);
    expect([refused?.body.detail, refused?.headers.get('retry-after')]).toEqual([
      'All integrations and users of this tenant together may send 6 requests a minute.',
      '10',
    ]);
    expect((await list(other.token)).status).toBe(200);
  });

  it('is shown where it is nearer to its end than that of the integration', async () => {
    const second = await secondKey();
    vi.setSystemTime(Date.now() + 61_000);
    vi.stubEnv('RATE_LIMIT', '4');
    vi.stubEnv('TENANT_RATE_LIMIT', '5');
    const told = [];
    for (const { token } of [org, org, second, second, second, org]) told.push(budgetOf(await list(token)));
    expect(told).toEqual([
      ['"default";q=4;w=60', '"default";r=3;t=15'],
      ['"default";q=4;w=60', '"default";r=2;t=30'],
      ['"tenant";q=5;w=60', '"tenant";r=2;t=36'],
      ['"tenant";q=5;w=60', '"tenant";r=1;t=48'],
      ['"tenant";q=5;w=60', '"tenant";r=0;t=60'],
      ['"tenant";q=5;w=60', '"tenant";r=0;t=60'],
    ]);
  });

  it('loses nothing to a request that the integration has no budget for', async () => {
    const second = await secondKey();
    await limitTo(1);
    vi.setSystemTime(Date.now() + 61_000);
    vi.stubEnv('TENANT_RATE_LIMIT', '2');
    expect([(await ask()).status, (await ask()).status, (await ask()).status]).toEqual([200, 429, 429]);
    expect([(await list(second.token)).status, (await list(second.token)).status]).toEqual([200, 429]);
    // A refusal by the tenant's budget does not charge the integration.
    vi.setSystemTime(Date.now() + 60_000);
    expect([(await list(second.token)).status, (await list(second.token)).status]).toEqual([200, 200]);
    expect((await ask()).status).toBe(429);
    vi.setSystemTime(Date.now() + 30_000);
    expect((await ask()).status).toBe(200);
  });

  it('is ten times the standard of an integration, unless the stage says otherwise', async () => {
    const keys = [org, ...(await Promise.all(Array.from({ length: 11 }, secondKey)))];
    vi.setSystemTime(Date.now() + 61_000);
    vi.stubEnv('RATE_LIMIT', '1');
    const statuses = [];
    for (const { token } of keys) statuses.push((await list(token)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(200), 429, 429]);
  });

  it('is no less than what the platform gave to one of its integrations', async () => {
    await limitTo(4);
    vi.setSystemTime(Date.now() + 61_000);
    vi.stubEnv('TENANT_RATE_LIMIT', '2');
    const statuses = [];
    for (let turn = 0; turn < 5; turn++) statuses.push((await ask()).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
  });

  it('of the platform pays for what the platform does in an organization', async () => {
    const token = await api.platformToken();
    // The platform’s bucket in this process may hold all the debt there can be, of other test files, whose clocks were ahead.
    vi.setSystemTime(Date.now() + BUDGET_WINDOW.mostSpentMs + 60_000);
    vi.stubEnv('TENANT_RATE_LIMIT', '2');
    const inOrganization = () => list(token, `/api/v1/clients?org_id=${org.orgId}`);
    expect([(await inOrganization()).status, (await inOrganization()).status]).toEqual([200, 200]);
    expect((await inOrganization()).status).toBe(429);
    expect((await ask()).status).toBe(200);
  });

  it('is flushed to an item of its own', async () => {
    vi.setSystemTime(Date.now() + 61_000);
    vi.stubEnv('TENANT_RATE_LIMIT', '60');
    for (let turn = 0; turn < 3; turn++) await ask();
    const { Item: item } = await api.table.client.send(
      new GetItemCommand({
        TableName: api.table.tableName,
        Key: { PK: { S: `ORG#${org.orgId}#BUDGET` }, SK: { S: 'TENANT' } },
      }),
    );
    expect(Number(item?.FULL_AT?.N)).toBe(Date.now() + 3_000);
  });
});

describe('a webhook', () => {
  const event = { event_type: 'client.created', data: { name: 'By webhook' } };

  it('is charged to its sender, as the sender’s other requests are', async () => {
    vi.stubEnv('RATE_LIMIT', '600');
    await ask();
    const delivered = await deliver(api, org, event);
    expect([delivered.status, ...budgetOf(delivered)]).toEqual([200, '"default";q=600;w=60', '"default";r=598;t=1']);
    const refused = await deliver(api, org, { event_type: 'client.created', data: {} });
    expect([refused.status, budgetOf(refused)[1]]).toEqual([422, '"default";r=597;t=1']);
  });

  it('beyond the budget of its integration leaves no trace, and can come again', async () => {
    await limitTo(2);
    const eventId = randomUUID();
    expect((await ask()).status).toBe(200);
    expect((await deliver(api, org, event)).status).toBe(200);
    const refused = await deliver(api, org, event, { eventId });
    expect([refused.status, refused.body.type, refused.headers.get('retry-after'), ...budgetOf(refused)]).toEqual([
      429,
      'urn:problem-type:custodia:too-many-requests',
      '30',
      '"default";q=2;w=60',
      '"default";r=0;t=60',
    ]);
    vi.setSystemTime(Date.now() + 60_000);
    expect((await ask()).body.total).toBe(1);
    expect((await deliver(api, org, event, { eventId })).status).toBe(200);
  });

  it('is charged to the tenant of its sender', async () => {
    const second = await secondKey();
    vi.setSystemTime(Date.now() + 61_000);
    vi.stubEnv('TENANT_RATE_LIMIT', '2');
    const statuses = [];
    for (const sender of [org, second, org]) statuses.push((await deliver(api, sender, event)).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('is charged to a sender that was cut off, and not to its tenant', async () => {
    const second = await secondKey();
    const path = `/api/v1/integrations/${second.integrationId}`;
    expect((await ask('PATCH', path, { body: { status: 'inactive' } })).status).toBe(200);
    vi.setSystemTime(Date.now() + 61_000);
    vi.stubEnv('TENANT_RATE_LIMIT', '1');
    vi.stubEnv('RATE_LIMIT', '2');
    const refused = [];
    for (let turn = 0; turn < 3; turn++) refused.push(await deliver(api, second, event));
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 429]);
    expect(refused.map((response) => budgetOf(response)[0])).toEqual(Array(3).fill('"default";q=2;w=60'));
    expect((await ask()).status).toBe(200);
  });

  it('is charged to nobody without a right signature', async () => {
    await limitTo(1);
    const wrong = await deliver(api, org, event, { signature: '0'.repeat(64) });
    expect([wrong.status, ...budgetOf(wrong)]).toEqual([401, null, null]);
    expect((await deliver(api, org, event)).status).toBe(200);
  });

  it('is charged once, also when its work has to be done again', async () => {
    vi.stubEnv('RATE_LIMIT', '600');
    const eventId = randomUUID();
    const responses = await Promise.all(Array.from({ length: 16 }, () => deliver(api, org, event, { eventId })));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(15).fill(409)]);
    expect(budgetOf(await ask())[1]).toBe('"default";r=583;t=2');
  });
});

describe('containers that share a budget', () => {
  const LIMIT = 600;

  const caller = (): Caller => aCaller(org.orgId, { integration_id: randomUUID() });

  /** One container's next request. */
  const request = async (bucket: Bucket, of: Caller, now: number): Promise<boolean> => {
    if (bucket.wait(LIMIT, now) > 0) return false;
    bucket.take(LIMIT, now);
    const batch = bucket.takeBatch(LIMIT, now);
    const session = new RequestSession(environmentTable(), () => now, now + 5_000);
    if (batch === 0) return true;
    const seemsFull = bucket.seemsFullBefore(batch, now);
    const { fullAt } = await flushBudget(Tenant.of(of, session), of.id, batch, { seemsFull });
    bucket.learn(fullAt, now, batch);
    return true;
  };

  it.each([1, 5])('let through what is in it and at most a batch each: %i of them', async (containers) => {
    const buckets = Array.from({ length: containers }, () => new Bucket());
    const of = caller();
    const now = Date.now();
    let passed = 0;
    for (let turn = 0; turn < LIMIT * 2; turn++) {
      const bucket = buckets[turn % containers];
      if (bucket !== undefined && (await request(bucket, of, now))) passed++;
    }
    expect(passed).toBeGreaterThanOrEqual(LIMIT);
    expect(passed).toBeLessThanOrEqual(LIMIT + (containers - 1) * (LIMIT / 20));
  });

  it('pay later for what went beyond: in the long run the rate is the limit', async () => {
    const buckets = [new Bucket(), new Bucket(), new Bucket()];
    const of = caller();
    const start = Date.now();
    let passed = 0;
    for (let second = 0; second < 60; second++) {
      for (const bucket of buckets) {
        for (let turn = 0; turn < 10; turn++) if (await request(bucket, of, start + second * 1000)) passed++;
      }
    }
    // A full bucket at first, then a minute's refill.
    expect(passed).toBeLessThanOrEqual(2 * LIMIT + 2 * (LIMIT / 20));
    expect(passed).toBeGreaterThan(1.9 * LIMIT);
  });

  it('flush at once from both sides without losing anything', async () => {
    const of = caller();
    const now = Date.now();
    const session = new RequestSession(environmentTable(), () => now, now + 5_000);
    const flushes = Array.from({ length: 20 }, () => flushBudget(Tenant.of(of, session), of.id, 100));
    expect(Math.max(...(await Promise.all(flushes)).map(({ fullAt }) => fullAt))).toBe(now + 2_000);
  });

  it('charge each caller by its own limit', () => {
    const bucket = new Bucket();
    const now = Date.now();
    for (let turn = 0; turn < 50; turn++) bucket.take(100, now);
    // Half of the minute is spent, also for others with other limits.
    expect([bucket.quota(100, now), bucket.quota(10, now)]).toEqual([
      { remaining: 50, reset: 30 },
      { remaining: 5, reset: 30 },
    ]);
    expect(bucket.takeBatch(10, now)).toBe(30_000);
    expect(bucket.takeBatch(10, now)).toBe(0);
  });

  it('forget what flowed back long ago instead of settling it', () => {
    const bucket = new Bucket();
    const start = Date.now();
    let flushed = 0;
    for (let minute = 0; minute < 100; minute++) {
      bucket.take(LIMIT, start + minute * 60_001);
      flushed += bucket.takeBatch(LIMIT, start + minute * 60_001);
    }
    expect(flushed).toBe(0);
  });
});
