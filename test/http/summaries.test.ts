import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { exactSum } from '../../functions/clients/exact-sum.ts';
import { lengthen } from '../support/long-lists.ts';
import { prepared } from '../support/prepared.ts';
import { newTicket } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';
import { type ApiDriver, apiDriverOf, NOWHERE, pointersOf } from './api-driver.ts';

/** Counts of lists by a field, and what a client has in numbers. */

const api = useApi();
const org = prepared(() => api.orgToken());
let acme: ApiDriver;
let client: string;
let ticket: string;
const AGENT = randomUUID();

/** Another integration of the organization, with these permissions alone. */
async function callerWith(...permissions: string[]): Promise<ApiDriver> {
  const { body } = await acme.post('/integrations', { app_code: randomUUID(), display_name: 'Limited', permissions });
  return apiDriverOf(api, await api.login(String(body.app_code), String(body.secret)));
}

beforeAll(async () => {
  acme = apiDriverOf(api, org.token);
  const [{ id }, other] = [await acme.client(), await acme.client()];
  client = id;
  const ofClient = { client_id: client };
  await acme.service({ ...ofClient, monthly_cost: 0.1, status: 'maintenance', health_status: 'degraded' });
  await acme.service({ ...ofClient, monthly_cost: 0.2, environment: 'staging' });
  await acme.service({ ...ofClient, monthly_cost: 1_200.07, billing_cycle: 'yearly', environment: 'staging' });
  await acme.service({ client_id: other.id, monthly_cost: 7, environment: 'staging' });
  await acme.resource({ ...ofClient, monthly_cost: 45 });
  await acme.create('/terminals', { ...ofClient, name: 'Desk', status: 'inactive' });
  await acme.create('/terminals', { ...ofClient, name: 'Door' });
  ticket = (await acme.create('/tickets', newTicket({ ...ofClient, assigned_to: AGENT }))).id;
  await acme.create('/tickets', newTicket({ ...ofClient, priority: 'high' }));
  await acme.create('/tickets', newTicket({ status: 'pending', tags: ['vip'] }));
});

const countsIn = async (path: string) => {
  const { status, body } = await acme.get(path);
  if (status !== 200) throw new Error(`GET ${path} answered ${status} ${JSON.stringify(body)}`);
  const { data, total, ...others } = body as { data: { value: string | null; count: number }[]; total: number };
  expect(others).toEqual({});
  return [Object.fromEntries(data.map(({ value, count }) => [value, count])), total];
};

describe('GET /tickets/summary and /services/summary', () => {
  it('count by a field, the most frequent value first, and null for none', async () => {
    expect(await countsIn('/tickets/summary')).toEqual([{ open: 2, pending: 1 }, 3]);
    expect(await countsIn('/tickets/summary?group_by=priority')).toEqual([{ normal: 2, high: 1 }, 3]);
    const { body } = await acme.get('/tickets/summary?group_by=assigned_to');
    expect(body).toEqual({
      data: [
        { value: null, count: 2 },
        { value: AGENT, count: 1 },
      ],
      total: 3,
    });
    expect(await countsIn('/services/summary?group_by=environment')).toEqual([{ staging: 3, production: 1 }, 4]);
    expect(await countsIn('/services/summary?group_by=status')).toEqual([{ active: 3, maintenance: 1 }, 4]);
  });

  it('take the filters of the list, with or without an index', async () => {
    expect(await countsIn(`/tickets/summary?client_id=${client}`)).toEqual([{ open: 2 }, 2]);
    expect(await countsIn('/tickets/summary?status=open,closed&tag=vip')).toEqual([{}, 0]);
    expect(await countsIn('/tickets/summary?priority=high')).toEqual([{ open: 1 }, 1]);
    expect(await countsIn('/tickets/summary?assigned_to=null')).toEqual([{ open: 1, pending: 1 }, 2]);
    expect(await countsIn('/tickets/summary?q=nobody')).toEqual([{}, 0]);
    expect(await countsIn('/tickets/summary?created_after=2020-01-01&created_before=2021-01-01')).toEqual([{}, 0]);
    expect(await countsIn(`/services/summary?group_by=name&monthly_cost_min=1&client_id=${client}`)).toEqual([
      { Shop: 1 },
      1,
    ]);
  });

  it('refuse fields that have no few values, and what is of pages', async () => {
    for (const query of [
      'group_by=id',
      'group_by=description',
      'group_by=created_at',
      'group_by=',
      'page=1',
      'sort=id',
    ])
      expect([query, (await acme.get(`/tickets/summary?${query}`)).status]).toEqual([query, 400]);
    expect(pointersOf(await acme.get('/tickets/summary?group_by=credentials'))).toEqual(['#/group_by']);
    expect(pointersOf(await acme.get('/tickets/summary?sort=id&staus=open'))).toEqual(['#/sort', '#/staus']);
    expect((await acme.get(`/tickets/summary?q=${'x'.repeat(3_000)}`)).status).toBe(400);
  });

  it('have the tag of a list, and say what they took', async () => {
    const { headers } = await acme.get('/tickets/summary?group_by=priority');
    expect(headers.get('scan-units')).toMatch(/^\d+;limit=500$/);
    const tag = String(headers.get('etag'));
    expect((await acme.get('/tickets/summary?group_by=priority', { headers: { 'If-None-Match': tag } })).status).toBe(
      304,
    );
    expect((await acme.get('/tickets/summary')).headers.get('scan-units')).toBeNull();
  });

  it('count closed values of any number of records by their sets, and refuse what records would decide', async () => {
    await lengthen(api, org, 'TICKET', 41_000);
    try {
      expect(await countsIn('/tickets/summary')).toEqual([{ open: 2, pending: 1 }, 3]);
      expect(await countsIn(`/tickets/summary?client_id=${client}`)).toEqual([{ open: 2 }, 2]);
      const refused = await acme.get('/tickets/summary?group_by=priority&source=email');
      expect([refused.status, pointersOf(refused)]).toEqual([400, ['#/group_by', '#/source']]);
      expect(refused.body.detail).toMatch(/^No index answers source and group_by=priority: 41003 records or more/);
      expect(refused.body.detail).toMatch(/Ask with one of the filters status, client_id, .*\.$/);
      expect(await countsIn('/tickets/summary?group_by=priority&status=open')).toEqual([{ normal: 1, high: 1 }, 2]);
    } finally {
      await lengthen(api, org, 'TICKET', -41_000);
    }
  });

  it('need the permission to read the records', async () => {
    const caller = await callerWith('tickets:read');
    expect((await caller.get('/tickets/summary')).status).toBe(200);
    expect((await caller.get('/services/summary')).status).toBe(403);
    const stranger = apiDriverOf(api, (await api.orgToken()).token);
    expect((await stranger.get('/tickets/summary')).body).toEqual({ data: [], total: 0 });
  });

  it('follow changes and deletions', async () => {
    const { id } = await acme.create('/tickets', newTicket({ status: 'closed' }));
    expect(await countsIn('/tickets/summary')).toEqual([{ open: 2, pending: 1, closed: 1 }, 4]);
    await acme.patch(`/tickets/${id}`, { status: 'pending' });
    expect(await countsIn('/tickets/summary')).toEqual([{ open: 2, pending: 2 }, 4]);
    await acme.remove(`/tickets/${id}`);
    expect(await countsIn('/tickets/summary')).toEqual([{ open: 2, pending: 1 }, 3]);
  });
});

