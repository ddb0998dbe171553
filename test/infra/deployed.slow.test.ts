import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { EMPTY_KEYS } from '#table';
import { prepareStarts } from '../../bench/cold-start/stack.ts';
import { contracts } from '../../functions/all-contracts.ts';
import { auth } from '../../functions/auth/contract.ts';
import { health } from '../../functions/health/contract.ts';
import { namesBehindGateway } from '../../infra/functions.ts';
import { DELIVERY_SCHEDULE, rightsOf } from '../../infra/rights.ts';
import type { ApiResponse, JsonBody } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { listening } from '../support/listening.ts';
import { startOidcProvider } from '../support/oidc-provider.ts';
import { PATIENCE } from '../support/patience.ts';
import { prepared } from '../support/prepared.ts';
import { proxyEventOf } from '../support/proxy-event.ts';
import { operations, TestTenant } from '../support/scenario.ts';
import { SECRET_CREDENTIALS, type TableRequest } from './account/account.ts';
import { deploy } from './account/deploy.ts';
import { LambdaFunction } from './account/functions.ts';
import { describeBundles } from './bundles.ts';
import { describeDeliveries } from './deliver-events.ts';
import { describeHeldAlerts } from './open-held-alerts.ts';
import { describeOperator } from './operator-commands.ts';

/**
 * The stack as it deploys: the synthesized bundles, each with its own environment and role, in front of a table that
 * lets a request through only where the template's policies allow it for the credentials it is signed with. Every
 * operation must work so, and no request may touch a tenant's keys with another's credentials. New operations are
 * played without anyone remembering (`test/support/scenario.ts`).
 */

const run = promisify(execFile);

const api = prepared(() => deploy({ firstKey: 'true', rateLimit: '1000000' }));
const acme = prepared(() => api.orgToken('Acme'));
const rival = prepared(() => api.orgToken('Rival'));
afterAll(() => api.close());

describeBundles(() => api.functions);

/**
 * What the platform's own keys are touched for in the name of an organization: its place in the list of all, the memory
 * of a request, a condition on the credentials of a platform caller.
 */
const CROSSING = /^ORG#PLATFORM#(ORG(#SET)?$|ONCE#REQUEST#|CREDENTIALS$)/;

/** Read by a function on its own, to find out who calls. */
const OF_CALLERS = /^ORG#[^#]+#(CREDENTIALS|USER_ACCESS)$/;

const scheduleRole = (): string | undefined => api.functions.get(DELIVERY_SCHEDULE)?.role;
/** Numbers that the schedule of deliveries reads on its own. */
const BACKLOG = /^ORG#[^#]+#(DELIVERY|EVENT#SET)$/;

/** The partitions of tenants in a request, each with its tenant, as far as they are not the signer's own. */
const anotherTenants = ({ by, operation, partitions }: TableRequest): string[] =>
  partitions.filter((partition) => {
    const tenant = /^ORG#([^#]*)#/.exec(partition)?.[1];
    if (by.tags.tenant === undefined && operation === 'GetItem' && OF_CALLERS.test(partition)) return false;
    if (by.roleArn === scheduleRole() && operation === 'BatchGetItem' && BACKLOG.test(partition)) return false;
    return tenant !== undefined && tenant !== by.tags.tenant && !CROSSING.test(partition);
  });

describe('every operation works under the roles of the stack', () => {
  it.each(operations.map(([id]) => id))('%s', async (operationId) => {
    const testTenant = new TestTenant(api, acme);
    const scenario = await testTenant.scenario(operationId);
    const before = api.account.requests.length;
    const { status, body } = await testTenant.send(scenario);
    expect(status, JSON.stringify([body, api.account.refusals])).toBe(scenario.route.response.status);
    expect(api.account.requests.slice(before).flatMap(anotherTenants)).toEqual([]);
    expect(api.account.refusals).toEqual([]);
  });
});

