import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { environmentTable, type TenantId, tenantKey } from '#table';
import { BUDGET_OF } from '#tenancy';
import { exportedKinds as kinds } from '../../operator/export.ts';
import { resumeOrganization, suspendOrganization } from '../../operator/suspending.ts';
import { dayOf } from '../../shared/clock.ts';
import { flushBudget } from '../../shared/tenancy/budget/stored-budget.ts';
import type { JsonBody, OrgAccess } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { openTenant } from '../support/storage.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf } from './api-driver.ts';

/** Who the caller is, and what was used (docs/decisions/0200-usage.md). */

const api = useApi({ authorizerTtlSeconds: 0 });

const DAY_MS = 86_400_000;

interface Me extends JsonBody {
  readonly limits: readonly (JsonBody & { readonly remaining: number })[];
}

interface Usage extends JsonBody {
  readonly records: readonly { readonly record_type: string; readonly total: number }[];
  readonly requests: readonly { readonly integration_id: string; readonly days: readonly JsonBody[] }[];
}

const get = <T = JsonBody>(token: string, path: string) => api.request<T>('GET', `/api/v1${path}`, { token });

let org: OrgAccess;
beforeEach(async () => {
  vi.useRealTimers();
  org = await api.orgToken('Acme');
  // Requests are counted by day: none ends meanwhile.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  // A flush that takes more than a second is dropped, which might happen on a busy machine.
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
});

/** A new integration of the organization, logged in. */
async function integrationWith(permissions: readonly string[] | null): Promise<OrgAccess> {
  const { body } = await api.request<Record<string, string>>('POST', '/api/v1/integrations', {
    token: org.token,
    body: { app_code: `app-${randomUUID()}`, display_name: 'Reports', permissions },
  });
  const { id: integrationId = '', app_code: appCode = '', secret = '' } = body;
  return { orgId: org.orgId, integrationId, appCode, secret, token: await api.login(appCode, secret) };
}

describe('GET /me', () => {
  it('tells a caller of an organization who it is, without any permission', async () => {
    vi.stubEnv('RATE_LIMIT', '600');
    const { token, integrationId, appCode } = await integrationWith([]);
    const { status, body, headers } = await get<Me>(token, '/me');
    expect(status).toBe(200);
    const [issued, expires] = [
      String((body.token as JsonBody).issued_at),
      String((body.token as JsonBody).expires_at),
    ].map(Date.parse);
    expect(Number(expires) - Number(issued)).toBe(3_600_000);
    expect(Date.now() - Number(issued)).toBeLessThan(60_000);
    expect({ ...body, token: undefined, organization: { ...(body.organization as object), slug: '' } }).toEqual({
      integration: { id: integrationId, app_code: appCode, display_name: 'Reports' },
      user: null,
      organization: { id: org.orgId, name: 'Acme', slug: '' },
      permissions: [],
      effective_permissions: [],
      limits: [
        { policy: 'default', limit: 600, remaining: 599, reset: 1 },
        { policy: 'tenant', limit: 6_000, remaining: expect.any(Number), reset: 1 },
      ],
      token: undefined,
    });
    expect(headers.get('ratelimit')).toBe('"default";r=599;t=1');
  });

  it('shows the permissions as they were given, and all that follow from them', async () => {
    const { token } = await integrationWith(['tickets:write', 'clients:read']);
    const { body } = await get(token, '/me');
    expect(body.permissions).toEqual(['tickets:write', 'clients:read']);
    expect(body.effective_permissions).toEqual(['clients:read', 'tickets:read', 'tickets:write']);
    const all = await get<{ data: { code: string }[] }>(org.token, '/permissions?page_size=200');
    const ofAll = (await get(org.token, '/me')).body;
    expect([ofAll.permissions, ofAll.effective_permissions]).toEqual([null, all.body.data.map(({ code }) => code)]);
  });

  it('tells a platform caller that it has no organization, and takes none', async () => {
    const token = await api.platformToken();
    const { status, body } = await get(token, '/me');
    expect([status, body.organization, body.integration]).toEqual([
      200,
      null,
      { id: expect.any(String), app_code: 'platform', display_name: expect.any(String) },
    ]);
    expect((await get(token, `/me?org_id=${org.orgId}`)).status).toBe(400);
    expect((await api.request('GET', '/api/v1/me')).status).toBe(401);
  });

  it('tells nothing to a caller whose tokens were revoked, or whose organization is suspended', async () => {
    const other = await integrationWith([]);
    await suspendOrganization(org.orgId);
    const { status, body } = await get(other.token, '/me');
    expect([status, body.type]).toEqual([403, 'urn:problem-type:custodia:organization-suspended']);
    await resumeOrganization(org.orgId);
    expect((await get(other.token, '/me')).status).toBe(200);
    const revoke = `/api/v1/integrations/${other.integrationId}/revoke-tokens`;
    expect((await api.request('POST', revoke, { token: org.token })).status).toBe(200);
    expect((await get(other.token, '/me')).status).toBe(401);
  });

  it('knows what other containers have admitted', async () => {
    vi.stubEnv('RATE_LIMIT', '600');
    const { client, name } = environmentTable();
    const bucket = { FULL_AT: Date.now() + 30_000, AT: Date.now() };
    const key = tenantKey(org.orgId as TenantId, 'BUDGET', org.integrationId);
    await client.send(new PutCommand({ TableName: name, Item: { ...key, ...bucket } }));
    const { body, headers } = await get<Me>(org.token, '/me');
    expect(body.limits.map(({ remaining }) => remaining)).toEqual([299, 5_999]);
    expect(headers.get('ratelimit')).toBe('"default";r=299;t=31');
  });
});

