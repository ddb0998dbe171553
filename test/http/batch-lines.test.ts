import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { configureTable } from '#table';
import { suspendOrganization } from '../../operator/suspending.ts';
import type { JsonBody, OrgAccess } from '../support/api.ts';
import type { BatchResult } from '../support/batch-result.ts';
import { bodyOf, FaultyHandler } from '../support/faults.ts';
import { type Key, keyMadeBy } from '../support/keys.ts';
import { written } from '../support/lines.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** Each line of a batch has the checks of its route: permission, budget, suspension, tenant, time; and leaves what its route leaves. */

const PATH = '/api/v1/batch';
const api = useApi({ authorizerTtlSeconds: 3_600 });
const faulty = new FaultyHandler();
let org: OrgAccess;
let owner: Calls;

beforeEach(async () => {
  faulty.follow(() => undefined);
  configureTable({ ...localConnection(), requestHandler: faulty });
  org = await api.orgToken();
  owner = callsOf(api, org.token);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  configureTable({});
});

async function run(operations: readonly unknown[], { token = org.token, query = '', headers = {} } = {}) {
  const response = await api.request<{ results: BatchResult[]; counts: JsonBody }>('POST', `${PATH}${query}`, {
    token,
    body: { operations },
    headers,
  });
  return { ...response, results: response.body.results };
}

const create = (key: string, body: JsonBody = {}) => ({ key, operation: 'createClient', body: { name: key, ...body } });
const createRole = (key: string) => ({ key, operation: 'createRole', body: { code: `role-${key}`, label: key } });
const endsOf = (results: readonly BatchResult[]) =>
  results.map(({ status, problem }) => [status, problem?.type.replace('urn:problem-type:custodia:', '')]);

/** Stops the clock of the service, which then only moves by `seconds` with each transaction. */
function advanceWithTransactions(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  faulty.follow(({ operation }) => {
    if (operation === 'TransactWriteItems') vi.setSystemTime(Date.now() + seconds * 1_000);
    return undefined;
  });
}

