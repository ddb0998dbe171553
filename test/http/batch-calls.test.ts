import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { configureTable, environmentTable, RequestSession, Tenant } from '#table';
import { kinds } from '../../operator/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import type { JsonBody, OrgAccess } from '../support/api.ts';
import { auditOf, recordsIn } from '../support/audit.ts';
import type { BatchResult } from '../support/batch-result.ts';
import { bodyOf, FaultyHandler } from '../support/faults.ts';
import { keyMadeBy } from '../support/keys.ts';
import { written } from '../support/lines.ts';
import { forgetIds } from '../support/other-container.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** What the operations of a batch share, so that it makes few calls, and that each is decided alone all the same. */

/** Besides those that write entries of words in advance, several operations' at once. */
const MOST_CALLS = 125;
const api = useApi({ authorizerTtlSeconds: 3_600 });
const faulty = new FaultyHandler();
let org: OrgAccess;
let owner: Calls;

/** Calls of the table by operation and partition, without ids. */
const counted = new Map<string, number>();
/** Is called after the call with this name, which was the so many-th. */
let afterCall: (name: string, count: number) => Promise<unknown> | undefined = () => undefined;

beforeEach(async () => {
  faulty.follow(() => undefined);
  const handle = faulty.handle.bind(faulty);
  vi.spyOn(faulty, 'handle').mockImplementation(async (request, options) => {
    const operation = request.headers['x-amz-target']?.split('.').at(-1) ?? '';
    const [, partition = ''] = /"PK":\{"S":"([^"]*)"/.exec(bodyOf(request)) ?? [];
    const kind = partition.replace(/[\da-f]{8}-[-\da-f]{27}/g, '…').replace('ORG#…#', '');
    const name = operation === 'TransactWriteItems' ? operation : `${operation} ${kind}`;
    const count = (counted.get(name) ?? 0) + 1;
    counted.set(name, count);
    const reply = await handle(request, options);
    await afterCall(name, count);
    return reply;
  });
  configureTable({ ...localConnection(), requestHandler: faulty });
  org = await api.orgToken();
  owner = callsOf(api, org.token);
  // The authorizer keeps what it has read.
  await owner.read('/api/v1/permissions');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  counted.clear();
});
afterEach(() => {
  afterCall = () => undefined;
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  configureTable({});
});

async function run(operations: readonly unknown[], token = org.token): Promise<readonly BatchResult[]> {
  const response = await api.request<{ results: BatchResult[] }>('POST', '/api/v1/batch', {
    token,
    body: { operations },
  });
  return response.body.results;
}

const creations = (count: number, operation = 'createClient', body: JsonBody = { name: 'Acme' }) =>
  Array.from({ length: count }, (_, index) => ({ key: `${index}`, operation, body }));

const statusesOf = (results: readonly BatchResult[]) =>
  Object.fromEntries(
    Array.from(
      Map.groupBy(results, ({ status }) => status),
      ([status, of]) => [status, of.length],
    ),
  );
const callsMade = () => [...counted.values()].reduce((sum, count) => sum + count, 0);
const listOf = (kind: string) => `ORG#${org.orgId}#${kind}`;
const lost = async (kind: string) => (await auditOf(environmentTable(), listOf(kind), {})).lost;
const differences = async () => {
  const tenant = Tenant.ofOperator(org.orgId, RequestSession.ofEnvironment(10_000));
  return (await verify(tenant, kinds, { repair: false })).differences;
};

describe('a batch of creations', () => {
  it('looks keys up together, and allocates numbers and checks the suspension for many', async () => {
    const results = await run(creations(100));
    expect(statusesOf(results)).toEqual({ 201: 100 });
    const ofEntries = counted.get('BatchWriteItem CLIENT#WORDS#1') ?? 0;
    expect(callsMade() - ofEntries).toBeLessThanOrEqual(MOST_CALLS);
    expect(ofEntries).toBeLessThan(100);
    expect(Object.fromEntries(counted)).toMatchObject({
      'GetItem SUSPENDED#…': 1,
      'BatchGetItem ONCE#REQUEST#…': 3,
      'UpdateItem CLIENT#SET': 3,
      'UpdateItem EVENT#SET': 3,
      'GetItem CREDENTIALS': 3,
      TransactWriteItems: 100,
    });
    expect([await lost('CLIENT'), await lost('EVENT'), await differences()]).toEqual([[], [], []]);
  });

  it('reads once what they refer to, and moves its time once in the end', async () => {
    const { id } = await owner.create('/api/v1/clients', { name: 'Acme' });
    const ticket = { client_id: id, subject: 'Printer', description: 'x', source: 'web', contact_id: id };
    afterCall = async (name) => {
      if (name === 'TransactWriteItems') vi.setSystemTime(Date.now() + 1);
    };
    counted.clear();
    expect(statusesOf(await run(creations(40, 'createTicket', ticket)))).toEqual({ 201: 40 });
    expect(Object.fromEntries(counted)).toMatchObject({ 'GetItem CLIENT': 1, 'UpdateItem CLIENT': 2 });
    const { data } = await owner.read('/api/v1/tickets?page_size=1');
    expect((await owner.read(`/api/v1/clients/${id}`)).last_contact).toBe(data[0]?.created_at);
  });

  it('is charged as many requests as they are, and its own', async () => {
    vi.stubEnv('RATE_LIMIT', '61');
    const { token } = await api.orgToken();
    expect(statusesOf(await run(creations(60), token))).toEqual({ 201: 60 });
    expect((await callsOf(api, token).ask('GET', '/api/v1/permissions')).status).toBe(429);
  });
});

