import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { tallied } from '../../generate/data-model/words.ts';
import { rowsIn } from '../../generate/markdown.ts';
import { textAt } from '../../generate/places.ts';
import type { JsonBody } from '../support/api.ts';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';
import { type ApiDriver, apiDriverOf } from './api-driver.ts';

/**
 * Tasks of a working day over HTTP, among records that they must not find. The gateway counts the requests of each, and `docs/tasks.md` has
 * what was counted.
 */

const DAY_MS = 86_400_000;
const page = readFileSync(new URL('../../docs/tasks.md', import.meta.url), 'utf8');

const sent: string[] = [];
const api = useApi({
  around: (request, serve) => {
    sent.push(asOnThePage(request.method, request.target));
    return serve();
  },
});

/** A request, with `…` for ids and times. */
const asOnThePage = (method: string, target: string): string =>
  `\`${method} ${decodeURIComponent(target)
    .replace('/api/v1', '')
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…')}\``;

let acme: ApiDriver;
const ids: Record<string, string> = {};

/** Creates records and keeps their ids by name. */
async function given(path: string, records: Readonly<Record<string, JsonBody>>): Promise<void> {
  for (const [name, fields] of Object.entries(records)) ids[name] = (await acme.create(path, fields)).id;
}

const ticket = (fields: JsonBody): JsonBody => ({
  subject: 'Till is slow',
  description: 'Since this morning.',
  source: 'email',
  contact_id: randomUUID(),
  ...fields,
});

const resource = (client: string, fields: JsonBody): JsonBody => ({
  client_id: ids[client],
  name: 'db-1',
  type: 'server',
  ...fields,
});

const service = (client: string, fields: JsonBody): JsonBody => ({
  client_id: ids[client],
  name: 'Till',
  type: 'saas',
  ...fields,
});

const dateIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

const org = prepared(() => api.orgToken());

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 9 * DAY_MS });
  try {
    acme = apiDriverOf(api, await api.login(org.appCode, org.secret));
    await given('/tickets', {
      quiet: ticket({ ticket_code: 'OLD-1' }),
      quietAndClosed: ticket({ status: 'closed' }),
      woken: ticket({ status: 'pending' }),
    });
  } finally {
    vi.useRealTimers();
  }
  acme = apiDriverOf(api, await api.login(org.appCode, org.secret));
  await given('/clients', {
    bistro: { name: 'Grand Bistro Lisboa', slug: 'gbl', phone: 351_210_000_000 },
    tasca: { name: 'Tasca da Esquina', slug: 'tasca' },
    other: { name: 'Bar', slug: 'bar' },
  });
  await acme.patch(`/clients/${ids.other}`, { plan: 'premium' });
  await given('/users', {
    ana: { email: 'Ana.Lima@acme.example', name: 'Ana' },
    rui: { email: 'rui@acme.example', name: 'Rui' },
  });
  await given('/roles', { admin: { code: 'admin', label: 'Admin' }, agent: { code: 'agent', label: 'Agent' } });
  await given('/users/memberships', {
    anaIsAdmin: { user_id: ids.ana, role_id: ids.admin },
    ruiWasAdmin: { user_id: ids.rui, role_id: ids.admin, status: 'inactive' },
    ruiOfTasca: { user_id: ids.rui, role_id: ids.agent, client_id: ids.tasca },
  });
  await given('/services', {
    billedSoon: service('tasca', { monthly_cost: 12.1, next_billing_date: dateIn(3) }),
    billedLater: service('tasca', { monthly_cost: 0.2, next_billing_date: dateIn(30), environment: 'staging' }),
    billedBefore: service('other', { next_billing_date: dateIn(-3) }),
  });
  await acme.create('/logs/ingest', { level: 'error', message: 'The disk of db-1 is full' });
  await acme.create('/logs/ingest', { level: 'error', message: 'db-1 is silent' });
  await given('/tickets', {
    printer: ticket({
      ...{ subject: 'Printer in the kitchen is silent', ticket_code: 'T-2026-17', priority: 'high' },
      due_at: aWeekAgo(),
    }),
    printing: ticket({ subject: 'Printer prints twice', status: 'closed', due_at: aWeekAgo() }),
  });
  await given('/resources', {
    fullOfBistro: resource('bistro', { cpu_usage: 97, tags: ['production', 'database'], external_id: 'i-0001' }),
    fullOfTasca: resource('tasca', { cpu_usage: 97, tags: ['production'] }),
    fullOfOther: resource('other', { cpu_usage: 97, tags: ['database', 'test'] }),
    calm: resource('bistro', { cpu_usage: 1 }),
  });
  for (const message of ['On it.', 'Sent a technician.', 'Solved.']) {
    await acme.create(`/tickets/${ids.woken}/messages`, { author_type: 'agent', author_id: randomUUID(), message });
  }
  await given(`/tickets/${ids.printing}/messages`, {
    misspelt: { author_type: 'agent', author_id: randomUUID(), message: 'Whe are on it.' },
  });
  await given('/resources', { underService: { ...resource('other', {}), service_id: ids.billedBefore } });
});

