import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { issueToken } from '#auth';
import { configureTable } from '#table';
import { altered } from '../support/altered.ts';
import type { Api, ApiResponse, OrgAccess } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { FaultyHandler } from '../support/faults.ts';
import { type Line, NAMESPACE, written } from '../support/lines.ts';
import { useApi } from '../support/use-api.ts';

/** The line that functions write for each request, and the content of their other lines. */

const faulty = new FaultyHandler();
// Without the gateway's cache every request with a token has a line of the authorizer, too.
const api = useApi({ authorizerTtlSeconds: 0, report: () => undefined });
let org: OrgAccess;
let clientId: string;
beforeAll(async () => {
  configureTable({ requestHandler: faulty });
  org = await api.orgToken();
  await api.platformToken();
  clientId = String((await send('POST', '/clients', { body: { name: 'Bistro' } })).body.id);
});
beforeEach(() => faulty.follow(() => undefined));
afterEach(() => vi.useRealTimers());

const send = (method: string, path: string, options: Parameters<Api['request']>[2] = {}): Promise<ApiResponse> =>
  api.request(method, `/api/v1${path}`, { token: org.token, ...options });

interface Logged {
  readonly response: ApiResponse;
  /** The line of the domain's function. */
  readonly line: Line;
  /** The authorizer's line; undefined where it was not called. */
  readonly authorizer: Line | undefined;
  readonly others: readonly Line[];
  readonly text: string;
}

/** The log of a request that reaches its function. */
async function logged(request: () => Promise<ApiResponse>): Promise<Logged> {
  const { result: response, lines, text } = await written(request);
  const own = lines.filter(({ message }) => message === 'request');
  const [line, ...more] = own.filter(({ domain }) => domain !== 'authorizer');
  expect([line, more]).toEqual([expect.anything(), []]);
  const authorizer = own.find(({ domain }) => domain === 'authorizer');
  return { response, line: line ?? {}, authorizer, others: lines.filter((each) => !own.includes(each)), text };
}

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('the line of a request', () => {
  it('says what was asked, in which tenant, by whom, how it ended and what it took', async () => {
    const { response, line } = await logged(() =>
      send('GET', `/clients/${clientId}`, { headers: { traceparent: TRACEPARENT } }),
    );
    expect(line).toEqual({
      level: 'INFO',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      message: 'request',
      request_id: response.headers.get('x-request-id'),
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      method: 'GET',
      route: '/api/v1/clients/{id}',
      operation: 'getClient',
      tenant: org.orgId,
      integration_id: org.integrationId,
      domain: 'clients',
      status: 200,
      outcome: '2xx',
      Duration: expect.any(Number),
      TableCalls: faulty.calls.length - 1,
      units: 1.5,
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          {
            Namespace: NAMESPACE,
            Dimensions: [['domain', 'outcome']],
            Metrics: [{ Name: 'Duration', Unit: 'Milliseconds' }],
          },
          { Namespace: NAMESPACE, Dimensions: [[]], Metrics: [{ Name: 'TableCalls', Unit: 'Count' }] },
        ],
      },
    });
  });

  it('has the trace of the gateway where the caller sent none, or nonsense', async () => {
    for (const headers of [{}, { traceparent: 'nonsense' }]) {
      const { line } = await logged(() => send('GET', '/clients', { headers }));
      expect(line.trace_id).toMatch(/^[\da-f]{32}$/);
    }
  });

  it('names the problem that was returned', async () => {
    const unknown = await logged(() => send('GET', `/clients/${randomUUID()}`));
    expect(unknown.line).toMatchObject({ status: 404, outcome: '4xx', problem: 'not-found', operation: 'getClient' });
    const invalid = await logged(() => send('POST', '/clients', { body: { nome: 'Bistro' } }));
    expect(invalid.line).toMatchObject({ status: 422, problem: 'invalid-body', tenant: org.orgId });
    const fresh = await logged(() => send('GET', '/openapi', { headers: { 'if-none-match': '*' } }));
    expect(fresh.line).toMatchObject({ status: 304, outcome: '3xx', domain: 'openapi' });
    expect(fresh.line).not.toHaveProperty('problem');
  });

  it('is about the tenant that a platform caller acts in', async () => {
    const token = await api.platformToken();
    const named = await logged(() => send('GET', `/clients?org_id=${org.orgId}`, { token }));
    expect(named.line.tenant).toBe(org.orgId);
    expect(named.line.integration_id).not.toBe(org.integrationId);
    expect((await logged(() => send('GET', '/clients', { token }))).line.tenant).toBe('PLATFORM');
  });

  it('of a login knows who logged in, but not who only says so', async () => {
    const login = (secret: string) => () =>
      api.request('POST', '/api/v1/auth/login', { body: { app_code: org.appCode, secret } });
    const right = await logged(login(org.secret));
    expect(right.line).toMatchObject({ operation: 'login', tenant: org.orgId, integration_id: org.integrationId });
    const { line } = await logged(login(randomUUID()));
    expect(line).toMatchObject({ status: 401, problem: 'invalid-credentials' });
    expect([line.tenant, line.integration_id]).toEqual([undefined, undefined]);
  });

  it('of a delivery knows its sender, but not who only says so', async () => {
    const event = { event_type: 'something.happened', data: {} };
    const right = await logged(() => deliver(api, org, event));
    expect(right.line).toMatchObject({ status: 200, tenant: org.orgId, integration_id: org.integrationId });
    const { line } = await logged(() => deliver(api, { ...org, secret: 'another' }, event));
    expect(line).toMatchObject({ status: 401, problem: 'invalid-signature' });
    expect([line.tenant, line.integration_id]).toEqual([undefined, undefined]);
  });

  it('does not mix with those of other requests that are served at the same time', async () => {
    const { line: alone } = await logged(() => send('GET', `/clients/${clientId}`));
    const { line: list } = await logged(() => send('GET', '/clients?status=active'));
    expect(list.TableCalls).not.toBe(alone.TableCalls);
    const other = await api.orgToken();
    const { lines } = await written(() =>
      Promise.all(
        Array.from({ length: 12 }, (_, index) => [
          send('GET', index % 2 === 0 ? `/clients/${clientId}` : '/clients?status=active'),
          send('GET', `/clients/${clientId}`, { token: other.token }),
        ]).flat(),
      ),
    );
    const told = (of: object) =>
      lines.filter((line) => Object.entries(of).every(([name, value]) => line[name] === value));
    expect(told({ domain: 'clients' })).toHaveLength(24);
    expect(told({ operation: 'getClient', tenant: org.orgId, TableCalls: alone.TableCalls, status: 200 })).toHaveLength(
      6,
    );
    expect(told({ operation: 'listClients', tenant: org.orgId, TableCalls: list.TableCalls })).toHaveLength(6);
    expect(told({ operation: 'getClient', tenant: other.orgId, status: 404 })).toHaveLength(12);
    expect(new Set(told({ domain: 'clients' }).map(({ request_id }) => request_id)).size).toBe(24);
  });
});

