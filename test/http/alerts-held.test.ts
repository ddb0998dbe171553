import { randomUUID } from 'node:crypto';
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { environmentTable } from '#table';
import { heldKey } from '../../functions/alerts/state/held.ts';
import { handler as openHeld } from '../../functions/held-alerts/handler.ts';
import { resumeOrganization, suspendOrganization } from '../../operator/suspending.ts';
import type { OrgAccess } from '../support/api.ts';
import { written } from '../support/lines.ts';
import { useApi } from '../support/use-api.ts';

/** Alerts of what is under maintenance, and more alerts than people can look at. */

const api = useApi({ limits: { functionMs: 600_000, inFlight: 64 } });
const clientConfig = (): object => environmentTable().client.config;
afterEach(() => {
  vi.useRealTimers();
  Object.defineProperty(clientConfig(), 'systemClockOffset', { value: 0, writable: true });
});

type Fields = Readonly<Record<string, unknown>>;
interface Result {
  readonly outcome: string;
  readonly ticket_id: string | null;
}

const callsFor = (org: OrgAccess) => {
  const ask = async (method: string, path: string, body?: Fields) => {
    const token = vi.isFakeTimers() ? await api.login(org.appCode, org.secret) : org.token;
    const sent = { token, ...(body === undefined ? {} : { body }) };
    return (await api.request<Fields>(method, `/api/v1/${path}`, sent)).body;
  };
  const send = async (...alerts: Fields[]) =>
    (await ask('POST', 'alerts/alertmanager', { alerts })).alerts as unknown as readonly Result[];
  const outcomes = async (...alerts: Fields[]) => (await send(...alerts)).map(({ outcome }) => outcome);
  const total = async () => Number((await ask('GET', 'tickets?page_size=1')).total);
  return { ask, send, outcomes, total };
};

const HOUR = 3_600_000;
const from = (now: number, hours: number): string => new Date(now + hours * HOUR).toISOString();
/** @param behind how far DynamoDB's clock is behind this machine's then */
const forward = (hours: number, behind = 0): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * HOUR });
  const offset = { get: () => -behind * HOUR, set: () => undefined, configurable: true };
  Object.defineProperty(clientConfig(), 'systemClockOffset', offset);
};
/** Sort keys of an organization's entries in the register. */
const entries = async (orgId: string): Promise<unknown[]> => {
  const { client, name } = environmentTable();
  const KeyConditionExpression = 'PK = :pk AND begins_with(SK, :sk)';
  const ExpressionAttributeValues = { ':pk': heldKey().PK, ':sk': orgId };
  const query = new QueryCommand({ TableName: name, KeyConditionExpression, ExpressionAttributeValues });
  return ((await client.send(query)).Items ?? []).map(({ SK }) => SK);
};
/** What the schedule calls. */
const look = async () => (await written(() => openHeld())).lines;

const firing = (fingerprint: string, labels: Fields = {}) => ({ fingerprint, status: 'firing', labels });
const resolved = (fingerprint: string) => ({ fingerprint, status: 'resolved' });

it('an alert is known for ninety days by the clock of DynamoDB', async () => {
  const { outcomes } = callsFor(await api.orgToken());
  expect(await outcomes(firing('a'))).toEqual(['opened']);
  forward(35 * 24);
  forward(60 * 24, 60 * 24);
  expect(await outcomes(firing('a'), resolved('a'))).toEqual(['repeated', 'resolved']);
});