describe('the lines of the functions', () => {
  const sumOf = (...counters: string[]): number =>
    api.lines.reduce((sum, line) => sum + counters.reduce((all, name) => all + Number(line[name] ?? 0), 0), 0);

  it('name every operation, and count every call of AWS', async () => {
    const { requests, sessions, keyUses } = api.account;
    // They come from other processes.
    // A warm start belongs to no request.
    const ofRequests = requests.filter(({ partitions }) => !partitions.includes(EMPTY_KEYS.warmStart.PK));
    await vi.waitFor(() => expect(sumOf('TableCalls', 'TableRetries')).toBe(ofRequests.length), PATIENCE);
    const usesOfRequests = keyUses.filter(({ operation }) => operation !== 'GetPublicKey');
    expect([sumOf('StsCalls'), sumOf('KmsCalls')]).toEqual([sessions.length, usesOfRequests.length]);
    expect(Math.min(sessions.length, keyUses.length)).toBeGreaterThan(2);
    const told = new Set(api.lines.map(({ operation }) => operation));
    expect(operations.map(([id]) => id).filter((id) => !told.has(id))).toEqual([]);
    // Each function runs in a container of its own.
    expect(sumOf('ColdStarts')).toBe(namesBehindGateway(contracts).length);
  });
});

describe('what is the account’s and not the stage’s', () => {
  const read = (file: string) => JSON.parse(readFileSync(join(api.assembly, file), 'utf8'));
  const typesIn = (stack: string): string[] =>
    Object.values<{ Type: string }>(read(`${stack}.template.json`).Resources).map(({ Type }) => Type);

  it('is in a stack of its own, which is deployed before any stage and the same for all', () => {
    expect(read('manifest.json').artifacts['custodia-dev-api'].dependencies).toContain('api-gateway-log-role');
    expect(typesIn('api-gateway-log-role').toSorted()).toEqual(['AWS::ApiGateway::Account', 'AWS::IAM::Role']);
    expect(typesIn('custodia-dev-api')).not.toContain('AWS::ApiGateway::Account');
    const text = JSON.stringify(read('api-gateway-log-role.template.json'));
    expect(text).not.toMatch(/dev|"RoleName"/);
    expect(text.match(/"DeletionPolicy":"RetainExceptOnCreate"/g)).toHaveLength(2);
  });
});

describe('the address of the stage', () => {
  it('is what the OpenAPI document names, and where links lead', async () => {
    const { body } = await api.request<{ servers: { url: string }[] }>('GET', '/api/v1/openapi');
    expect(body.servers.map(({ url }) => url)).toEqual([api.url]);
    expect(new URL(api.url).pathname).toBe('/dev');
    const { headers } = await api.request('GET', '/api/v1/clients', { token: acme.token });
    expect(headers.get('link')).toMatch(/^<\/dev\/api\/v1\/clients\?/);
  });
});

