import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type OrgAccess, startApi } from '../support/api.ts';
import { runOperator } from '../support/operator.ts';
import { callsOf } from '../support/tenant-calls.ts';

/** `custodia organizations` as it is run. How suspended callers are refused: `test/http/suspension.test.ts`. */

let api: Api;
let org: OrgAccess;
beforeAll(async () => {
  api = await startApi();
  org = await api.orgToken('Acme');
});
afterAll(() => api.close());

const organizations = (...options: string[]) =>
  runOperator(['organizations', ...options, '--table', api.table.tableName]);

describe('custodia organizations', () => {
  it('suspend and resume say what they have done, and list says who is suspended', async () => {
    const other = await api.orgToken('Other');
    const suspended = await organizations('suspend', '--org', org.orgId);
    expect(suspended).toEqual({
      code: 0,
      stdout: `${org.orgId} is suspended: all of its keys are refused.\n`,
      stderr: '',
    });
    expect((await callsOf(api, org.token).ask('GET', '/api/v1/clients')).status).toBe(403);

    const listed = await organizations('list', '--json');
    expect(listed.code).toBe(0);
    expect(JSON.parse(listed.stdout)).toEqual([
      expect.objectContaining({
        id: org.orgId,
        name: 'Acme',
        suspension: expect.objectContaining({ state: 'suspended' }),
      }),
      expect.objectContaining({ id: other.orgId, name: 'Other', suspension: null }),
    ]);
    const lines = (await organizations('list')).stdout.split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^[\da-f-]{36} {2}\S+Z {2}org-\w+ {2}"Acme" {2}\(suspended since .*Z\)$/),
      expect.stringMatching(/"Other"$/),
      'Organizations: 2.',
      '',
    ]);

    const again = await organizations('suspend', '--org', org.orgId);
    expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/is suspended since .* already\.\n$/)]);
    expect((await organizations('resume', '--org', org.orgId)).stdout).toBe(
      `${org.orgId} is resumed: its keys work again.\n`,
    );
    expect((await callsOf(api, org.token).ask('GET', '/api/v1/clients')).status).toBe(200);
    const { stdout } = await organizations('resume', '--org', org.orgId, '--json');
    expect(JSON.parse(stdout)).toEqual({ org_id: org.orgId, state: 'active', changed: false });
  });

  it('usage counts what the lists of the API count', async () => {
    const calls = callsOf(api, org.token);
    for (const name of ['A', 'B', 'C']) await calls.create('/api/v1/clients', { name });
    const { code, stdout } = await organizations('usage', '--org', org.orgId, '--json');
    const usage = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(usage).toMatchObject({
      org_id: org.orgId,
      records: { Client: 3, Ticket: 0, Integration: 1 },
      active_integrations: 1,
    });
    expect(usage.records.AuditEvent).toBe((await calls.read('/api/v1/audit-events')).total);
    expect((await organizations('usage', '--org', org.orgId)).stdout).toMatch(/^ +3 {2}Client$/m);
  });

  it('usage tells how much of a minute’s requests is spent', async () => {
    const limited = await api.orgToken();
    const platform = callsOf(api, await api.platformToken());
    const path = `/api/v1/integrations/${limited.integrationId}?org_id=${limited.orgId}`;
    await platform.ask('PATCH', path, { rate_limit: 20 });
    const token = await api.login(limited.appCode, limited.secret);
    for (let count = 0; count < 10; count++) await callsOf(api, token).read('/api/v1/clients');
    const { stdout } = await organizations('usage', '--org', limited.orgId, '--json');
    const { budgets } = JSON.parse(stdout);
    const own = budgets.find((budget: { integration_id: string }) => budget.integration_id === limited.integrationId);
    expect(own.spent_percent).toBeGreaterThan(0);
    expect(own.spent_percent).toBeLessThanOrEqual(50);
  });

  it.each([
    ['an unknown organization', 'suspend', ['--org', randomUUID()], /^There is no organization .*\.\n$/],
    ['the platform', 'suspend', ['--org', 'platform'], /^--org must be the id of an organization\.\n$/],
    ['no organization', 'resume', [], /^error: required option '--org <id>' not specified\n$/],
    ['an unknown command', 'delete', [], /^error: unknown command 'delete'\n$/],
  ])('says in a line what is wrong with %s', async (_, command, options, sentence) => {
    const { code, stdout, stderr } = await organizations(command, ...options);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(sentence)]);
  });
});