describe('the line of the authorizer', () => {
  it('is found by the same request, and says who was let through', async () => {
    const { line, authorizer } = await logged(() => send('GET', '/clients'));
    expect(authorizer).toMatchObject({
      level: 'INFO',
      request_id: line.request_id,
      trace_id: line.trace_id,
      method: 'GET',
      route: '/api/v1/clients',
      tenant: org.orgId,
      integration_id: org.integrationId,
      outcome: 'allowed',
      Duration: expect.any(Number),
      TableCalls: 1,
    });
    expect(authorizer).not.toHaveProperty('status');
    expect(authorizer).not.toHaveProperty('reason');
  });

  const decided = async (token: string): Promise<{ readonly line: Line | undefined; readonly others: Line[] }> => {
    const { result, lines } = await written(() => send('GET', '/clients', { token }));
    expect(result.status).toBeGreaterThan(400);
    return {
      line: lines.find(({ message }) => message === 'request'),
      others: lines.filter(({ message }) => message !== 'request'),
    };
  };
  const issued = async (now = Date.now(), integrationId = org.integrationId) =>
    issueToken({ integrationId, appCode: org.appCode, orgId: org.orgId, tokenEpoch: 0, secretId: null }, now);

  const signedByAnother = (): Promise<string> => {
    const { integrationId, appCode, orgId } = org;
    const other = { kid: 'theirs', algorithm: 'EdDSA', sign: async () => Buffer.alloc(64) } as const;
    return issueToken({ integrationId, appCode, orgId, tokenEpoch: 0, secretId: null }, Date.now(), other);
  };

  it.each([
    ['malformed', async () => 'two words', undefined],
    ['secret', async () => org.secret, undefined],
    ['invalid', async () => 'nonsense', undefined],
    ['invalid', async () => altered(org.token), undefined],
    ['expired', () => issued(Date.now() - 3_700_000), undefined],
    ['unknown-key', () => signedByAnother(), undefined],
    ['early', () => issued(Date.now() + 3_700_000), undefined],
    ['ended', () => issued(), () => org.integrationId],
  ])('says why it refused: %s', async (reason, token, integrationId) => {
    const { line, others } = await decided(await token());
    expect(line).toMatchObject({ domain: 'authorizer', outcome: 'refused', reason });
    expect(line?.integration_id).toBe(integrationId?.());
    // A wrong token causes no error.
    expect(others).toEqual([]);
    expect(JSON.stringify(line)).not.toContain(org.secret);
  });

  it('is a failure where the caller could not be checked, and the error names the request', async () => {
    faulty.follow(() => 'dropped');
    const { line, others } = await decided(org.token);
    expect(line).toMatchObject({ outcome: 'failed', TableCalls: 1, TableRetries: 2 });
    expect(line).not.toHaveProperty('reason');
    expect(others).toEqual([
      expect.objectContaining({ level: 'ERROR', request_id: line?.request_id, route: '/api/v1/clients' }),
    ]);
  });
});