/** The names of the records on a page, in its order. */
async function found(path: string): Promise<unknown[]> {
  const { ids: listed } = await acme.list(path);
  return listed.map((id) => Object.entries(ids).find(([, known]) => known === id)?.[0] ?? id);
}

/** What a request returns, which must succeed. */
async function read(path: string): Promise<JsonBody> {
  const { status, body } = await acme.get(path);
  expect(status).toBe(200);
  return body;
}

const messagesIn = ({ data }: JsonBody) => (data as JsonBody[]).map(({ message }) => message);

const aWeekAgo = (): string => new Date(Date.now() - 7 * DAY_MS).toISOString();

/** 250 resources, as the lines of a file, by the 200 that a batch takes. */
async function load(): Promise<unknown[]> {
  const operations = Array.from({ length: 250 }, (_, index) => ({
    key: `line-${index}`,
    operation: 'createResource',
    body: resource('other', { name: `vm-${index}`, external_id: `vm-${index}` }),
  }));
  const made: unknown[] = [];
  await bySlowClock(async () => {
    for (let from = 0; from < operations.length; from += 200) {
      const { body } = await acme.post('/batch', { operations: operations.slice(from, from + 200) });
      made.push(body.counts);
    }
  });
  return made;
}

/** A twentieth of the time passes, so that no batch ends before its last operation on a loaded machine. */
async function bySlowClock(work: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const ticking = setInterval(() => vi.setSystemTime(Date.now() + 1), 20);
  try {
    await work();
  } finally {
    clearInterval(ticking);
    vi.useRealTimers();
  }
}

async function giveToTasca(): Promise<unknown[]> {
  const { status } = await acme.post(`/services/${ids.billedBefore}/move`, { client_id: ids.tasca });
  return [status];
}

async function correctMessage(): Promise<unknown> {
  const path = `/tickets/${ids.printing}/messages/${ids.misspelt}`;
  return (await acme.patch(path, { message: 'We are on it.' })).body.message;
}

async function mergePrinters(): Promise<unknown[]> {
  const { body } = await acme.post(`/tickets/${ids.printing}/merge`, { into: ids.printer });
  return [body.status, body.merged_into === ids.printer];
}

/** A runner asks for work, and finds what somebody else has asked for. */
async function nextForRunner(): Promise<unknown> {
  const { body } = await acme.post('/service-actions/claim', { types: ['restart'] });
  return (body.actions as JsonBody[])[0]?.id === ids.restart;
}

async function askForRestart(): Promise<unknown> {
  const action = { service_id: ids.billedSoon, action_type: 'restart', run: true, scheduled_for: aWeekAgo() };
  const { status, body } = await acme.post('/service-actions', action);
  ids.restart = String(body.id);
  return [status, body.status];
}