describe('what touches two tenants works under the roles of the stack', () => {
  afterAll(() => {
    expect(api.account.refusals).toEqual([]);
    expect(api.account.requests.flatMap(anotherTenants)).toEqual([]);
  });

  const created = async (response: Promise<ApiResponse>): Promise<JsonBody & { id: string }> => {
    const { status, body } = await response;
    expect(status, JSON.stringify([body, api.account.refusals])).toBe(201);
    return body as JsonBody & { id: string };
  };

  it('an organization made by the platform under an idempotency key, twice', async () => {
    const request = {
      token: await api.platformToken(),
      body: { name: 'Twice' },
      headers: { 'idempotency-key': randomUUID() },
    };
    const first = await created(api.request('POST', '/api/v1/orgs', request));
    expect(await created(api.request('POST', '/api/v1/orgs', request))).toEqual(first);
  });

  it('an integration made by the platform for an organization, under an idempotency key, twice', async () => {
    const request = {
      token: await api.platformToken(),
      body: { org_id: acme.orgId, app_code: randomUUID(), display_name: 'For Acme' },
      headers: { 'idempotency-key': randomUUID() },
    };
    const first = await created(api.request('POST', '/api/v1/integrations', request));
    expect(await created(api.request('POST', '/api/v1/integrations', request))).toEqual(first);
  });

  it('a record of an organization made, read and listed by the platform', async () => {
    const token = await api.platformToken();
    const body = { org_id: rival.orgId, name: 'Client of Rival' };
    const { id } = await created(api.request('POST', '/api/v1/clients', { token, body }));
    const [own, named, list] = await Promise.all([
      api.request('GET', `/api/v1/clients/${id}`, { token: rival.token }),
      api.request('GET', `/api/v1/clients/${id}?org_id=${rival.orgId}`, { token }),
      api.request<{ total: number }>('GET', `/api/v1/clients?org_id=${rival.orgId}`, { token }),
    ]);
    expect([own.status, named.status, list.body.total]).toEqual([200, 200, 1]);
    expect((await api.request('GET', `/api/v1/clients/${id}`, { token: acme.token })).status).toBe(404);
  });

  it('a system role, a superadmin and a membership made by the platform for an organization, on condition of its own credentials', async () => {
    const token = await api.platformToken();
    const role = { org_id: acme.orgId, code: randomUUID(), label: 'x', is_system: true };
    const { id: role_id } = await created(api.request('POST', '/api/v1/roles', { token, body: role }));
    const user = { email: `${randomUUID()}@acme.example`, is_superadmin: true };
    const { id: user_id } = await created(
      api.request('POST', `/api/v1/users?org_id=${acme.orgId}`, { token, body: user }),
    );
    const membership = { org_id: acme.orgId, user_id, role_id };
    await created(api.request('POST', '/api/v1/users/memberships', { token, body: membership }));
    const event = { event_type: 'role.created', data: { code: randomUUID(), label: 'x', permissions: [] } };
    expect((await deliver(api, acme, event)).status).toBe(200);
  });

  it('an integration that gets more from the platform, and loses the secret that a weak key has seen', async () => {
    const register = (token: string, permissions: readonly string[]) => {
      const body = { app_code: randomUUID(), display_name: 'x', permissions };
      return created(api.request('POST', '/api/v1/integrations', { token, body }));
    };
    const weak = await register(acme.token, ['integrations:write']);
    const key = await register(await api.login(String(weak.app_code), String(weak.secret)), []);
    const path = `/api/v1/integrations/${key.id}?org_id=${acme.orgId}`;
    const change = { token: await api.platformToken(), body: { permissions: ['clients:read'] } };
    const { status, body } = await api.request('PATCH', path, change);
    expect([status, body.ended_secrets]).toEqual([200, 1]);
    await api.login(String(key.app_code), String(body.secret));
    const again = await api.request<JsonBody>('PATCH', path, { ...change, body: { display_name: 'y' } });
    expect(again.body).not.toHaveProperty('secret');
  });

  it('a first key, which makes its organization', async () => {
    const key = await created(
      api.request('POST', '/api/v1/integrations', { body: { app_code: randomUUID(), display_name: 'First' } }),
    );
    const token = await api.login(String(key.app_code), String(key.secret));
    expect((await api.request('GET', `/api/v1/orgs/${key.org_id}`, { token })).status).toBe(200);
  });

  it('somebody signs in, is linked by mail, and is known by then', async () => {
    const oidc = await startOidcProvider();
    onTestFinished(() => oidc.close());
    const { token, orgId: organization } = await api.orgToken('Signing in');
    const slug = `acme-${randomUUID()}`;
    const provider = { name: 'Ours', issuer: oidc.issuer, audiences: [oidc.clientId], email_domains: ['acme.example'] };
    await created(api.request('POST', '/api/v1/identity-providers', { token, body: provider }));
    await created(api.request('POST', '/api/v1/users', { token, body: { email: 'ada@acme.example' } }));
    const change = { token, body: { slug, membership_access: true } };
    expect((await api.request('PATCH', `/api/v1/orgs/${organization}`, change)).status).toBe(200);
    const person = { sub: randomUUID(), email: 'ada@acme.example', email_verified: true };
    for (const named of [organization, slug]) {
      const body = {
        ...{ grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', organization: named },
        ...{
          subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
          subject_token: await oidc.signIn(person),
        },
      };
      const exchanged = await api.request('POST', '/api/v1/auth/token', { body });
      expect(exchanged.status, JSON.stringify([exchanged.body, api.account.refusals])).toBe(200);
      const me = await api.request('GET', '/api/v1/me', { token: String(exchanged.body.access_token) });
      expect(me.body).toMatchObject({ user: { email: 'ada@acme.example' } });
    }
  });

  it('a login that is refused, in the audit log of the integration’s organization', async () => {
    const body = { app_code: rival.appCode, secret: 'wrong' };
    expect((await api.request('POST', '/api/v1/auth/login', { body })).status).toBe(401);
    const { body: auditLog } = await api.request<{ data: JsonBody[] }>('GET', '/api/v1/audit-events', {
      token: rival.token,
    });
    expect(auditLog.data[0]).toMatchObject({ operation: 'login_refused', record_id: rival.integrationId, failures: 1 });
  });

  it('a wrong signature, which is counted, and then a right one, which is forgiven', async () => {
    const event = { event_type: 'invoice.paid', data: {} };
    const before = api.account.requests.length;
    expect((await deliver(api, rival, event, { signature: '0'.repeat(64) })).status).toBe(401);
    expect((await deliver(api, rival, event)).status).toBe(200);
    const requests = api.account.requests.slice(before);
    const counting = requests.filter(({ partitions }) => partitions.some((each) => each.startsWith('LOGIN_FAILURE#')));
    expect(counting.map(({ operation }) => operation)).toEqual(['GetItem', 'UpdateItem', 'GetItem', 'UpdateItem']);
  });
});

describe('secrets', () => {
  it('are encrypted and opened in sessions of the tenant whose they are, by no function on its own', () => {
    const uses = api.account.keyUses.filter(({ operation }) => !/^(Sign|GetPublicKey)$/.test(operation));
    expect(new Set(uses.map(({ operation }) => operation))).toEqual(new Set(['GenerateDataKey', 'Decrypt']));
    expect(uses.length).toBeGreaterThan(5);
    for (const { by, tenant, operation } of uses) expect([operation, by.tags.tenant]).toEqual([operation, tenant]);
  });

  it('open no session of their own: a function has one for the records and the secrets of a tenant', () => {
    const ofAcme = api.account.sessions.filter(({ tags }) => tags.tenant === acme.orgId);
    const underOneRole = Map.groupBy(ofAcme, ({ roleArn }) => roleArn)
      .values()
      .map((sessions) => sessions.length);
    const functions = Map.groupBy(contracts, (contract) => rightsOf(contract).tenants).get('records')?.length;
    expect(Math.max(...underOneRole)).toBe(functions);
  });
});

describe('sessions', () => {
  it('are opened once for a function and a tenant, with the tenant as their one tag', () => {
    const { sessions } = api.account;
    expect(sessions.length).toBeGreaterThan(20);
    for (const { tags } of sessions)
      expect(tags).toEqual({ tenant: expect.stringMatching(/^(PLATFORM|[\da-f-]{36})$/) });
    const functionsThatWorkForTenants = contracts.filter((each) => rightsOf(each).tenants !== undefined).length;
    const ofAcme = sessions.filter(({ tags }) => tags.tenant === acme.orgId);
    expect(ofAcme.length).toBeLessThanOrEqual(functionsThatWorkForTenants);
  });

  it('do all the work on tenants’ data; on its own a function finds out who calls', () => {
    const own = api.account.requests.filter(({ by }) => by.tags.tenant === undefined);
    expect(own.length).toBeGreaterThan(20);
    for (const { partitions } of own)
      for (const partition of partitions)
        expect(partition).toMatch(
          /^((APP|LOGIN_FAILURE|SIGN_IN|SUSPENDED)#|HEALTH$|WARM#$|ORG#[^#]+#(CREDENTIALS|USER_ACCESS)$)/,
        );
  });
});

describe('a function that throws', () => {
  it('reports the failure to its caller, without secrets, and serves the next request', async () => {
    const secrets = [...Object.values(SECRET_CREDENTIALS), acme.secret, acme.token];
    for (const name of namesBehindGateway(contracts)) {
      const lambda = api.lambda.get(name) as LambdaFunction;
      // No event of API Gateway: what turns errors into responses cannot do so with this one.
      const outcome = await lambda.invoke({ nothing: 'of a request' });
      expect(outcome, name).toMatchObject({ error: { errorType: expect.stringMatching(/Error$/) } });
      const told = JSON.stringify(outcome) + lambda.log;
      expect(
        secrets.filter((secret) => told.includes(secret)),
        name,
      ).toEqual([]);
    }
    expect((await api.request('GET', '/api/v1/clients', { token: acme.token })).status).toBe(200);
  });

  it('is a 401 of the gateway, with the reason, where the authorizer refuses what is no token', async () => {
    const { status, body } = await api.request('GET', '/api/v1/clients', { token: 'two words' });
    expect([status, body.detail]).toEqual([401, expect.stringContaining('one token. Send the header')]);
  });
});

describe('a warm start', () => {
  it.each([
    ['clients', ['GetItem WARM#'], []],
    ['auth', ['GetItem WARM#'], ['GetPublicKey']],
    ['authorizer', ['GetItem WARM#'], ['GetPublicKey']],
    ['well-known', [], ['GetPublicKey']],
    ['openapi', [], []],
  ])('is made while %s is loaded, before there is a request', async (name, calls, uses) => {
    const { requests, keyUses, sessions } = api.account;
    const before = [requests.length, keyUses.length, sessions.length] as const;
    const { module, environment } = api.lambda.get(name)?.configuration ?? {};
    // On a busy machine the calls take longer than a warm start waits.
    const patient = `const wait = setTimeout; globalThis.setTimeout = (then, ms) => wait(then, ${PATIENCE});`;
    const code = `${patient} await import(${JSON.stringify(module)}); process.exit()`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { env: { ...environment } });
    expect(requests.slice(before[0]).map(({ operation, partitions }) => `${operation} ${partitions}`)).toEqual(calls);
    expect(keyUses.slice(before[1]).map(({ operation }) => operation)).toEqual(uses);
    expect([sessions.length, stdout]).toEqual([before[2], '']);
  });

  const failing: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
    'does not respond': () => undefined,
    refuses: (response) =>
      response.writeHead(400).end('{"__type":"com.amazon.coral.service#AccessDeniedException","message":"no"}'),
    'responds with something else': (response) => response.end('<html>'),
    'resets the connection': (response) => response.destroy(),
  };
  it.each(Object.entries(failing))('costs no request anything where the table %s', async (_, fail) => {
    const table = createServer(async (request, response) => {
      const body = await text(request);
      if (body.includes(EMPTY_KEYS.warmStart.PK)) return void fail(response);
      const headers = new Headers(request.headers as Record<string, string>);
      for (const name of ['connection', 'content-length', 'host']) headers.delete(name);
      const reply = await fetch(api.account.dynamoDbEndpoint, { method: 'POST', headers, body });
      return void response.writeHead(reply.status).end(await reply.text());
    });
    const AWS_ENDPOINT_URL_DYNAMODB = await listening(table);
    const { configuration } = api.lambda.get('health') as LambdaFunction;
    const environment = { ...configuration.environment, AWS_ENDPOINT_URL_DYNAMODB };
    const lambda = new LambdaFunction({ ...configuration, environment });
    const { getHealth: route } = health.routes;
    try {
      const outcome = await lambda.invoke(proxyEventOf({ route, path: route.path }));
      expect(JSON.parse((outcome as { payload: string }).payload)).toMatchObject({ statusCode: 200 });
      await vi.waitFor(() => expect(lambda.log).toContain('"TableCalls":1'), PATIENCE);
      expect(lambda.log).not.toMatch(/WARN|ERROR|TableRetries/);
    } finally {
      await lambda.stop();
      table.closeAllConnections();
      table.close();
    }
  });
});

