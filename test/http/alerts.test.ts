import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi();
const org = prepared(() => api.orgToken());

interface Result {
  readonly fingerprint: string | null;
  readonly outcome: string;
  readonly ticket_id: string | null;
  readonly ticket_code: string | null;
}
type Fields = Readonly<Record<string, unknown>>;

/** Minutes of an hour, by the sender's clock. */
const at = (minute: number): string => new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString();

const send = (format: string, body: unknown, { token = org.token } = {}) =>
  api.request<Fields & { readonly alerts: readonly Result[] }>('POST', `/api/v1/alerts/${format}`, { token, body });
const alert = async (fields: Fields): Promise<Result> => {
  const { status, body } = await send('custodia', { status: 'firing', ...fields });
  expect(status).toBe(200);
  return body.alerts[0] as Result;
};
const over = (fields: Fields) => alert({ ...fields, status: 'resolved' });
const read = async (path: string) => (await api.request<Fields>('GET', `/api/v1/${path}`, { token: org.token })).body;
const ticket = ({ ticket_id }: Result) => read(`tickets/${ticket_id}`);
const messages = async ({ ticket_id }: Result) =>
  ((await read(`tickets/${ticket_id}/messages`)).data as Fields[]).map(({ message }) => message);
const created = async (path: string, body: Fields, token = org.token) =>
  String((await api.request<Fields>('POST', `/api/v1/${path}`, { token, body })).body.id);
const changed = async ({ ticket_id }: Result, body: Fields) =>
  expect((await api.request('PATCH', `/api/v1/tickets/${ticket_id}`, { token: org.token, body })).status).toBe(200);
const ticketCount = async () => Number((await read('tickets?page_size=1')).total);

describe('an alert', () => {
  it('opens a ticket once, and closes it when it is over', async () => {
    const fields = { fingerprint: 'once', summary: 'Disk  full\n', labels: { severity: 'Critical' }, starts_at: at(0) };
    const opened = await alert(fields);
    expect(opened).toEqual({
      fingerprint: 'once',
      outcome: 'opened',
      ticket_id: expect.any(String),
      ticket_code: expect.stringMatching(/^T-/),
    });
    expect(await ticket(opened)).toMatchObject({
      subject: 'Disk full',
      description: 'severity: Critical',
      priority: 'urgent',
      source: 'monitoring',
      status: 'open',
      contact_id: org.integrationId,
      client_id: null,
    });
    expect(await alert(fields)).toEqual({ ...opened, outcome: 'repeated' });
    expect(await over(fields)).toEqual({ ...opened, outcome: 'resolved' });
    expect(await ticket(opened)).toMatchObject({ status: 'closed', resolved_at: expect.any(String) });
    const { data } = await read(`tickets/${opened.ticket_id}/messages`);
    const written = { author_type: 'system', author_id: org.integrationId, is_internal: true };
    expect(data).toMatchObject([{ ...written, message: 'The alert is over.' }]);
    expect(await over(fields)).toEqual({ ...opened, outcome: 'ignored' });
    expect(await messages(opened)).toHaveLength(1);
  });

  it('that fires again gets a new ticket, which names the last one', async () => {
    const first = await alert({ fingerprint: 'again', starts_at: at(0) });
    await over({ fingerprint: 'again', starts_at: at(0), ends_at: at(5) });
    const second = await alert({ fingerprint: 'again', starts_at: at(6) });
    expect(second).toMatchObject({ outcome: 'opened' });
    expect(second.ticket_id).not.toBe(first.ticket_id);
    expect((await ticket(second)).description).toBe(`It fired before: ${first.ticket_code}.`);
    expect((await ticket(second)).subject).toBe('Alert again');
  });

  it.each<readonly [string, (opened: Result) => Promise<unknown>]>([
    ['was changed', (opened) => changed(opened, { priority: 'low' })],
    [
      'has a message',
      ({ ticket_id }) =>
        created(`tickets/${ticket_id}/messages`, {
          ...{ author_type: 'agent', author_id: org.integrationId, message: 'I am on it' },
        }),
    ],
  ])('leaves a ticket open that %s', async (how, change) => {
    const opened = await alert({ fingerprint: how });
    await change(opened);
    expect(await over({ fingerprint: how })).toMatchObject({ outcome: 'resolved' });
    expect((await ticket(opened)).status).toBe('open');
    expect((await messages(opened)).at(-1)).toMatch(/^The alert is over\. The ticket stays open/);
  });

  it('whose ticket somebody has closed or deleted is over all the same', async () => {
    const [closed, deleted] = [await alert({ fingerprint: 'closed' }), await alert({ fingerprint: 'deleted' })];
    await changed(closed, { status: 'closed' });
    await api.request('DELETE', `/api/v1/tickets/${deleted.ticket_id}`, { token: org.token });
    expect(await over({ fingerprint: 'closed' })).toMatchObject({ outcome: 'resolved' });
    expect(await over({ fingerprint: 'deleted' })).toMatchObject({ outcome: 'resolved' });
    expect(await messages(closed)).toEqual(['The alert is over.']);
    expect((await alert({ fingerprint: 'deleted' })).outcome).toBe('opened');
  });

  it('is what its integration says: another one has its own', async () => {
    const other = { app_code: `other-${org.appCode}`, display_name: 'Other', permissions: ['alerts:write'] };
    const { body } = await api.request<Fields>('POST', '/api/v1/integrations', { token: org.token, body: other });
    const token = await api.login(other.app_code, String(body.secret));
    const own = await alert({ fingerprint: 'shared' });
    const theirs = await send('custodia', { fingerprint: 'shared', status: 'firing' }, { token });
    expect(theirs.body.alerts[0]).toMatchObject({ outcome: 'opened' });
    expect(theirs.body.alerts[0]?.ticket_id).not.toBe(own.ticket_id);
  });
});

