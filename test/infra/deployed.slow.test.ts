import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { rightsOf } from '../../infra/rights.ts';
import type { ApiResponse, JsonBody, OrgAccess } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { interruptErasure } from '../support/interrupted-erasure.ts';
import { PATIENCE } from '../support/patience.ts';
import { operations, TestTenant } from '../support/scenario.ts';
import { tableAt } from '../support/storage.ts';
import { dumpOf } from '../support/table-dump.ts';
import type { TableRequest } from './account/account.ts';
import { deploy, type RunningStack } from './account/deploy.ts';
import { describeBundles } from './bundles.ts';
import { describeRuntimeInterface } from './runtime-interface.ts';

/**
 * The stack as it deploys: the synthesized bundles, each with its own environment and role, in front of a table that lets a request through
 * only where the template's policies allow it for the credentials it is signed with. Every operation must work so, and no request may
 * touch a tenant's keys with another's credentials. New operations are played without anyone remembering (`test/support/scenario.ts`).
 */

let api: RunningStack;
let acme: OrgAccess;
let rival: OrgAccess;
beforeAll(async () => {
  api = await deploy({ firstKey: 'true', rateLimit: '1000000' });
  [acme, rival] = await Promise.all([api.orgToken('Acme'), api.orgToken('Rival')]);
});
afterAll(() => api?.close());

describeBundles(() => api.functions);

/**
 * What the platform's own keys are touched for in the name of an organization: its place in the list of all, the memory of a request, a condition on the
 * credentials of a platform caller.
 */
const CROSSING = /^ORG#PLATFORM#(ORG(#SET)?$|ONCE#REQUEST#|CREDENTIALS$)/;

/** Read by a function on its own, to find out who calls. */
const CREDENTIALS = /^ORG#[^#]+#CREDENTIALS$/;

/** The partitions of tenants in a request, each with its tenant, as far as they are not the signer's own. */
const anotherTenants = ({ by, operation, partitions }: TableRequest): string[] =>
  partitions.filter((partition) => {
    const tenant = /^ORG#([^#]*)#/.exec(partition)?.[1];
    if (by.tags.tenant === undefined && operation === 'GetItem' && CREDENTIALS.test(partition)) return false;
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

  it('tell of every operation, and count every call of AWS', async () => {
    const { requests, sessions, keyUses } = api.account;
    // They come from other processes.
    await vi.waitFor(() => expect(sumOf('TableCalls', 'TableRetries')).toBe(requests.length), PATIENCE);
    expect([sumOf('StsCalls'), sumOf('KmsCalls')]).toEqual([sessions.length, keyUses.length]);
    expect(Math.min(sessions.length, keyUses.length)).toBeGreaterThan(2);
    const told = new Set(api.lines.map(({ operation }) => operation));
    expect(operations.map(([id]) => id).filter((id) => !told.has(id))).toEqual([]);
    // Each function runs in a container of its own.
    expect(sumOf('ColdStarts')).toBe(api.functions.size);
  });

  it('are in the namespace of the stage, whose name another stage cannot have', () => {
    const namespaces = api.lines.flatMap(({ _aws }) =>
      (_aws as { CloudWatchMetrics: { Namespace: string }[] }).CloudWatchMetrics.map(({ Namespace }) => Namespace),
    );
    expect(new Set(namespaces)).toEqual(new Set(['Custodia/custodia-dev']));
  });
});

describe('what is the account’s and not the stage’s', () => {
  const read = (file: string) => JSON.parse(readFileSync(join(api.assembly, file), 'utf8'));
  const typesIn = (stack: string): string[] =>
    Object.values<{ Type: string }>(read(`${stack}.template.json`).Resources).map(({ Type }) => Type);

  it('is in a stack of its own, which is deployed before any stage and the same for all', () => {
    expect(read('manifest.json').artifacts['custodia-dev'].dependencies).toContain('api-gateway-log-role');
    expect(typesIn('api-gateway-log-role').toSorted()).toEqual(['AWS::ApiGateway::Account', 'AWS::IAM::Role']);
    expect(typesIn('custodia-dev')).not.toContain('AWS::ApiGateway::Account');
    const text = JSON.stringify(read('api-gateway-log-role.template.json'));
    expect(text).not.toMatch(/dev|"RoleName"/);
    expect(text.match(/"DeletionPolicy":"RetainExceptOnCreate"/g)).toHaveLength(2);
  });
});