describe('a line', () => {
  it('needs the permission of its operation; a refused privileged one leaves an audit event', async () => {
    const key: Key = await keyMadeBy(api, owner, { permissions: ['clients:write'] });
    const token = await api.login(key.appCode, key.secret);
    const { status, results } = await run([create('a'), createRole('b'), create('c')], { token });
    expect([status, endsOf(results)]).toEqual([
      207,
      [
        [201, undefined],
        [403, 'forbidden'],
        [201, undefined],
      ],
    ]);
    expect(results[1]?.problem?.detail).toBe('This needs the permission roles:write.');
    const { data } = await owner.read('/api/v1/audit-events?page_size=50');
    expect(data).toContainEqual(
      expect.objectContaining({ operation: 'escalation_refused', attempted_operation: 'createRole', actor_id: key.id }),
    );
  });

  it('leaves the audit event of its operation, with the id of the batch', async () => {
    const { headers } = await run([createRole('a')]);
    const { data } = await owner.read('/api/v1/audit-events');
    expect(data[0]).toMatchObject({ operation: 'createRole', request_id: headers.get('x-request-id') });
  });

  it('has an access line of its own, with the operation and the number of the line', async () => {
    const { lines } = await written(() => run([create('a'), createRole('b'), { ...create('c'), body: {} }]));
    const ends = lines
      .filter(({ message, domain }) => message === 'request' && domain !== 'authorizer')
      .map(({ domain, operation, line, status, problem }) => [domain, operation, line, status, problem]);
    expect(ends.toSorted()).toEqual(
      [
        ['batch', 'runBatch', undefined, 207, undefined],
        ['clients', 'createClient', 1, 201, undefined],
        ['access', 'createRole', 2, 201, undefined],
        ['clients', 'createClient', 3, 422, 'invalid-body'],
      ].toSorted(),
    );
    expect(lines.filter((line) => 'RequestsFailed' in line)).toEqual([]);
    expect(
      new Set(lines.filter(({ domain }) => domain !== 'authorizer').map(({ request_id }) => request_id)).size,
    ).toBe(1);
  });

  it('shows credentials to those only who may see them', async () => {
    const { id: client_id } = await owner.create('/api/v1/clients', { name: 'Acme' });
    const credentials = { user: 'root' };
    const body = { client_id, name: 'Shop', type: 'web', credentials };
    const headers = { prefer: 'return=representation' };
    const key = randomUUID();
    const { results } = await run([{ key, operation: 'createService', body }], { headers });
    expect(results[0]?.body?.credentials).toEqual(credentials);
    const other = await keyMadeBy(api, owner, { permissions: ['services:write'] });
    const token = await api.login(other.appCode, other.secret);
    const change = { key, operation: 'updateService', params: { id: results[0]?.body?.id }, body: { name: 'Shop 2' } };
    const changed = await run([change], { token, headers });
    expect(changed.results[0]?.body).toMatchObject({ name: 'Shop 2', credentials: null });
  });

  it('is charged to the budget; once that is spent, what has not begun is not attempted, which is no failure', async () => {
    // The functions' clock stands still.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    vi.stubEnv('RATE_LIMIT', '5');
    const keys = Array.from({ length: 20 }, (_, index) => `${index}`);
    const { result, lines } = await written(() => run(keys.map((key) => create(key))));
    const { status, headers, results } = result;
    expect(status).toBe(207);
    // One of the five is the batch's own, and eight begin together.
    expect(endsOf(results).filter(([each]) => each === 201)).toHaveLength(4);
    expect(endsOf(results).slice(8)).toEqual(Array(12).fill([503, 'not-attempted']));
    const refused = results.filter(({ status }) => status !== 201);
    expect(refused.map(({ retry_after }) => retry_after)).toEqual(Array(16).fill(12));
    expect(lines.filter((line) => 'RequestsFailed' in line)).toEqual([]);
    expect(headers.get('ratelimit')).toMatch(/^"default";r=0;/);
    const again = await run([create('g')]);
    expect([again.status, again.headers.get('retry-after')]).toEqual([429, '12']);
  });

  it('is refused once the token of the batch has expired', async () => {
    const { id } = await owner.create('/api/v1/clients', { name: 'Acme' });
    const token = await api.login(org.appCode, org.secret);
    const now = Date.now();
    advanceWithTransactions(10);
    vi.setSystemTime(now + 3_595_000);
    const change = (key: string) => ({ key, operation: 'updateClient', params: { id }, body: { name: key } });
    const { results } = await run([change('a'), change('b')], { token });
    expect(endsOf(results)).toEqual([
      [200, undefined],
      [401, 'unauthorized'],
    ]);
  });

  it('acts in the organization that the batch names, or the operation itself, for the platform', async () => {
    const token = await api.platformToken();
    const other = await api.orgToken();
    const named = { ...create('b'), params: { org_id: other.orgId } };
    const { results } = await run([create('a'), named, { ...create('c'), params: { org_id: randomUUID() } }], {
      token,
      query: `?org_id=${org.orgId}`,
      headers: { prefer: 'return=representation' },
    });
    expect(results.map(({ status, body }) => [status, body?.org_id])).toEqual([
      [201, org.orgId],
      [201, other.orgId],
      [404, undefined],
    ]);
    const foreign = await run([{ ...create('d'), params: { org_id: other.orgId } }]);
    expect(endsOf(foreign.results)).toEqual([[403, 'forbidden']]);
  });
});

it('a batch of a suspended organization changes nothing', async () => {
  const calls = faulty.calls;
  await suspendOrganization(org.orgId);
  faulty.follow(() => undefined);
  const { status } = await run([create('a'), create('b')]);
  expect(status).toBe(403);
  expect(calls.filter((call) => call === 'TransactWriteItems')).toEqual([]);
});