describe('what comes late', () => {
  it('is what began when an alert did that was over without a time', async () => {
    await alert({ fingerprint: 'without end', starts_at: at(0) });
    expect(await over({ fingerprint: 'without end' })).toMatchObject({ outcome: 'resolved' });
    expect(await alert({ fingerprint: 'without end', starts_at: at(0) })).toMatchObject({ outcome: 'ignored' });
    expect(await alert({ fingerprint: 'without end', starts_at: at(1) })).toMatchObject({ outcome: 'opened' });
  });

  it('is no new ticket, when it fired before an end that came first', async () => {
    const before = await ticketCount();
    expect(await over({ fingerprint: 'late', starts_at: at(0), ends_at: at(5) })).toMatchObject({
      ...{ outcome: 'ignored', ticket_id: null },
    });
    expect(await alert({ fingerprint: 'late', starts_at: at(0) })).toMatchObject({ outcome: 'ignored' });
    expect(await alert({ fingerprint: 'late', starts_at: at(4) })).toMatchObject({ outcome: 'ignored' });
    expect(await ticketCount()).toBe(before);
    expect(await alert({ fingerprint: 'late', starts_at: at(6) })).toMatchObject({ outcome: 'opened' });
  });

  it('is no end of what began after it', async () => {
    await alert({ fingerprint: 'later', starts_at: at(0) });
    // The end of the first is still under way.
    expect(await alert({ fingerprint: 'later', starts_at: at(10) })).toMatchObject({ outcome: 'repeated' });
    expect(await over({ fingerprint: 'later', starts_at: at(0), ends_at: at(5) })).toMatchObject({
      outcome: 'ignored',
    });
    expect(await over({ fingerprint: 'later', starts_at: at(10) })).toMatchObject({ outcome: 'resolved' });
  });

  it('is ordered by the sender’s times alone: without them everything counts as it comes', async () => {
    await over({ fingerprint: 'timeless' });
    expect(await alert({ fingerprint: 'timeless', starts_at: 'yesterday' })).toMatchObject({ outcome: 'opened' });
    expect(await over({ fingerprint: 'timeless', starts_at: '' })).toMatchObject({ outcome: 'resolved' });
    expect(await alert({ fingerprint: 'timeless' })).toMatchObject({ outcome: 'opened' });
  });
});