describe('a batch whose response was lost', () => {
  it('takes no number when it is sent again to another container', async () => {
    const first = await run(creations(50));
    forgetIds();
    counted.clear();
    const again = await run(creations(50));
    expect(again.map(({ key, status, body }) => [key, status, body])).toEqual(
      first.map(({ key, status, body }) => [key, status, body]),
    );
    expect(again.every(({ replayed }) => replayed)).toBe(true);
    expect([...counted.keys()].toSorted()).toEqual([
      'BatchGetItem ONCE#REQUEST#…',
      'GetItem CREDENTIALS',
      'GetItem SUSPENDED#…',
      ...(counted.has('UpdateItem BUDGET') ? ['UpdateItem BUDGET'] : []),
    ]);
  });

  it('creates nothing twice where it is still under way', async () => {
    const both = await Promise.all([run(creations(20)), run(creations(20))]);
    expect(both.map(statusesOf)).toEqual([{ 201: 20 }, { 201: 20 }]);
    const ids = both.map((results) => results.map(({ body }) => body?.id));
    expect(ids[0]).toEqual(ids[1]);
    expect((await owner.read('/api/v1/clients')).total).toBe(20);
    expect([await lost('CLIENT'), await lost('EVENT'), await differences()]).toEqual([[], [], []]);
  });
});

describe('what happens in the middle of a batch leaves no number open', () => {
  it('the end of the key', async () => {
    const key = await keyMadeBy(api, owner);
    afterCall = async (name, count) => {
      if (name === 'TransactWriteItems' && count === 20) await owner.ask('POST', `${key.path}/revoke-tokens`);
    };
    counted.clear();
    const statuses = statusesOf(await run(creations(100), key.token));
    expect(statuses[401]).toBeGreaterThan(0);
    expect((statuses[201] ?? 0) + (statuses[401] ?? 0)).toBe(100);
    expect((await recordsIn(environmentTable(), listOf('CLIENT'))).length).toBe(statuses[201]);
    expect([await lost('CLIENT'), await lost('EVENT')]).toEqual([[], []]);
  });

  it('operations that are refused, which stop no other', async () => {
    await owner.create('/api/v1/clients', { name: 'Acme', slug: 'taken' });
    const all = creations(60).map((one, index) =>
      index % 3 === 0 ? { ...one, body: { name: 'A', slug: 'taken' } } : one,
    );
    expect(statusesOf(await run(all))).toEqual({ 201: 40, 409: 20 });
    expect([await lost('CLIENT'), await lost('EVENT'), await differences()]).toEqual([[], [], []]);
  });

  it('a counter that does not respond, which stops those that wait for their numbers', async () => {
    faulty.plan = ({ operation }) => {
      const ofNumbers = (counted.get('UpdateItem CLIENT#SET') ?? 0) + (counted.get('UpdateItem EVENT#SET') ?? 0);
      if (operation !== 'UpdateItem' || ofNumbers < 4 || ofNumbers > 24) return undefined;
      vi.setSystemTime(Date.now() + 1_000);
      return 'server-error';
    };
    const { result } = await written(() => run(creations(40)));
    expect(statusesOf(result)[201]).toBeGreaterThanOrEqual(8);
    faulty.follow(() => undefined);
    expect(statusesOf(await run(creations(40)))).toEqual({ 201: 40 });
    // Numbers whose record might have come yet are closed.
    vi.setSystemTime(Date.now() + 60_000);
    expect((await owner.read('/api/v1/clients?page_size=200')).total).toBe(40);
    expect(await differences()).toEqual([]);
  });
});

describe('the journal', () => {
  it('has the events of a record in the order of its versions, whoever changes it beside a batch', async () => {
    const { id } = await owner.create('/api/v1/clients', { name: 'Acme' });
    const rename = (name: string) => owner.ask('PATCH', `/api/v1/clients/${id}`, { name });
    // After the last range of numbers is allocated, and long before the batch changes the client.
    afterCall = async (name, count) => {
      if (name === 'TransactWriteItems' && count === 55) await rename('Beside');
    };
    const change = { key: 'change', operation: 'updateClient', params: { id }, body: { name: 'In the batch' } };
    counted.clear();
    const results = await run([...creations(120).slice(0, 90), change, ...creations(120).slice(90)]);
    expect(results[90]?.status).toBe(200);
    expect(await differences()).toEqual([]);
    const events = (await recordsIn(environmentTable(), listOf('EVENT'))).filter((event) => event.record_id === id);
    expect(events.map(({ version }) => version)).toEqual([1, 2, 3]);
  });
});