describe('what happens in the middle of a batch holds for the lines after it', () => {
  /** Lets something happen once, when the first transaction is committed. */
  function afterFirstCommit(happen: () => Promise<unknown>): void {
    const handle = faulty.handle.bind(faulty);
    let hasHappened = false;
    vi.spyOn(faulty, 'handle').mockImplementation(async (request, options) => {
      const reply = await handle(request, options);
      if (!hasHappened && request.headers['x-amz-target']?.endsWith('.TransactWriteItems')) {
        hasHappened = true;
        await happen();
      }
      return reply;
    });
  }

  it('a suspension of the organization, a second later', async () => {
    const { id } = await owner.create('/api/v1/clients', { name: 'Acme' });
    const change = (key: string) => ({ key, operation: 'updateClient', params: { id }, body: { name: key } });
    advanceWithTransactions(0.4);
    afterFirstCommit(() => suspendOrganization(org.orgId));
    const { status, results } = await run(['a', 'b', 'c', 'd', 'e'].map(change));
    const [done, refused] = [
      [200, undefined],
      [403, 'organization-suspended'],
    ];
    // The suspension is a transaction as well.
    expect([status, endsOf(results)]).toEqual([207, [done, done, refused, refused, refused]]);
    const platform = callsOf(api, await api.platformToken());
    expect((await platform.read(`/api/v1/clients/${id}?org_id=${org.orgId}`)).name).toBe('b');
  });

  it.each([
    ['its tokens are revoked', (key: Key) => owner.ask('POST', `${key.path}/revoke-tokens`)],
    ['its secret is rotated', (key: Key) => owner.ask('POST', `${key.path}/rotate-secret`, { previous_valid_for: 0 })],
    ['it is inactive', (key: Key) => owner.ask('PATCH', key.path, { status: 'inactive' })],
  ])('the end of the key, for all operations of the next wave: %s', async (_, end) => {
    // One wave is forty operations within a second.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const key = await keyMadeBy(api, owner);
    const { id } = await owner.create('/api/v1/clients', { name: 'Acme' });
    const change = (name: string) => ({ key: name, operation: 'updateClient', params: { id }, body: { name } });
    afterFirstCommit(() => end(key));
    const names = Array.from({ length: 48 }, (_, index) => `${index}`);
    const { results } = await run(names.map(change), { token: key.token });
    const done = Array(40).fill([200, undefined]);
    expect(endsOf(results)).toEqual([...done, ...Array(8).fill([401, 'unauthorized'])]);
    expect((await owner.read(`/api/v1/clients/${id}`)).name).toBe('39');
  });

  it('and the caller is read once for each wave', async () => {
    // The authorizer keeps what it has read.
    await owner.read('/api/v1/clients');
    let reads = 0;
    const handle = faulty.handle.bind(faulty);
    vi.spyOn(faulty, 'handle').mockImplementation((request, options) => {
      const isRead = request.headers['x-amz-target']?.endsWith('.GetItem');
      if (isRead && bodyOf(request).includes('#CREDENTIALS')) reads += 1;
      return handle(request, options);
    });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const { results } = await run(Array.from({ length: 81 }, (_, index) => create(`${index}`)));
    expect([new Set(results.map(({ status }) => status)), reads]).toEqual([new Set([201]), 3]);
    // A second is a wave at least.
    advanceWithTransactions(1);
    const { id } = await owner.create('/api/v1/clients', { name: 'Acme' });
    reads = 0;
    const change = (name: string) => ({ key: name, operation: 'updateClient', params: { id }, body: { name } });
    await run(['a', 'b', 'c'].map(change));
    expect(reads).toBe(3);
  });

  it('but a table that cannot be read then makes its operations a 503 after the usual attempts, as it makes others', async () => {
    await owner.read('/api/v1/clients');
    let reads = 0;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const handle = faulty.handle.bind(faulty);
    vi.spyOn(faulty, 'handle').mockImplementation((request, options) => {
      const isCheck = request.headers['x-amz-target']?.endsWith('.GetItem') && bodyOf(request).includes('#CREDENTIALS');
      if (isCheck) vi.setSystemTime(Date.now() + 1_000);
      if (isCheck) reads += 1;
      faulty.plan = () => (isCheck ? 'server-error' : undefined);
      return handle(request, options);
    });
    const { result, lines } = await written(() => run([create('a'), create('b')]));
    expect(reads).toBeLessThanOrEqual(2 * 3);
    expect(endsOf(result.results)).toEqual(Array(2).fill([503, 'unavailable']));
    expect(result.results.map(({ retry_after }) => retry_after)).toEqual([2, 2]);
    expect(lines).toContainEqual(expect.objectContaining({ operation: 'runBatch', RequestsFailed: 1 }));
  });

  it('the end of the key, for privileged operations', async () => {
    const key = await keyMadeBy(api, owner);
    const give = (code: string) => ({
      ...createRole(code),
      body: { code, label: code, permissions: ['clients:read'] },
    });
    afterFirstCommit(() => owner.ask('PATCH', key.path, { status: 'inactive' }));
    const { results } = await run([give('a'), give('b'), give('c')], { token: key.token });
    const refused = [401, 'unauthorized'];
    expect(endsOf(results)).toEqual([[201, undefined], refused, refused]);
  });
});