describe('in maintenance', () => {
  it('an alert is held, and gets its ticket after it, if it still fires', async () => {
    const org = await api.orgToken();
    const [{ orgId }, { ask, outcomes, total }] = [org, callsFor(org)];
    const now = Date.now();
    const { id: client_id } = await ask('POST', 'clients', { name: 'Acme', slug: 'held' });
    await ask('POST', 'maintenance-windows', { client_id, from: from(now, -1), to: from(now, 2) });
    const about = { client_slug: 'held', severity: 'critical' };
    const summary = { annotations: { summary: 'Down' } };
    expect(
      await outcomes({ ...firing('a', about), ...summary }, firing('b', about), firing('c', about), firing('d')),
    ).toEqual(['held', 'held', 'held', 'opened']);
    expect(await outcomes(firing('a', about), resolved('b'))).toEqual(['held', 'resolved']);
    expect(await total()).toBe(1);
    forward(3);
    // One that comes again, and one that the schedule finds.
    expect(await outcomes(firing('c', about), firing('d'))).toEqual(['opened', 'repeated']);
    expect(await total()).toBe(2);
    expect(await look()).toMatchObject([{ domain: 'held-alerts', outcome: 'done', tenant: orgId }]);
    expect([await total(), await entries(orgId)]).toEqual([3, []]);
    const { data } = await ask('GET', 'tickets?view=full&page_size=1');
    expect(data).toMatchObject([{ subject: 'Down', priority: 'urgent', source: 'monitoring', client_id }]);
    expect(await look()).toEqual([]);
    expect(await outcomes(firing('a', about), firing('b', about))).toEqual(['repeated', 'opened']);
  });

  it('that takes longer, or has no end, it stays held', async () => {
    const { ask, outcomes, total } = callsFor(await api.orgToken());
    const now = Date.now();
    const window = await ask('POST', 'maintenance-windows', { from: from(now, -1), to: from(now, 2) });
    expect(await outcomes(firing('a'))).toEqual(['held']);
    await ask('PATCH', `maintenance-windows/${window.id}`, { to: from(now, 5) });
    forward(3);
    await look();
    expect([await outcomes(firing('a')), await total()]).toEqual([['held'], 0]);
    forward(3);
    await look();
    expect(await total()).toBe(1);
    const { id: client_id } = await ask('POST', 'clients', { name: 'Acme' });
    const { id: resource_id } = await ask('POST', 'resources', {
      ...{ client_id, name: 'db', type: 'vm', status: 'maintenance' },
    });
    expect(await outcomes(firing('b', { resource_id }))).toEqual(['held']);
    await ask('PATCH', `resources/${resource_id}`, { status: 'running' });
    forward(1);
    await look();
    expect(await total()).toBe(2);
  });

  it('of its service, an alert of a resource is held', async () => {
    const { ask, outcomes } = callsFor(await api.orgToken());
    const { id: client_id } = await ask('POST', 'clients', { name: 'Acme' });
    const { id: service_id } = await ask('POST', 'services', { client_id, name: 'Shop', type: 'saas' });
    const { id: resource_id } = await ask('POST', 'resources', { client_id, service_id, name: 'db', type: 'vm' });
    await ask('POST', 'maintenance-windows', { service_id, from: from(Date.now(), -1), to: from(Date.now(), 2) });
    expect(await outcomes(firing('a', { resource_id }))).toEqual(['held']);
  });

  it('that is ended sooner than was said, it gets its ticket', async () => {
    const { ask, outcomes, total } = callsFor(await api.orgToken());
    const { id } = await ask('POST', 'maintenance-windows', { from: from(Date.now(), -1), to: from(Date.now(), 8) });
    expect(await outcomes(firing('a'), firing('b'))).toEqual(['held', 'held']);
    forward(1);
    await look();
    expect(await total()).toBe(0);
    await ask('PATCH', `maintenance-windows/${id}`, { to: from(Date.now(), 0) });
    forward(0.3);
    expect(await outcomes(firing('a'))).toEqual(['opened']);
    await look();
    expect(await total()).toBe(2);
  });

  it('more of one sender than wait their turn together are looked at in one run', async () => {
    const org = await api.orgToken();
    const { ask, outcomes, total } = callsFor(org);
    await ask('POST', 'maintenance-windows', { from: from(Date.now(), -1), to: from(Date.now(), 0.2) });
    const many = Array.from({ length: 120 }, (_, index) => firing(`many ${index}`));
    expect(new Set(await outcomes(...many))).toEqual(new Set(['held']));
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil((Date.now() + HOUR) / HOUR) * HOUR });
    forward(0);
    // All in one hour.
    await look();
    expect([await entries(org.orgId), await total()]).toEqual([[], 101]);
  });

  it('its ticket names what is still there after it', async () => {
    const { ask, outcomes } = callsFor(await api.orgToken());
    const { id: client_id } = await ask('POST', 'clients', { name: 'Acme' });
    const { id: resource_id } = await ask('POST', 'resources', { client_id, name: 'db', type: 'vm' });
    await ask('POST', 'maintenance-windows', { from: from(Date.now(), -1), to: from(Date.now(), 2) });
    expect(await outcomes(firing('a', { resource_id }))).toEqual(['held']);
    await ask('DELETE', `resources/${resource_id}`);
    forward(3);
    await look();
    const { data } = await ask('GET', 'tickets?view=full');
    expect(data).toMatchObject([{ subject: 'Alert a', client_id, resource_id: null }]);
  });

  it('a machine whose clock is hours ahead opens no ticket early', async () => {
    const { ask, outcomes, total } = callsFor(await api.orgToken());
    await ask('POST', 'maintenance-windows', { from: from(Date.now(), -1), to: from(Date.now(), 2) });
    expect(await outcomes(firing('a'))).toEqual(['held']);
    forward(3, 3);
    await look();
    expect([await outcomes(firing('a'), firing('b')), await total()]).toEqual([['held', 'held'], 0]);
  });

  it('a suspended organization gets its tickets when it is resumed', async () => {
    const org = await api.orgToken();
    const { ask, outcomes, total } = callsFor(org);
    await ask('POST', 'maintenance-windows', { from: from(Date.now(), -1), to: from(Date.now(), 2) });
    expect(await outcomes(firing('a'))).toEqual(['held']);
    await suspendOrganization(org.orgId);
    forward(3);
    await look();
    expect(await entries(org.orgId)).toHaveLength(1);
    await resumeOrganization(org.orgId);
    await look();
    expect([await total(), await entries(org.orgId)]).toEqual([1, []]);
  });

  it.each([{ status: 'inactive' }, { permissions: ['tickets:read'] }])(
    'an integration that may not send alerts any more opens no ticket, and faulty entries stop none: %j',
    async (change) => {
      const [org, another] = [await api.orgToken(), await api.orgToken()];
      const others = callsFor(another);
      const { ask, total } = callsFor(org);
      const named = {
        display_name: 'Monitoring',
        app_code: `monitoring-${org.appCode}`,
        permissions: ['alerts:write'],
      };
      const { id, secret } = await ask('POST', 'integrations', named);
      const token = await api.login(named.app_code, String(secret));
      const monitoring = callsFor({ ...org, token });
      for (const [owner, sender] of [
        [callsFor(org), monitoring],
        [others, others],
      ] as const) {
        await owner.ask('POST', 'maintenance-windows', { from: from(Date.now(), -1), to: from(Date.now(), 2) });
        expect(await sender.outcomes(firing('a'))).toEqual(['held']);
      }
      const { client, name } = environmentTable();
      const endless = [randomUUID(), randomUUID(), '~~'];
      const stray = [endless, ['0'], ['~~'], [org.orgId], [org.orgId, 'x'], [org.orgId, String(id), '2', 'x']];
      const ofNobody = [randomUUID(), randomUUID(), new Date().toISOString(), 'x'.repeat(43)];
      // More than are looked at together.
      const before = Array.from({ length: 101 }, (_, index) => [
        another.orgId,
        another.integrationId,
        '0',
        String(index),
      ]);
      for (const parts of [...stray, ...before, ofNobody])
        await client.send(new PutCommand({ TableName: name, Item: { ...heldKey(...parts) } }));
      await ask('PATCH', `integrations/${id}`, change);
      forward(3);
      await look();
      expect([await others.total(), await total()]).toEqual([1, 0]);
      for (const orgId of [org.orgId, another.orgId, String(ofNobody[0])]) expect(await entries(orgId)).toEqual([]);
    },
  );
});