describe('labels', () => {
  it('find a client and its records', async () => {
    const client_id = await created('clients', { name: 'Acme', slug: 'labelled' });
    const service_id = await created('services', { client_id, name: 'Shop', type: 'web', external_id: 'svc-1' });
    const resource = { client_id, service_id, name: 'db-1', type: 'vm', external_id: 'i-1' };
    const resource_id = await created('resources', resource);
    const stranger = await created('clients', { name: 'Other', slug: 'another' });
    const about = async (fingerprint: string, labels: Fields) => {
      const found = await ticket(await alert({ fingerprint, labels }));
      return { client_id: found.client_id, service_id: found.service_id, resource_id: found.resource_id };
    };
    const NONE = { client_id: null, service_id: null, resource_id: null };
    expect(await about('l1', { client_slug: 'labelled' })).toEqual({ ...NONE, client_id });
    expect(await about('l2', { client_id })).toEqual({ ...NONE, client_id });
    expect(await about('l3', { external_id: 'i-1' })).toEqual({ ...NONE, client_id, resource_id });
    expect(await about('l4', { external_id: 'svc-1' })).toEqual({ ...NONE, client_id, service_id });
    expect(await about('l5', { resource_id, service_id })).toEqual({ client_id, service_id, resource_id });
    expect(await about('l6', { client_slug: 'another', resource_id })).toEqual({ ...NONE, client_id: stranger });
    expect(await about('l7', { client_slug: 'none', service_id: org.orgId, external_id: 'x' })).toEqual(NONE);
    const outside = await api.orgToken();
    const theirs = await created('clients', { name: 'Theirs', slug: 'theirs' }, outside.token);
    expect(await about('l8', { client_id: theirs, client_slug: 'theirs' })).toEqual(NONE);
  });

  it('have the names that the metadata of the integration gives', async () => {
    const contact_id = '7d0f0c1e-52c1-4f0b-9f2b-0b6a7f3c9d21';
    const metadata = {
      alerts: { labels: { severity: 'level', client_id: 7 }, priorities: { p1: 'high', p2: 5 }, contact_id },
    };
    await api.request('PATCH', `/api/v1/integrations/${org.integrationId}`, { token: org.token, body: { metadata } });
    const labelled = async (level: string) => {
      const { priority, contact_id: contact } = await ticket(await alert({ fingerprint: level, labels: { level } }));
      return [priority, contact];
    };
    expect(await labelled('p1')).toEqual(['high', contact_id]);
    expect(await labelled('p2')).toEqual(['normal', contact_id]);
    expect(await labelled('__proto__')).toEqual(['normal', contact_id]);
    const body = { metadata: { alerts: ['none'] } };
    await api.request('PATCH', `/api/v1/integrations/${org.integrationId}`, { token: org.token, body });
    expect(await labelled('critical')).toEqual(['normal', org.integrationId]);
  });
});

const grouped = (...alerts: unknown[]) => ({ version: '4', receiver: 'custodia', truncatedAlerts: 0, alerts });