describe('every line of a request', () => {
  it('has its annotations: an error', async () => {
    faulty.follow(({ operation }) => (operation === 'TransactWriteItems' ? 'crash' : undefined));
    const { line, others } = await logged(() =>
      send('POST', '/clients', { body: { name: 'Bar' }, headers: { traceparent: TRACEPARENT } }),
    );
    expect(line).toMatchObject({ status: 503, outcome: '5xx', problem: 'unavailable' });
    const { request_id, trace_id, method, route, operation, tenant, integration_id, problem } = line;
    const annotations = { request_id, trace_id, method, route, operation, tenant, integration_id, problem };
    expect(annotations).toMatchObject({
      operation: 'createClient',
      trace_id: TRACEPARENT.slice(3, 35),
      tenant: org.orgId,
    });
    expect(others).toEqual([expect.objectContaining({ level: 'ERROR', service: 'custodia', ...annotations })]);
  });
});

describe('what a request asks of AWS', () => {
  it('are calls, and what the SDK repeats of them', async () => {
    faulty.follow(({ index }) => (index === 1 ? 'throttled' : undefined));
    const { line } = await logged(() => send('GET', `/clients/${clientId}`));
    expect(line).toMatchObject({ status: 200, TableRetries: 1 });
    expect(Number(line.TableCalls) + Number(line.TableRetries)).toBe(faulty.calls.length - 1);
  });

  it('are conflicts with other transactions, which the service repeats', async () => {
    let left = 2;
    faulty.follow(({ operation }) => (operation === 'TransactWriteItems' && left-- > 0 ? 'conflict' : undefined));
    const { line } = await logged(() => send('POST', '/clients', { body: { name: 'Café' } }));
    expect(line).toMatchObject({ status: 201, TransactionConflicts: 2, TableRetries: 2 });
    expect(line.TableCalls).toBe(faulty.calls.length - 1);
  });

  it('are refusals by its budget', async () => {
    const other = await api.orgToken();
    vi.stubEnv('RATE_LIMIT', '1');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const ask = () => logged(() => send('GET', '/clients', { token: other.token }));
    expect((await ask()).line).not.toHaveProperty('BudgetRefusals');
    expect((await ask()).line).toMatchObject({ status: 429, problem: 'too-many-requests', BudgetRefusals: 1 });
  });

  it('are sequence numbers of a list that were released, or that it closed because nobody did', async () => {
    const other = await api.orgToken();
    const create = () => send('POST', '/clients', { token: other.token, body: { name: 'Bar', slug: 'bar' } });
    await create();
    // One of the client, and one of its event for each of two runs.
    expect((await logged(create)).line).toMatchObject({ status: 409, ListReturns: 3 });
    // The process ends with an allocated number.
    let numbers = 0;
    faulty.follow(({ operation }) =>
      operation === 'UpdateItem' && numbers++ > 1 ? 'crash' : operation === 'TransactWriteItems' ? 'crash' : undefined,
    );
    await send('POST', '/clients', { token: other.token, body: { name: 'Pub' } });
    faulty.follow(() => undefined);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    const { line } = await logged(() => send('GET', '/clients', { token: other.token }));
    expect(line).toMatchObject({ status: 200, ListFences: 1 });
    expect((await logged(() => send('GET', '/clients', { token: other.token }))).line).not.toHaveProperty('ListFences');
  });
});