/** The upload goes to the store of objects. */
async function attachFile(): Promise<unknown> {
  const bytes = 'hello';
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const path = `/tickets/${ids.woken}/attachments`;
  const { id, upload } = await acme.create(path, { name: 'a.txt', media_type: 'text/plain', size: 5, sha256 });
  const { url, headers } = upload as { readonly url: string; readonly headers: Record<string, string> };
  await fetch(url, { method: 'PUT', headers, body: bytes });
  ids.file = id;
  return (await acme.post(`${path}/${id}/complete`, undefined)).status;
}

async function readFile(): Promise<unknown> {
  const { body } = await acme.get(`/tickets/${ids.woken}/attachments/${ids.file}`);
  return (await fetch((body.download as { readonly url: string }).url)).text();
}

async function planMaintenance(): Promise<unknown> {
  const window = { client_id: ids.tasca, from: aWeekAgo(), to: new Date(Date.now() + DAY_MS).toISOString() };
  return (await acme.post('/maintenance-windows', window)).status;
}

async function whoChangedPlan(): Promise<unknown[]> {
  const { body } = await acme.get(`/clients/${ids.other}/changes`);
  const [{ changes = {}, actor_id } = {}] = body.data as { changes?: JsonBody; actor_id?: unknown }[];
  return [changes.plan, actor_id === org.integrationId];
}

async function bringUpToDate(): Promise<unknown[]> {
  const { status, body } = await acme.put('/resources?external_id=i-0001', resource('bistro', { name: 'db-1b' }));
  return [status, body.id === ids.fullOfBistro, body.name];
}

const eachOnce = (data: JsonBody[]): boolean =>
  data
    .map(({ value, count }) => `${value} ${count}`)
    .toSorted()
    .join() ===
  [ids.tasca, ids.other]
    .map((id) => `${id} 1`)
    .toSorted()
    .join();

async function deleteAndRestore(): Promise<readonly number[]> {
  const path = `/tickets/${ids.woken}`;
  return [(await acme.remove(path)).status, (await acme.post(`${path}/restore`, undefined)).status];
}