describe('a group of alerts', () => {
  it('has a ticket for each, in its own words', async () => {
    const { status, body } = await send(
      'alertmanager',
      grouped(
        {
          ...{
            status: 'firing',
            fingerprint: 'g1',
            startsAt: '2026-11-20T09:00:00.123456789Z',
            endsAt: '0001-01-01T00:00:00Z',
          },
          labels: { alertname: 'DiskFull', severity: 'warning' },
          annotations: { summary: 'Disk of db-1', description: 'Only 1 % is left' },
          generatorURL: 'http://prometheus/graph',
        },
        { status: 'firing', fingerprint: 'g2', labels: { alertname: 'Down' }, dashboardURL: '', values: { A: 1 } },
        { status: 'firing', fingerprint: 'g2', labels: { alertname: 'Down' } },
        { status: 'resolved', fingerprint: 'g2', labels: { alertname: 'Down' } },
      ),
    );
    expect(status).toBe(200);
    expect(body.alerts.map(({ outcome }) => outcome)).toEqual(['opened', 'opened', 'repeated', 'resolved']);
    const [first, second] = body.alerts as readonly [Result, Result];
    expect(await ticket(first)).toMatchObject({
      subject: 'Disk of db-1',
      description: 'Only 1 % is left\n\nalertname: DiskFull\nseverity: warning\n\nhttp://prometheus/graph',
      priority: 'normal',
    });
    expect(await ticket(second)).toMatchObject({ subject: 'Down', status: 'closed' });
  });

  it('of 200 is taken, and taken again', async () => {
    const { token } = await api.orgToken();
    // All in one hour.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    onTestFinished(() => void vi.useRealTimers());
    const many = Array.from({ length: 200 }, (_, index) => ({ status: 'firing', fingerprint: `many-${index}` }));
    const counted = async () => {
      const { status, body } = await send('alertmanager', grouped(...many), { token });
      const outcomes = Object.entries(Object.groupBy(body.alerts, ({ outcome }) => outcome));
      return [status, Object.fromEntries(outcomes.map(([outcome, all]) => [outcome, all?.length]))];
    };
    expect(await counted()).toEqual([200, { opened: 100, collected: 100 }]);
    expect(await counted()).toEqual([200, { repeated: 200 }]);
    const { body } = await api.request<Fields>('GET', '/api/v1/tickets?page_size=1', { token });
    expect(body.total).toBe(101);
  });

  it('loses none to one that is no alert', async () => {
    const { status, body } = await send(
      'alertmanager',
      grouped(
        { status: 'firing', fingerprint: 'good' },
        7,
        null,
        { status: 'odd', fingerprint: 'x' },
        { status: 'firing' },
      ),
    );
    expect([status, body.alerts.map(({ outcome }) => outcome)]).toEqual([
      422,
      ['opened', 'refused', 'refused', 'refused', 'refused'],
    ]);
    expect(body.errors).toMatchObject([1, 2, 3, 4].map((index) => ({ pointer: `#/alerts/${index}` })));
  });

  it('at once in two containers is one ticket each', async () => {
    const both = grouped(...['t1', 't2', 't3'].map((fingerprint) => ({ status: 'firing', fingerprint })));
    const before = await ticketCount();
    const replies = await Promise.all(Array.from({ length: 4 }, () => send('alertmanager', both)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await ticketCount()).toBe(before + 3);
    for (const index of [0, 1, 2])
      expect(new Set(replies.map(({ body }) => body.alerts[index]?.ticket_id)).size).toBe(1);
  });
});

describe('hostile bodies', () => {
  const long = 'é\ud800"'.repeat(90_000);
  const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`label-${index}`, 'x'.repeat(50)]));
  it.each<readonly [string, Fields, number]>([
    ['a fingerprint of 1 MB', { fingerprint: long }, 200],
    ['texts of 1 MB', { fingerprint: 'h1', summary: long }, 200],
    ['10,000 labels', { fingerprint: 'h2', labels }, 200],
    [
      'long labels that name records',
      { fingerprint: 'h3', labels: { client_slug: long.slice(0, 9_000), external_id: 'é'.repeat(9_000) } },
      200,
    ],
    ['an external id as long as it may be', { fingerprint: 'h4', labels: { external_id: 'é'.repeat(500) } }, 200],
    ['a number as a fingerprint', { fingerprint: 7 }, 422],
    ['no fingerprint', {}, 422],
    ['an empty one', { fingerprint: '' }, 422],
    ['labels that are a list', { fingerprint: 'h5', labels: ['a'] }, 422],
    ['labels that are none', { fingerprint: 'h6', labels: null }, 200],
    [
      'labels that are no texts',
      { fingerprint: 'h7', labels: { severity: { critical: 1 }, client_id: 7, a: null } },
      200,
    ],
    ['a status of its own', { fingerprint: 'h8', status: 'ok' }, 422],
    [
      'members that are not known',
      { fingerprint: 'h9', constructor: { a: 1 }, toString: {}, other: [[1]], more: { b: {} } },
      200,
    ],
  ])('%s', async (_, fields, expected) => {
    expect((await send('custodia', { status: 'firing', ...fields })).status).toBe(expected);
  });

  it('with keys of prototypes', async () => {
    const raw =
      '{"fingerprint":"p1","status":"firing","__proto__":{"a":1},"labels":{"__proto__":"x","severity":"toString"}}';
    const headers = { 'content-type': 'application/json' };
    const reply = await api.request('POST', '/api/v1/alerts/custodia', { token: org.token, raw, headers });
    expect(reply.status).toBe(200);
  });

  it('of more than a megabyte, or of too many alerts', async () => {
    expect((await send('custodia', { fingerprint: 'x'.repeat(1_100_000), status: 'firing' })).status).toBe(413);
    expect((await send('alertmanager', grouped(...Array(10_001).fill(0)))).status).toBe(422);
    expect((await send('alertmanager', { alerts: 'none' })).status).toBe(422);
  });
});