describe('hostile requests', () => {
  /** None of these may be in a log. */
  const MARK = 'zQ7marked';
  const FORGED = `${MARK}"}\n{"level":"ERROR","message":"forged ${MARK}","_aws":{"CloudWatchMetrics":[{"Namespace":"${MARK}"}]}}\r\n\u2028\u001b[2J`;
  const encoded = encodeURIComponent(FORGED);
  const visible = `${MARK}"},{"level":"ERROR","Duration":1e9,"outcome":"5xx"}`;
  const headers = {
    'user-agent': visible,
    'x-request-id': visible,
    traceparent: `${TRACEPARENT}-${visible}`,
    tracestate: visible,
    'x-amzn-trace-id': `Root=${visible}`,
    'if-match': visible,
    'idempotency-key': MARK,
    cookie: visible,
    forwarded: visible,
  };

  it.each<[string, () => Promise<unknown>]>([
    ['a path', () => send('GET', `/clients/${encoded}`, { headers })],
    ['a query', () => send('GET', `/clients?status=${encoded}&${encoded}=1`, { headers })],
    [
      'a body',
      () => send('POST', '/clients', { headers, body: { name: FORGED, slug: FORGED, [FORGED]: FORGED, Duration: 1 } }),
    ],
    ['a body that is kept', () => send('POST', '/clients', { headers, body: { name: `${MARK} {"_aws":1}` } })],
    [
      'no JSON',
      () => send('POST', '/clients', { headers: { ...headers, 'content-type': 'application/json' }, raw: FORGED }),
    ],
    ['a login', () => api.request('POST', '/api/v1/auth/login', { headers, body: { app_code: MARK, secret: FORGED } })],
    [
      'a delivery',
      () => deliver(api, { ...org, appCode: MARK }, { event_type: FORGED, data: { x: FORGED } }, { headers }),
    ],
    [
      'a delivery that is signed',
      () => deliver(api, org, { event_type: `x.${MARK.toLowerCase()}`, data: { x: FORGED } }, { headers }),
    ],
    ['a token', () => send('GET', '/clients', { headers, token: `${MARK}.${MARK}.${MARK}` })],
  ])('leave nothing of their own in the log: %s', async (_, request) => {
    const { text, lines } = await written(request);
    expect(lines.length).toBeGreaterThan(0);
    expect(text.toLowerCase()).not.toContain(MARK.toLowerCase());
    for (const mark of ['forged', '\u001b', '\u2028']) expect(text).not.toContain(mark);
    for (const line of lines) {
      expect(line).toMatchObject({ level: 'INFO', message: 'request', Duration: expect.any(Number) });
      expect(Number(line.Duration)).toBeLessThan(1e6);
    }
  });

  it('nor do secrets, tokens, names and app codes of honest ones', async () => {
    const secret = 'cst_a_supplied_secret-83hf73hf83h-38fh38fh';
    const app_code = `named-${randomUUID().slice(0, 8)}`;
    const { text, result } = await written(async () => {
      const made = await send('POST', '/integrations', { body: { app_code, display_name: 'A name', secret } });
      const login = await api.request('POST', '/api/v1/auth/login', { body: { app_code, secret } });
      const token = String(login.body.access_token);
      const client = await send('POST', '/clients', { token, body: { name: 'Rossi', slug: app_code } });
      await send('GET', '/clients?status=active&page_size=7', { token });
      return { statuses: [made, login, client].map(({ status }) => status), token };
    });
    expect(result.statuses).toEqual([201, 200, 201]);
    for (const kept of [
      secret,
      app_code,
      'A name',
      'Rossi',
      'active',
      result.token,
      ...result.token.split('.'),
      org.token,
    ])
      expect(text, kept).not.toContain(kept);
  });
});
