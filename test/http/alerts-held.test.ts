import { afterEach, describe, expect, it, vi } from 'vitest';
import type { OrgAccess } from '../support/api.ts';
import { useApi } from '../support/use-api.ts';

/** Alerts of what is under maintenance, and more alerts than people can look at. */

const api = useApi({ limits: { functionMs: 600_000, inFlight: 64 } });
afterEach(() => void vi.useRealTimers());

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
const forward = (hours: number): void => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * HOUR });

const firing = (fingerprint: string, labels: Fields = {}) => ({ fingerprint, status: 'firing', labels });
const resolved = (fingerprint: string) => ({ fingerprint, status: 'resolved' });

describe('in maintenance', () => {
  it('an alert is held, and gets its ticket after it, if it still fires', async () => {
    const { ask, outcomes, total } = callsFor(await api.orgToken());
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
    // One that comes again, and one that is found by any other request.
    expect(['opened', 'repeated']).toContain((await outcomes(firing('c', about)))[0]);
    await Promise.all(Array.from({ length: 4 }, () => outcomes(firing('d'))));
    expect(await total()).toBe(3);
    const { data } = await ask('GET', 'tickets?view=full&page_size=2');
    expect(data).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ subject: 'Down', priority: 'urgent', client_id })]),
    );
    expect(await outcomes(firing('a', about), firing('b', about))).toEqual(['repeated', 'opened']);
  });

  it('that takes longer, or has no end, it stays held', async () => {
    const { ask, outcomes, total } = callsFor(await api.orgToken());
    const now = Date.now();
    const window = await ask('POST', 'maintenance-windows', { from: from(now, -1), to: from(now, 2) });
    expect(await outcomes(firing('a'))).toEqual(['held']);
    await ask('PATCH', `maintenance-windows/${window.id}`, { to: from(now, 5) });
    forward(3);
    expect(await outcomes(resolved('none'))).toEqual(['ignored']);
    expect([await outcomes(firing('a')), await total()]).toEqual([['held'], 0]);
    forward(3);
    await outcomes(resolved('none'));
    expect(await total()).toBe(1);
    const { id: client_id } = await ask('POST', 'clients', { name: 'Acme' });
    const { id: resource_id } = await ask('POST', 'resources', {
      ...{ client_id, name: 'db', type: 'vm', status: 'maintenance' },
    });
    expect(await outcomes(firing('b', { resource_id }))).toEqual(['held']);
    await ask('PATCH', `resources/${resource_id}`, { status: 'running' });
    forward(1);
    await outcomes(resolved('none'));
    expect(await total()).toBe(2);
  });
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
});