const today = () => new Date().toISOString().slice(0, 10);

describe('the records in GET /usage', () => {
  it('are of every kind, with the totals of their lists', async () => {
    const { body: empty } = await get<Usage>(org.token, '/usage');
    expect(empty.records).toHaveLength(kinds.length);
    expect(empty.records.map(({ record_type }) => record_type)).toEqual(
      kinds.map(({ entity: { record } }) => record?.name ?? 'AuditEvent').toSorted(),
    );
    const { client, service, remove } = apiDriverOf(api, org.token);
    const { id } = await client();
    const [first] = [await service({ client_id: id }), await service({ client_id: id })];
    expect((await remove(`/services/${first?.id}`)).status).toBe(204);
    const { body } = await get<Usage>(org.token, '/usage');
    const totals = Object.fromEntries(body.records.map(({ record_type, total }) => [record_type, total]));
    expect([totals.Client, totals.Service, totals.Integration, totals.Ticket]).toEqual([1, 1, 1, 0]);
    for (const [path, type] of [
      ['clients', 'Client'],
      ['audit-events', 'AuditEvent'],
    ] as const)
      expect((await get(org.token, `/${path}`)).body.total).toBe(totals[type]);
  });
});

describe('the deliveries in GET /usage', () => {
  it('are what was charged on each day, rounded up, and no integration', async () => {
    const { orgId, token } = org;
    const tenant = openTenant(environmentTable(), orgId);
    const today = dayOf(Date.now());
    const requests = new Map([
      [today - 1, 0.25],
      [today, 3],
    ]);
    await flushBudget(tenant, BUDGET_OF.deliveries, 0, { counted: { requests, surplus: [] } });
    const { body } = await get<Usage>(token, '/usage');
    const dates = [-DAY_MS, 0].map((from) => new Date(Date.now() + from).toISOString().slice(0, 10));
    expect(body.deliveries).toEqual([
      { date: dates[0], charged: 1 },
      { date: dates[1], charged: 3 },
    ]);
    expect(body.requests.map(({ integration_id }) => integration_id)).not.toContain(BUDGET_OF.deliveries);
    const one = await get<Usage>(token, `/usage?from=${dates[1]}&integration_id=${crypto.randomUUID()}`);
    expect(one.body).toMatchObject({ requests: [], deliveries: [{ date: dates[1], charged: 3 }] });
  });
});