/** Each with its words on the page, and what must come of it. */
const TASKS: readonly (readonly [task: string, done: () => Promise<unknown>, expected: unknown])[] = [
  ['a client, by a word of its name', () => found('/clients?q=bistro'), ['bistro']],
  ['a user, by mail address', () => found('/users?email=ana.lima@acme.example'), ['ana']],
  ['a ticket, by its code', () => found('/tickets?ticket_code=T-2026-17'), ['printer']],
  ['a ticket, by what its subject says', () => found('/tickets?q=print+silent'), ['printer']],
  [
    'the tickets to work on, whole, by last activity',
    () => found('/tickets?status=open,pending&sort=-last_activity_at&view=full'),
    ['woken', 'printer', 'quiet'],
  ],
  [
    'the tickets that were quiet for a week',
    () => found(`/tickets?status=open,pending&last_activity_before=${aWeekAgo()}&sort=last_activity_at`),
    ['quiet'],
  ],
  [
    'the resources of two clients that are over their threshold',
    () => found(`/resources?client_id=${ids.bistro},${ids.tasca}&over_threshold=true`),
    ['fullOfTasca', 'fullOfBistro'],
  ],
  ['the resources with two tags', () => found('/resources?tag=production&tag=database'), ['fullOfBistro']],
  [
    'the urgent tickets that nobody has, the longest unchanged first',
    () => found('/tickets?priority=high&assigned_to=null&sort=updated_at'),
    ['printer'],
  ],
  ['the tickets that are overdue, the longest first', () => found('/tickets?overdue=true&sort=due_at'), ['printer']],
  [
    'how many overdue tickets each person has',
    () => read('/tickets/summary?overdue=true&group_by=assigned_to'),
    { data: [{ value: null, count: 1 }], total: 1 },
  ],
  ['the clients by name', () => found('/clients?sort=name'), ['other', 'bistro', 'tasca']],
  ['a client, by telephone number', () => found('/clients?phone=%2B351+210+000+000'), ['bistro']],
  ['the users in a role', () => found('/users?role=admin'), ['ana']],
  [
    'who is a member for a client at present',
    () => found(`/memberships?client_id=${ids.tasca}&status=active`),
    ['ruiOfTasca'],
  ],
  [
    'what was reported about something since a time',
    async () => messagesIn(await read(`/logs?from=${aWeekAgo()}&q=disk+full`)),
    ['The disk of db-1 is full'],
  ],
  [
    'the last two messages of a ticket',
    async () => messagesIn(await read(`/tickets/${ids.woken}/messages?sort=-created_at&page_size=2`)),
    ['Solved.', 'Sent a technician.'],
  ],
  [
    'the services that are billed within a week, the next one first',
    () =>
      found(
        `/services?next_billing_date_after=${new Date().toISOString()}&next_billing_date_before=${new Date(Date.now() + 7 * DAY_MS).toISOString()}&sort=next_billing_date`,
      ),
    ['billedSoon'],
  ],
  [
    'how many tickets there are of each status',
    () => read('/tickets/summary'),
    {
      data: [
        { value: 'closed', count: 2 },
        { value: 'open', count: 2 },
        { value: 'pending', count: 1 },
      ],
      total: 5,
    },
  ],
  [
    'how many tickets each person has to work on',
    () => read('/tickets/summary?group_by=assigned_to&status=open,pending'),
    { data: [{ value: null, count: 3 }], total: 3 },
  ],
  [
    'how many services each client has in production',
    () => read('/services/summary?group_by=client_id&environment=production'),
    { data: expect.toSatisfy(eachOnce), total: 2 },
  ],
  [
    'what a client has, and what it costs a month',
    () => read(`/clients/${ids.tasca}/summary`),
    expect.objectContaining({
      services: expect.objectContaining({ total: 2, unhealthy: 0 }),
      resources: expect.objectContaining({ total: 1 }),
      monthly_cost: { total: 12.3, by_billing_cycle: [{ billing_cycle: 'monthly', total: 12.3 }] },
    }),
  ],
  ['a restart of a service, at some time', askForRestart, [201, 'pending']],
  ['the next thing that a runner is to do', nextForRunner, true],
  ['a ticket, restored after its deletion', deleteAndRestore, [204, 200]],
  ['the tickets that were deleted and can be restored', async () => (await read('/trash')).data, []],
  ['a file at a ticket', attachFile, 200],
  ['what a file at a ticket says', readFile, 'hello'],
  ['maintenance of all that a client has', planMaintenance, 201],
  [
    'what is being worked on now',
    () => found('/services?under_maintenance=true&sort=created_at'),
    ['billedSoon', 'billedLater'],
  ],
  ['who changed the plan of a client, and from what', whoChangedPlan, [{ from: null, to: 'premium' }, true]],
  ['250 resources from a file', load, [{ 201: 200 }, { 201: 50 }]],
  ['a resource, created or changed by its id elsewhere', bringUpToDate, [200, true, 'db-1b']],
  ['a service with its resources, to another client', giveToTasca, [200]],
  ['a message with a mistake', correctMessage, 'We are on it.'],
  ['a ticket that says the same as another one', mergePrinters, ['closed', true]],
  [
    'what was said on both, in order',
    async () => messagesIn(await read(`/tickets/${ids.printer}/messages?merged=true`)),
    ['We are on it.'],
  ],
];

describe('a task of a working day', () => {
  it.each(TASKS)('%s', async (task, done, expected) => {
    sent.length = 0;
    expect(await done()).toEqual(expected);
    const row = [task, tallied(sent), String(sent.length)];
    expect(rowsIn(textAt(page, 'tasks')).get(task), 'the row of docs/tasks.md is to be this one').toEqual(row);
  });

  it('is on the page only if it is tried here', () => {
    const [head, ...rows] = rowsIn(textAt(page, 'tasks')).keys();
    expect([head, rows]).toEqual(['task', ['---', ...TASKS.map(([task]) => task)]]);
  });
});
