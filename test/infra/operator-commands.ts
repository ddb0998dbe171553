import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonBody, OrgAccess } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { interruptErasure } from '../support/interrupted-erasure.ts';
import { tableAt } from '../support/storage.ts';
import { dumpOf } from '../support/table-dump.ts';
import type { TableRequest } from './account/account.ts';
import type { RunningStack } from './account/deploy.ts';

interface Deployed {
  readonly api: RunningStack;
  readonly acme: OrgAccess;
  readonly rival: OrgAccess;
  /** The partitions in a request that are another tenant's than the signer's. */
  readonly anotherTenants: (request: TableRequest) => string[];
}

/** The operator's commands, each under the role that it assumes. `deployed.slow.test.ts` deploys the stack. */
export function describeOperator({ api, acme, rival, anotherTenants }: Deployed): void {
  const account = () => api.account;
  const outputs = () => api.stack.outputs;
  const operator = (...args: string[]) => api.operator(...args);
  /** The tenants of the sessions of a role, by the name of its output. */
  const tenantsOf = (role: string) =>
    account()
      .sessions.filter(({ roleArn }) => roleArn === outputs()[role])
      .map(({ tags }) => tags);

  describe('the operator’s commands work under the roles of the stack', () => {
    afterAll(() => {
      expect(account().refusals).toEqual([]);
      expect(account().requests.flatMap(anotherTenants)).toEqual([]);
    });
    /** Runs a command, which must succeed, and returns what it prints. */
    const done = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await operator(...args);
      expect([code, account().refusals], stderr).toEqual([0, []]);
      return stdout;
    };
    it('doctor in one session of the operator’s role', async () => {
      account().forget();
      const { findings } = JSON.parse(await done('doctor', '--url', api.url, '--json'));
      const states = findings.map(({ check, state }: JsonBody) => [check, state]);
      expect(Object.fromEntries(states)).toMatchObject({
        identity: 'ok',
        access: 'ok',
        table: 'ok',
        'secrets key': 'ok',
        API: 'ok',
      });
      expect(account().sessions.map(({ roleArn }) => roleArn)).toEqual([outputs().OperatorRoleArn]);
    });

    it('platform-keys and organizations list in one session of the operator’s role', async () => {
      account().forget();
      await done('create-platform-key', '--app-code', 'second');
      expect(JSON.parse(await done('platform-keys', 'list', '--json'))).toHaveLength(2);
      await done('platform-keys', 'rotate', '--app-code', 'second');
      await done('platform-keys', 'disable', '--app-code', 'second');
      expect(await done('organizations', 'list')).toMatch(/Organizations: \d+\.\n$/);
      const { sessions } = account();
      expect(new Set(sessions.map(({ roleArn }) => roleArn))).toEqual(new Set([outputs().OperatorRoleArn]));
    });

    it('organizations suspend and resume in sessions for that organization', async () => {
      const org = await api.orgToken('Suspended');
      account().forget();
      await done('organizations', 'suspend', '--org', org.orgId);
      expect((await api.request('GET', '/api/v1/clients', { token: org.token })).status).toBe(403);
      const login = { body: { app_code: org.appCode, secret: org.secret } };
      expect((await api.request('POST', '/api/v1/auth/login', login)).status).toBe(403);
      expect((await deliver(api, org, { event_type: 'invoice.paid', data: {} })).status).toBe(403);
      await done('organizations', 'resume', '--org', org.orgId);
      expect((await api.request('GET', '/api/v1/clients', { token: org.token })).status).toBe(200);
      expect(tenantsOf('MaintenanceRoleArn')).toEqual(Array(2).fill({ tenant: org.orgId }));
      expect(tenantsOf('SupportRoleArn')).toEqual([]);
      await done('organizations', 'resume', '--org', org.appCode);
      expect(tenantsOf('SupportRoleArn')).toHaveLength(1);
    });

    it('integrations disable in a session of the cut-off role', async () => {
      const org = await api.orgToken('Leaked');
      account().forget();
      await done('integrations', 'disable', '--org', org.orgId, '--app-code', org.appCode);
      const login = { body: { app_code: org.appCode, secret: org.secret } };
      expect((await api.request('POST', '/api/v1/auth/login', login)).status).toBe(401);
      expect(tenantsOf('CutOffRoleArn')).toEqual([{ tenant: org.orgId }]);
    });

    it('export in a session of the export role', async () => {
      account().forget();
      expect(await done('export', '--org', acme.orgId)).toMatch(/^\{"type":"Organization"/);
      expect(account().sessions).toEqual([{ roleArn: outputs().ExportRoleArn, tags: { tenant: acme.orgId } }]);
    });

    it('webhooks replay in a session of the replay role, which opens the data of the event', async () => {
      const event = { event_type: 'client.created', data: { name: 'Replayed' } };
      expect((await deliver(api, rival, event)).status).toBe(200);
      const { body } = await api.request<{ data: JsonBody[] }>('GET', '/api/v1/webhook-events', {
        token: rival.token,
      });
      account().forget();
      const replay = ['webhooks', 'replay', '--org', rival.orgId, '--event', String(body.data[0]?.id)];
      const again = await operator(...replay, '--json');
      expect([again.code, JSON.parse(again.stdout)]).toEqual([1, expect.objectContaining({ applied: false })]);
      expect(await done(...replay, '--again')).toMatch(/^Applied by createClient to /);
      expect(await done('webhooks', 'replay', '--help')).toMatch(/--again/);
      const role = { roleArn: outputs().ReplayRoleArn, tags: { tenant: rival.orgId } };
      expect(account().sessions).toEqual([role, role]);
    });

    it('erase in sessions of the erasure role, also after it was interrupted', async () => {
      const org = await api.orgToken('Erased');
      await api.request('POST', '/api/v1/clients', { token: org.token, body: { name: 'x', slug: 'x' } });
      account().forget();
      const run = ['erase', '--org', org.orgId, '--yes', org.orgId];
      await done(...run, '--dry-run');
      await interruptErasure(api.table, org.orgId, (signal) => api.operatorUntil(signal, ...run));
      expect(JSON.parse(await done(...run, '--json'))).toMatchObject({ records: { Organization: 1, Client: 1 } });
      expect(new Set(account().sessions.map((session) => JSON.stringify(session)))).toEqual(
        new Set([JSON.stringify({ roleArn: outputs().ErasureRoleArn, tags: { tenant: org.orgId } })]),
      );
      const left = (await dumpOf(api.table)).filter((item) => JSON.stringify(item).includes(org.orgId));
      expect(left.map(({ PK }) => PK?.S)).toEqual([`SUSPENDED#${org.orgId}`]);
      expect((await api.request('GET', '/api/v1/clients', { token: org.token })).status).toBe(403);
      expect((await operator('verify', '--org', 'platform')).code).toBe(0);
    });
  });

  describe('the operator verifies a tenant', () => {
    const maintenance = () => outputs().MaintenanceRoleArn;

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

    it('of all tenants in a session for each, and none for two', async () => {
      account().forget();
      const { code, stdout, stderr } = await operator('verify', '--all', '--json');
      expect([code, JSON.parse(stdout)], stderr).toEqual([0, expect.objectContaining({ differences: [], failed: [] })]);
      expect(account().refusals).toEqual([]);
      const tenants = account().sessions.map(({ roleArn, tags }) => [roleArn, tags.tenant]);
      for (const tenant of ['PLATFORM', acme.orgId, rival.orgId])
        expect(tenants).toContainEqual([maintenance(), tenant]);
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
      const { code, stdout } = await operator('verify', '--org', rival.orgId, '--repair');
      expect([code, stdout]).toEqual([0, expect.stringMatching(/Differences: 3\. Repaired: 3\.\n$/)]);
      expect(account().refusals).toEqual([]);
      expect((await operator('verify', '--org', rival.orgId)).stdout).toMatch(/Differences: 0\./);
    });

    it('changes no audit event: what would have to be written there stays as it is, and is reported', async () => {
      const [event] = await keysIn(`ORG#${rival.orgId}#AUDIT_EVENT`);
      await update(event, 'REMOVE #SETS');
      const { code, stdout } = await operator('verify', '--org', rival.orgId, '--repair');
      expect([code, stdout]).toEqual([
        1,
        expect.stringMatching(/\(not repaired: these credentials may not change it\)\n/),
      ]);
      expect(account().refusals).not.toEqual([]);
    });
  });
}