describe('more than 100 new alerts in an hour', () => {
  it('are collected in one ticket, whose messages list them', async () => {
    const { ask, send, outcomes, total } = callsFor(await api.orgToken());
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / HOUR) * HOUR });
    const many = (start: number, count: number) =>
      Array.from({ length: count }, (_, index) => firing(`s${start + index}`, { alertname: `Alert ${start + index}` }));
    const first = await send(...many(0, 130));
    const collected = first.filter(({ outcome }) => outcome === 'collected');
    expect([collected.length, new Set(collected.map(({ ticket_id }) => ticket_id)).size]).toEqual([30, 1]);
    const second = await send(...many(130, 5));
    expect(second.map(({ ticket_id }) => ticket_id)).toEqual(Array(5).fill(collected[0]?.ticket_id));
    expect(await total()).toBe(101);
    const { data } = await ask('GET', `tickets/${collected[0]?.ticket_id}/messages`);
    const texts = (data as Fields[]).map(({ message }) => String(message).split('\n'));
    // The clock stands still, so they have no order.
    expect(texts.map(([begin, ...subjects]) => [begin, subjects.length]).toSorted()).toEqual([
      ['130 alerts in this hour, with these:', 30],
      ['135 alerts in this hour, with these:', 5],
    ]);
    expect(texts.flat()).toContain('Alert 134');
    expect(await outcomes(...many(130, 1), resolved('s131'))).toEqual(['repeated', 'resolved']);
    expect(await ask('GET', `tickets/${collected[0]?.ticket_id}`)).toMatchObject({
      status: 'open',
      priority: 'urgent',
    });
    forward(1);
    expect(await outcomes(firing('next'), firing('s131'))).toEqual(['opened', 'opened']);
  });

  it('that come twice at once are listed once', async () => {
    const { ask, send } = callsFor(await api.orgToken());
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / HOUR) * HOUR });
    await send(...Array.from({ length: 101 }, (_, index) => firing(`first ${index}`)));
    const twice = Array.from({ length: 20 }, (_, index) => firing(`twice ${index}`));
    const [[collected]] = await Promise.all([send(...twice), send(...twice)]);
    const { data } = await ask('GET', `tickets/${collected?.ticket_id}/messages`);
    const listed = (data as Fields[]).flatMap(({ message }) => String(message).match(/twice \d+/g) ?? []);
    expect(listed.toSorted()).toEqual(twice.map(({ fingerprint }) => fingerprint).toSorted());
  });
});