describe('the requests in GET /usage', () => {
  const requestsOf = async (query = '', token = org.token) => (await get<Usage>(token, `/usage${query}`)).body.requests;
  const countOf = async ({ integrationId }: OrgAccess) =>
    (await requestsOf(`?integration_id=${integrationId}`)).flatMap(({ days }) => days);

  it('count from the first one on, whatever is returned, and go on being counted', async () => {
    const { token, integrationId } = org;
    expect((await get(token, `/clients/${randomUUID()}`)).status).toBe(404);
    expect(await requestsOf()).toEqual([{ integration_id: integrationId, days: [{ date: today(), requests: 1 }] }]);
    for (let turn = 0; turn < 97; turn++) await get(token, '/permissions');
    expect(await countOf(org)).toEqual([{ date: today(), requests: 1 }]);
    // The hundredth that is not told yet.
    await get(token, '/permissions');
    expect(await countOf(org)).toEqual([{ date: today(), requests: 101 }]);
    // Any day may have begun by then.
    vi.setSystemTime(Date.now() + 15 * 60_000);
    await get(token, '/permissions');
    const days = await countOf(org);
    expect(days.reduce((sum, { requests }) => sum + Number(requests), 0)).toBe(103);
  });

  it('count for the integration that sent them, webhooks too, and those of the platform for the platform', async () => {
    const other = await integrationWith(null);
    expect((await deliver(api, other, { event_type: 'partner.greeted', data: {} })).status).toBe(200);
    expect(await countOf(other)).toEqual([{ date: today(), requests: 1 }]);
    expect((await deliver(api, org, { event_type: 'x.y', data: {} }, { signature: '0'.repeat(64) })).status).toBe(401);
    const platform = await api.platformToken();
    const before = await requestsOf(`?org_id=${org.orgId}`, platform);
    await get(platform, `/clients?org_id=${org.orgId}`);
    expect(await requestsOf(`?org_id=${org.orgId}`, platform)).toEqual(before);
    expect(before.map(({ integration_id }) => integration_id)).toEqual(
      [org.integrationId, other.integrationId].toSorted(),
    );
  });

  it('do not count where a budget refuses them', async () => {
    const other = await integrationWith(null);
    vi.stubEnv('RATE_LIMIT', '2');
    const statuses = [];
    for (let turn = 0; turn < 5; turn++) statuses.push((await get(other.token, '/clients')).status);
    expect(statuses).toEqual([200, 200, 429, 429, 429]);
    expect(await countOf(other)).toEqual([{ date: today(), requests: 2 }]);
  });

  it('need usage:read, and are of the caller’s organization alone', async () => {
    const { status, body } = await get((await integrationWith(['clients:read', 'integrations:write'])).token, '/usage');
    expect([status, body.detail]).toEqual([403, 'This needs the permission usage:read.']);
    const reader = await integrationWith(['usage:read']);
    expect((await get(reader.token, '/usage')).status).toBe(200);
    const rival = await api.orgToken('Rival');
    await get(rival.token, '/clients');
    expect(await requestsOf(`?integration_id=${rival.integrationId}`)).toEqual([]);
    expect((await get(org.token, `/usage?org_id=${rival.orgId}`)).status).toBe(403);
    const seen = (await requestsOf('', rival.token)).map(({ integration_id }) => integration_id);
    expect(seen).toEqual([rival.integrationId]);
  });

  describe('of 62 days', () => {
    let [first, last] = [0, 0];
    beforeEach(() => {
      last = dayOf(Date.now());
      first = last - 61;
    });
    const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
    /** Stores requests of so many integrations on four days. @returns their ids */
    const countRequests = async (integrations: number): Promise<string[]> => {
      const { client, name } = environmentTable();
      const now = Date.now();
      const put = (of: string, item: object) =>
        client.send(
          new PutCommand({ TableName: name, Item: { ...tenantKey(org.orgId as TenantId, 'BUDGET', of), ...item } }),
        );
      await put('TENANT', { FULL_AT: now, AT: now });
      const days = { [`D${first - 1}`]: 7, [`D${first}`]: 8, [`D${last}`]: 9, [`D${last + 1}`]: 10 };
      const ids = Array.from({ length: integrations }, () => randomUUID()).toSorted();
      for (const id of ids) await put(id, { FULL_AT: now, AT: now, ...days });
      return ids;
    };

    it('are told by pages of 200 integrations, and no others', async () => {
      const ids = await countRequests(201);
      const seen: string[] = [];
      let path = '/usage';
      for (let page = 0; page < 3 && path !== ''; page++) {
        const { body, headers } = await get<Usage>(org.token, path);
        expect(body.requests.length).toBeLessThanOrEqual(200);
        // The caller’s own integration is anywhere among them, by its id.
        const stored = body.requests.filter(({ integration_id }) => integration_id !== org.integrationId);
        const days = [
          { date: dateOf(first), requests: 8 },
          { date: dateOf(last), requests: 9 },
        ];
        expect(stored).toEqual(stored.map(({ integration_id }) => ({ integration_id, days })));
        seen.push(...stored.map(({ integration_id }) => integration_id));
        path = /<\/api\/v1([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '';
      }
      expect(seen).toEqual(ids);
    });

    it.each([
      ['the second day and later', () => `from=${dateOf(first + 1)}`, [9]],
      ['the day before the last and earlier', () => `to=${dateOf(last - 1)}`, [8]],
      ['all days', () => `from=${dateOf(first)}&to=${dateOf(last)}`, [8, 9]],
      ['a day that has not come', () => `from=${dateOf(last + 1)}`, undefined],
      ['an end before the beginning', () => `from=${dateOf(last)}&to=${dateOf(first)}`, undefined],
    ])('are selected by %s', async (_, query, expected) => {
      const [id] = await countRequests(1);
      const [one] = await requestsOf(`?integration_id=${id}&${query()}`);
      expect(one?.days.map(({ requests }) => requests)).toEqual(expected);
    });

    it.each(['2026-02-30', '2026-1-1', '20261120', '2026-11-20T09:30:00Z', 'today', ''])(
      'are not selected by %s',
      async (date) => {
        const { status, body } = await get(org.token, `/usage?from=${date}`);
        expect([status, body.errors]).toEqual([
          400,
          [{ in: 'query', pointer: '#/from', detail: 'must be a date, such as 2026-11-20' }],
        ]);
      },
    );
  });
});