describe('a table that does not respond', () => {
  it('is a 503 before Lambda’s deadline', async () => {
    const silent = createServer(() => undefined);
    const AWS_ENDPOINT_URL_DYNAMODB = await listening(silent);
    const { configuration } = api.lambda.get('auth') as LambdaFunction;
    const environment = { ...configuration.environment, AWS_ENDPOINT_URL_DYNAMODB };
    const waiting = new LambdaFunction({ ...configuration, environment });
    const route = auth.routes.login;
    const body = { app_code: acme.appCode, secret: acme.secret };
    try {
      const outcome = await waiting.invoke(proxyEventOf({ route, path: route.path, body }), 3_000);
      expect(JSON.parse((outcome as { payload: string }).payload)).toMatchObject({ statusCode: 503 });
    } finally {
      await waiting.stop();
      silent.closeAllConnections();
      silent.close();
    }
  });
});

describeDeliveries({ api, anotherTenants });
describeHeldAlerts({ api, anotherTenants });

describeOperator({ api, acme, rival, anotherTenants });

describe('the benchmark of cold starts', () => {
  it('starts functions as often as it likes with the responses of their first start, and knows one for each', async () => {
    const names = ['authorizer', 'clients', 'openapi'];
    await using starts = await prepareStarts(api, () => undefined, names);
    expect(starts.functions.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    for (const { start } of starts.functions) await start();
  });
});