describe('the time of a batch', () => {
  it('is over for lines that have not begun after 12 s', async () => {
    const { id } = await owner.create('/api/v1/clients', { name: 'Acme' });
    advanceWithTransactions(5);
    const operations = ['1', '2', '3', '4', '5'].map((key) => ({
      key,
      operation: 'updateClient',
      params: { id },
      body: { name: `At ${key}` },
    }));
    const { status, results } = await run(operations);
    const done = [200, undefined];
    const left = [503, 'not-attempted'];
    expect([status, endsOf(results)]).toEqual([207, [done, done, done, left, left]]);
    expect(results[3]?.retry_after).toBe(0);
    faulty.follow(() => undefined);
    expect((await owner.ask('GET', `/api/v1/clients/${id}`)).body.name).toBe('At 3');
    // What is left is sent again.
    expect((await run(operations.slice(3))).status).toBe(200);
  });

  it('leaves each line some: a table that does not respond makes it a 503, and what follows it is not begun', async () => {
    const { id } = await owner.create('/api/v1/clients', { name: 'Acme' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const began = Date.now();
    faulty.follow(({ operation }) => {
      if (operation !== 'TransactWriteItems') return undefined;
      vi.setSystemTime(Date.now() + 3_000);
      return 'server-error';
    });
    const change = (key: string) => ({ key, operation: 'updateClient', params: { id }, body: { name: key } });
    const { result, lines } = await written(() => run([change('a'), change('b')]));
    const { results } = result;
    expect(endsOf(results)).toEqual([
      [503, 'unavailable'],
      [503, 'not-attempted'],
    ]);
    expect(results[0]?.retry_after).toBeGreaterThan(0);
    expect(Date.now() - began).toBeLessThanOrEqual(27_000);
    // Alarms look at it.
    expect(lines).toContainEqual(expect.objectContaining({ operation: 'runBatch', status: 207, RequestsFailed: 1 }));
  });
});

it('bodies beyond 4 MB are left out, and what they are of is done', async () => {
  const { id: client_id } = await owner.create('/api/v1/clients', { name: 'Acme' });
  const metadata = { text: '"'.repeat(30_000) };
  const { id } = await owner.create('/api/v1/services', { client_id, name: 'Shop', type: 'web', metadata });
  // However long it takes.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const operations = Array.from({ length: 40 }, (_, index) => ({
    key: `${index}`,
    operation: 'updateService',
    params: { id },
    body: { name: `Name ${index}` },
  }));
  const { status, results } = await run(operations, { headers: { prefer: 'return=representation' } });
  expect(status).toBe(200);
  const omitted = results.filter((each) => each.omitted);
  // Each body has 30,000 quotation marks, of four bytes each in Lambda's result.
  expect([omitted.length, omitted.every(({ body }) => body === undefined)]).toEqual([40 - 33, true]);
  expect((await owner.ask('GET', `/api/v1/services/${id}`)).body.name).toBe('Name 39');
});