describe('the address of the stage', () => {
  it('is what the outputs say, what the OpenAPI document names, and where links lead', async () => {
    const { body } = await api.request<{ servers: { url: string }[] }>('GET', '/api/v1/openapi');
    expect(body.servers.map(({ url }) => url)).toEqual([api.stack.outputs.BaseUrl]);
    expect(new URL(api.stack.outputs.BaseUrl ?? '').pathname).toBe('/dev');
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

  it('a first key for an organization that exists is refused, and leaves no trace', async () => {
    const body = { org_id: rival.orgId, app_code: randomUUID(), display_name: 'Intruder' };
    expect((await api.request('POST', '/api/v1/integrations', { body })).status).toBe(401);
  });

  it('a webhook, once', async () => {
    const eventId = randomUUID();
    const event = { event_type: 'client.created', data: { name: 'By webhook' } };
    const responses = [await deliver(api, acme, event, { eventId }), await deliver(api, acme, event, { eventId })];
    expect(responses.map(({ status }) => status)).toEqual([200, 409]);
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

  it('an integration that is cut off cannot log in', async () => {
    const { id, app_code, secret } = await created(
      api.request('POST', '/api/v1/integrations', {
        token: acme.token,
        body: { app_code: randomUUID(), display_name: 'Short-lived' },
      }),
    );
    const path = `/api/v1/integrations/${id}`;
    expect((await api.request('PATCH', path, { token: acme.token, body: { status: 'inactive' } })).status).toBe(200);
    const login = await api.request('POST', '/api/v1/auth/login', { body: { app_code, secret } });
    expect(login.status).toBe(401);
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
    const functionsThatWorkForTenants = 15;
    const ofAcme = sessions.filter(({ tags }) => tags.tenant === acme.orgId);
    expect(ofAcme.length).toBeLessThanOrEqual(functionsThatWorkForTenants);
  });

  it('do all the work on tenants’ data; on its own a function finds out who calls', () => {
    const own = api.account.requests.filter(({ by }) => by.tags.tenant === undefined);
    expect(own.length).toBeGreaterThan(20);
    for (const { partitions } of own)
      for (const partition of partitions)
        expect(partition).toMatch(/^((APP|LOGIN_FAILURE|SUSPENDED)#|HEALTH$|ORG#[^#]+#CREDENTIALS$)/);
  });
});

describeRuntimeInterface(
  () => api,
  () => acme,
);

describe('the operator’s commands work under the roles of the stack', () => {
  afterAll(() => {
    expect(api.account.refusals).toEqual([]);
    expect(api.account.requests.flatMap(anotherTenants)).toEqual([]);
  });
  /** Runs a command, which must succeed, and answers what it prints. */
  const done = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await api.operator(...args);
    expect([code, api.account.refusals], stderr).toEqual([0, []]);
    return stdout;
  };
  it('doctor in one session of the operator’s role', async () => {
    api.account.forget();
    const { findings } = JSON.parse(await done('doctor', '--url', api.url, '--json'));
    const states = findings.map(({ check, state }: JsonBody) => [check, state]);
    expect(Object.fromEntries(states)).toMatchObject({
      identity: 'ok',
      stacks: 'ok',
      access: 'ok',
      table: 'ok',
      'secrets key': 'ok',
      API: 'ok',
    });
    expect(api.account.sessions.map(({ roleArn }) => roleArn)).toEqual([api.stack.outputs.OperatorRoleArn]);
  });

  it('platform-keys and organizations list in one session of the operator’s role', async () => {
    api.account.forget();
    await done('create-platform-key', '--app-code', 'second');
    expect(JSON.parse(await done('platform-keys', 'list', '--json'))).toHaveLength(2);
    await done('platform-keys', 'rotate', '--app-code', 'second');
    await done('platform-keys', 'disable', '--app-code', 'second');
    expect(await done('organizations', 'list')).toMatch(/Organizations: \d+\.\n$/);
    const { sessions } = api.account;
    expect(new Set(sessions.map(({ roleArn }) => roleArn))).toEqual(new Set([api.stack.outputs.OperatorRoleArn]));
  });

  it('organizations suspend, resume and usage in sessions for that organization', async () => {
    const org = await api.orgToken('Suspended');
    api.account.forget();
    await done('organizations', 'suspend', '--org', org.orgId);
    expect((await api.request('GET', '/api/v1/clients', { token: org.token })).status).toBe(403);
    const login = { body: { app_code: org.appCode, secret: org.secret } };
    expect((await api.request('POST', '/api/v1/auth/login', login)).status).toBe(403);
    expect((await deliver(api, org, { event_type: 'invoice.paid', data: {} })).status).toBe(403);
    await done('organizations', 'usage', '--org', org.orgId);
    await done('organizations', 'resume', '--org', org.orgId);
    expect((await api.request('GET', '/api/v1/clients', { token: org.token })).status).toBe(200);
    const own = api.account.sessions.filter(({ roleArn }) => roleArn === api.stack.outputs.MaintenanceRoleArn);
    expect(own.map(({ tags }) => tags)).toEqual(Array(3).fill({ tenant: org.orgId }));
  });

  it('integrations disable in a session of the cut-off role', async () => {
    const org = await api.orgToken('Leaked');
    api.account.forget();
    await done('integrations', 'disable', '--org', org.orgId, '--app-code', org.appCode);
    const login = { body: { app_code: org.appCode, secret: org.secret } };
    expect((await api.request('POST', '/api/v1/auth/login', login)).status).toBe(401);
    const own = api.account.sessions.filter(({ roleArn }) => roleArn === api.stack.outputs.CutOffRoleArn);
    expect(own.map(({ tags }) => tags)).toEqual([{ tenant: org.orgId }]);
  });

  it('export in a session of the export role', async () => {
    api.account.forget();
    expect(await done('export', '--org', acme.orgId)).toMatch(/^\{"type":"Organization"/);
    expect(api.account.sessions).toEqual([{ roleArn: api.stack.outputs.ExportRoleArn, tags: { tenant: acme.orgId } }]);
  });

  it('webhooks replay in a session of the replay role, which opens the data of the event', async () => {
    const event = { event_type: 'client.created', data: { name: 'Replayed' } };
    expect((await deliver(api, rival, event)).status).toBe(200);
    const { body } = await api.request<{ data: JsonBody[] }>('GET', '/api/v1/webhook-events', { token: rival.token });
    api.account.forget();
    const replay = ['webhooks', 'replay', '--org', rival.orgId, '--event', String(body.data[0]?.id)];
    const again = await api.operator(...replay, '--json');
    expect([again.code, JSON.parse(again.stdout)]).toEqual([1, expect.objectContaining({ applied: false })]);
    expect(await done(...replay, '--again')).toMatch(/^Applied by createClient to /);
    expect(await done('webhooks', 'replay', '--help')).toMatch(/--again/);
    const role = { roleArn: api.stack.outputs.ReplayRoleArn, tags: { tenant: rival.orgId } };
    expect(api.account.sessions).toEqual([role, role]);
  });

  it('erase in sessions of the erasure role, also after it was interrupted', async () => {
    const org = await api.orgToken('Erased');
    await api.request('POST', '/api/v1/clients', { token: org.token, body: { name: 'x', slug: 'x' } });
    api.account.forget();
    const run = ['erase', '--org', org.orgId, '--yes', org.orgId];
    await done(...run, '--dry-run');
    await interruptErasure(api.table, org.orgId, (signal) => api.operatorUntil(signal, ...run));
    expect(JSON.parse(await done(...run, '--json'))).toMatchObject({ records: { Organization: 1, Client: 1 } });
    expect(new Set(api.account.sessions.map((session) => JSON.stringify(session)))).toEqual(
      new Set([JSON.stringify({ roleArn: api.stack.outputs.ErasureRoleArn, tags: { tenant: org.orgId } })]),
    );
    const left = (await dumpOf(api.table)).filter((item) => JSON.stringify(item).includes(org.orgId));
    expect(left.map(({ PK }) => PK?.S)).toEqual([`SUSPENDED#${org.orgId}`]);
    expect((await api.request('GET', '/api/v1/clients', { token: org.token })).status).toBe(403);
    expect((await api.operator('verify', '--org', 'platform')).code).toBe(0);
  });
});

describe('the operator verifies a tenant', () => {
  const maintenance = () => api.stack.outputs.MaintenanceRoleArn;

  /** @param expression with names as `#NAME` and one value, `:value` */
  const update = (key: Record<string, string> | undefined, expression: string, value?: unknown) =>
    tableAt(api.table).client.send(
      new UpdateCommand({
        TableName: api.table.tableName,
        Key: key,
        UpdateExpression: expression,
        ExpressionAttributeNames: Object.fromEntries(
          Array.from(expression.matchAll(/#(\w+)/g), ([placeholder, name]) => [placeholder, name ?? '']),
        ),
        ...(value === undefined ? {} : { ExpressionAttributeValues: { ':value': value } }),
      }),
    );

  /** The keys of the items in a partition. */
  const keysIn = async (PK: string) => {
    const { Items = [] } = await tableAt(api.table).client.send(
      new QueryCommand({
        TableName: api.table.tableName,
        KeyConditionExpression: 'PK = :partition',
        ExpressionAttributeValues: { ':partition': PK },
      }),
    );
    return Items.map(({ SK }) => ({ PK, SK: String(SK) }));
  };

  it('in one session, which touches no other tenant’s keys', async () => {
    api.account.forget();
    for (const org of [acme.orgId, 'platform']) {
      const { code, stdout, stderr } = await api.operator('verify', '--org', org, '--repair');
      expect([code, stderr], stdout).toEqual([0, '']);
    }
    expect(api.account.refusals).toEqual([]);
    expect(api.account.sessions).toEqual([
      { roleArn: maintenance(), tags: { tenant: acme.orgId } },
      { roleArn: maintenance(), tags: { tenant: 'PLATFORM' } },
    ]);
    expect(api.account.requests.length).toBeGreaterThan(50);
    expect(api.account.requests.flatMap(anotherTenants)).toEqual([]);
  });

  it('of all tenants in a session for each, and none for two', async () => {
    api.account.forget();
    const { code, stdout, stderr } = await api.operator('verify', '--all', '--json');
    expect([code, JSON.parse(stdout)], stderr).toEqual([0, expect.objectContaining({ differences: [], failed: [] })]);
    expect(api.account.refusals).toEqual([]);
    const tenants = api.account.sessions.map(({ roleArn, tags }) => [roleArn, tags.tenant]);
    for (const tenant of ['PLATFORM', acme.orgId, rival.orgId]) expect(tenants).toContainEqual([maintenance(), tenant]);
    expect(new Set(tenants.map(([role]) => role))).toEqual(new Set([maintenance()]));
    expect(new Set(tenants.map(([, tenant]) => tenant)).size).toBe(tenants.length);
  });

  it('repairs what differs, also in the platform’s list and in the lists of audit events', async () => {
    const [organization] = await keysIn(`ORG#${rival.orgId}#ORG`);
    const [client] = await keysIn(`ORG#${rival.orgId}#CLIENT`);
    await update(organization, 'SET #slug = :value', 'renamed');
    await update(client, 'SET #services_count = :value', 40);
    // A number of an audit event whose writer died a minute ago.
    const head = { PK: `ORG#${rival.orgId}#AUDIT_EVENT#SET`, SK: 'HEAD' };
    await update(head, 'ADD #NEXT :value', 1);
    await update(head, 'SET #AT = :value', Date.now() - 60_000);
    const { code, stdout } = await api.operator('verify', '--org', rival.orgId, '--repair');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Differences: 3\. Repaired: 3\.\n$/)]);
    expect(api.account.refusals).toEqual([]);
    expect((await api.operator('verify', '--org', rival.orgId)).stdout).toMatch(/Differences: 0\./);
  });

  it('changes no audit event: what would have to be written there stays as it is, and is told', async () => {
    const [event] = await keysIn(`ORG#${rival.orgId}#AUDIT_EVENT`);
    await update(event, 'REMOVE #SETS');
    const { code, stdout } = await api.operator('verify', '--org', rival.orgId, '--repair');
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/\(not repaired: these credentials may not change it\)\n/),
    ]);
    expect(api.account.refusals).not.toEqual([]);
  });
});