describe('GET /clients/{id}/summary', () => {
  it('has what the client has, and costs exact to the cent', async () => {
    const { body: read } = await acme.get(`/clients/${client}`);
    expect((await acme.get(`/clients/${client}/summary`)).body).toEqual({
      client_id: client,
      services: {
        total: 3,
        by_status: [
          { value: 'active', count: 2 },
          { value: 'maintenance', count: 1 },
        ],
        unhealthy: 1,
        under_maintenance: 1,
        monthly_cost: {
          total: 1_200.37,
          by_billing_cycle: [
            { billing_cycle: 'monthly', total: 0.3 },
            { billing_cycle: 'yearly', total: 1_200.07 },
          ],
        },
      },
      resources: {
        total: 1,
        by_status: [{ value: 'active', count: 1 }],
        unhealthy: 0,
        under_maintenance: 0,
        monthly_cost: { total: 45, by_billing_cycle: [{ billing_cycle: 'monthly', total: 45 }] },
      },
      terminals: {
        total: 2,
        by_status: [
          { value: 'active', count: 1 },
          { value: 'inactive', count: 1 },
        ],
      },
      tickets: { total: 2, by_status: [{ value: 'open', count: 2 }], overdue: 0 },
      monthly_cost: {
        total: 1_245.37,
        by_billing_cycle: [
          { billing_cycle: 'monthly', total: 45.3 },
          { billing_cycle: 'yearly', total: 1_200.07 },
        ],
      },
      last_contact: read.last_contact,
    });
  });

  it('shows each part to callers who may read its kind', async () => {
    const caller = await callerWith('clients:read', 'services:read', 'terminals:write');
    expect((await caller.get(`/clients/${client}/summary`)).body).toMatchObject({
      services: { total: 3 },
      resources: null,
      terminals: { total: 2 },
      tickets: null,
      monthly_cost: null,
      last_contact: expect.any(String),
    });
    expect((await (await callerWith('services:read')).get(`/clients/${client}/summary`)).status).toBe(403);
  });

  it("is a 404 of a missing and of another tenant's client alike", async () => {
    const stranger = apiDriverOf(api, (await api.orgToken()).token);
    const replies = [await acme.get(`/clients/${NOWHERE}/summary`), await stranger.get(`/clients/${client}/summary`)];
    expect(replies.map(({ status, body }) => [status, body.detail])).toEqual(
      Array(2).fill([404, replies[0]?.body.detail]),
    );
    expect((await acme.get('/clients/summary')).status).toBe(400);
    expect((await acme.get(`/clients/${ticket}/summary`)).status).toBe(404);
  });
});

describe('exactSum', () => {
  it('is the sum of what is written, rounded once', () => {
    expect(exactSum([])).toBe(0);
    expect(exactSum([0.1, 0.2, 1e-12, 0])).toBe(0.300000000001);
    expect(exactSum(Array(1_000).fill(999_999_999.99))).toBe(999_999_999_990);
    expect(exactSum([1e12, 0.01])).toBe(1_000_000_000_000.01);
  });

  it('is exact for whole cents', () => {
    const cents = fc.array(fc.integer({ min: 0, max: 10 ** 12 }), { maxLength: 50 });
    fc.assert(
      fc.property(cents, (amounts) => {
        const sum = amounts.reduce((total, amount) => total + BigInt(amount), 0n);
        expect(exactSum(amounts.map((amount) => amount / 100))).toBe(Number(sum) / 100);
      }),
    );
  });
});
