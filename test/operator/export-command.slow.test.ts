import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { exportedKinds } from '../../operator/export.ts';
import type { JsonBody, OrgAccess } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { freshDirectory } from '../support/directory.ts';
import { runOperatorAgain } from '../support/operator.ts';
import { operations, PLATFORM_ONLY, TestTenant } from '../support/scenario.ts';
import { dumpOf, foundIn } from '../support/table-dump.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** `custodia export` as it is run, of an organization in which every operation was played. */

const SECRETS = { credentials: 'a-credential-of-a-service', event: 'a-secret-in-an-event' };

const api = useApi();
let org: OrgAccess;
beforeAll(async () => {
  org = await api.orgToken();
  await api.orgToken('Another');
  const testTenant = new TestTenant(api, org);
  for (const [id, { method }] of operations) {
    if (method !== 'GET' && !PLATFORM_ONLY.has(id) && id !== 'revokeTokens')
      await testTenant.send(await testTenant.scenario(id));
  }
  const calls = callsOf(api, org.token);
  const client_id = await testTenant.reference('Client');
  await calls.create('/api/v1/services', {
    client_id,
    name: 'Till',
    type: 'saas',
    credentials: { password: SECRETS.credentials },
  });
  await deliver(api, org, { event_type: 'invoice.paid', data: { secret: SECRETS.event } });
});

const exported = (...options: string[]) => runOperatorAgain(['export', '--table', api.table.tableName, ...options]);

interface Line {
  readonly type: string;
  readonly record: JsonBody;
}
const linesIn = (text: string): Line[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

/** Where a record of a type is read one by one. */
const READ_AT: Readonly<Record<string, string>> = {
  AuditEvent: '/api/v1/audit-events/',
  Client: '/api/v1/clients/',
  Integration: '/api/v1/integrations/',
  Membership: '/api/v1/memberships/',
  Organization: '/api/v1/orgs/',
  Resource: '/api/v1/resources/',
  Service: '/api/v1/services/',
  ServiceAction: '/api/v1/service-actions/',
  Terminal: '/api/v1/terminals/',
  Ticket: '/api/v1/tickets/',
  User: '/api/v1/users/',
  WebhookEvent: '/api/v1/webhook-events/',
};

describe('custodia export', () => {
  it('writes every record as the API returns it, with null for secrets', async () => {
    const { code, stdout, stderr } = await exported('--org', org.orgId);
    expect(code, stderr).toBe(0);
    const lines = linesIn(stdout);
    const declared = exportedKinds.flatMap(({ entity, below }) => [entity, ...below]);
    // Of each kind there is one at least, and the organization.
    expect(new Set(lines.map(({ type }) => type)).size).toBe(declared.length + 1);
    const read = lines.filter(({ type }) => READ_AT[type] !== undefined);
    expect(new Set(read.map(({ type }) => type)).size).toBe(Object.keys(READ_AT).length);
    for (const { type, record } of read) {
      const { status, body } = await callsOf(api, org.token).ask('GET', `${READ_AT[type]}${record.id}`);
      const secret = type === 'WebhookEvent' ? { data: null } : 'credentials' in body ? { credentials: null } : {};
      expect([status, record], type).toEqual([200, { ...body, ...secret }]);
    }
    expect(stderr).toMatch(/^ +1 {2}Organization\n[\s\S]*\nRecords: \d+\.\n$/);
    expect(stderr).toContain(`Records: ${lines.length}.`);
  });

  it('counts as many as the lists of the API, and the messages of a ticket, the actions of a client, the samples of a resource', async () => {
    const lines = linesIn((await exported('--org', org.orgId)).stdout);
    const calls = callsOf(api, org.token);
    const count = (type: string, of: JsonBody = {}) =>
      lines.filter(({ type: own, record }) => own === type && Object.entries(of).every(([k, v]) => record[k] === v))
        .length;
    for (const [type, path] of [
      ['Client', 'clients'],
      ['Resource', 'resources'],
      ['Service', 'services'],
      ['Ticket', 'tickets'],
      ['User', 'users'],
      ['LogEntry', 'logs'],
      ['AuditEvent', 'audit-events'],
      ['WebhookEvent', 'webhook-events'],
      ['Role', 'roles'],
    ] as const)
      expect(count(type), type).toBe((await calls.read(`/api/v1/${path}`)).total);
    for (const { type, record } of lines) {
      const below = {
        Ticket: ['messages', 'TicketMessage', 'ticket_id'],
        Client: ['actions', 'ClientAction', 'client_id'],
      };
      const [list, child, field] = below[type as keyof typeof below] ?? [];
      if (list === undefined || child === undefined || field === undefined) continue;
      const path = `/api/v1/${type.toLowerCase()}s/${record.id}/${list}`;
      expect(count(child, { [field]: record.id }), path).toBe((await calls.read(path)).data.length);
    }
  });

  it('writes no secret, and nothing of another tenant', async () => {
    const { stdout } = await exported('--org', org.orgId);
    const items = await dumpOf(api.table);
    const hidden = items.flatMap((item) => {
      const credentials = item.credentials?.S ?? (item.PK?.S?.endsWith('#WEBHOOK_EVENT') ? item.data?.S : undefined);
      return [credentials, ...(item.secrets?.L ?? []).flatMap(({ M }) => [M?.hash?.S, M?.encrypted?.S])];
    });
    const texts = hidden.filter((text) => text !== undefined);
    expect(texts.length).toBeGreaterThan(5);
    for (const text of [...texts, org.secret, ...Object.values(SECRETS)]) expect(stdout).not.toContain(text);
    // They are there to be found.
    expect(foundIn(items, texts)).toHaveLength(new Set(texts).size);
    expect(stdout).not.toContain('Another');
  });

  it('into a file leaves standard output to the summary, and the file to its owner', async () => {
    const file = join(await freshDirectory(), 'acme.ndjson');
    const { code, stdout, stderr } = await exported('--org', org.orgId, '--out', file, '--json');
    expect([code, stderr]).toEqual([0, '']);
    const lines = linesIn(await readFile(file, 'utf8'));
    expect(JSON.parse(stdout)).toMatchObject({ org_id: org.orgId, total: lines.length, records: { Organization: 1 } });
    expect([(await stat(file)).mode & 0o777, existsSync(`${file}.partial`)]).toEqual([0o600, false]);
  });

  it('ends without a word where its reader goes', async () => {
    // It goes at once, for one that reads a line may go when all is written.
    const script = '"$0" bin/operator.ts export --table "$1" --org "$2" | :; echo $PIPESTATUS';
    const args = ['--norc', '-c', script, process.execPath, api.table.tableName, org.orgId];
    const { stdout, stderr } = await promisify(execFile)('bash', args, { cwd: join(import.meta.dirname, '../..') });
    expect([stdout, stderr]).toEqual(['2\n', '']);
  });

  it('of the platform has its integrations', async () => {
    const lines = linesIn((await exported('--org', 'platform')).stdout);
    expect(lines.find(({ type }) => type === 'Integration')?.record).toMatchObject({
      app_code: 'platform',
      org_id: null,
    });
  });
});
