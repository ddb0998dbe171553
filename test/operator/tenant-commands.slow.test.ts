import { randomUUID } from 'node:crypto';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { ids } from '@custodia/counted-lists';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type OrgAccess, startApi } from '../support/api.ts';
import { interruptErasure } from '../support/interrupted-erasure.ts';
import { runOperator, runOperatorAgain } from '../support/operator.ts';
import { dumpOf } from '../support/table-dump.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';

/** The commands that work on one organization, as they are run. What they do is tested without processes. */

let api: Api;
let org: OrgAccess;
let calls: Calls;
let clientId: string;
beforeAll(async () => {
  api = await startApi();
  org = await api.orgToken('Acme');
  calls = callsOf(api, org.token);
  clientId = (await calls.create('/api/v1/clients', { name: 'Bistro', slug: 'bistro' })).id;
});
afterAll(() => api.close());

const operator = (...args: string[]) => runOperatorAgain([...args, '--table', api.table.tableName]);
const json = async (...args: string[]) => JSON.parse((await operator(...args, '--json')).stdout);

describe('custodia verify', () => {
  const verify = (...options: string[]) => operator('verify', ...options);
  const set = (id: string, field: string, value: { N: string } | { S: string }) =>
    api.table.client.send(
      new UpdateItemCommand({
        TableName: api.table.tableName,
        Key: { PK: { S: `ORG#${org.orgId}#CLIENT` }, SK: { S: ids.sortKeyOf(ids.numberOf(id)) } },
        UpdateExpression: 'SET #field = :value',
        ExpressionAttributeNames: { '#field': field },
        ExpressionAttributeValues: { ':value': value },
      }),
    );

  it.each([() => org.orgId, () => 'platform'])('says that nothing differs', async (id) => {
    expect(await verify('--org', id())).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Records looked at: [1-9]\d*\. Differences: 0\. Repaired: 0\.\n$/),
      stderr: '',
    });
  });

  it('prints a line for each difference, of one organization or of all, and repairs them on request', async () => {
    await set(clientId, 'services_count', { N: '7' });
    const line = `CLIENT ${clientId} services_count is 7, counted are 0`;
    const found = await verify('--org', org.orgId.toUpperCase());
    expect([found.code, found.stdout.split('\n').slice(0, -1), found.stderr]).toEqual([
      1,
      [line, expect.stringMatching(/Differences: 1\. Repaired: 0\.$/)],
      '',
    ]);
    expect(await json('verify', '--all')).toEqual({
      tenants: 2,
      earlier: 0,
      records: expect.any(Number),
      differences: [expect.objectContaining({ org_id: org.orgId, kind: 'counter', repaired: false })],
      repaired: 0,
      tombstones: 0,
      units: expect.any(Number),
      failed: [],
    });
    const { code, stdout } = await verify('--all', '--repair');
    expect([code, stdout.split('\n').slice(0, -1)]).toEqual([
      0,
      [
        `${org.orgId}: ${line} (repaired)`,
        'Tenants verified: 2. Failed: 0.',
        expect.stringMatching(/^Records looked at: \d+\. Differences: 1\. Repaired: 1\.$/),
        expect.stringMatching(/^Units of DynamoDB, read and written: \d+\.$/),
      ],
    ]);
    expect((await verify('--org', org.orgId)).code).toBe(0);
  });

  it('says what it leaves to people, and does not call that a success', async () => {
    const { id } = await calls.create('/api/v1/clients', { name: 'Other', slug: 'other' });
    await set(id, 'slug', { S: 'bistro' });
    const { code, stdout } = await verify('--org', org.orgId, '--repair');
    expect([code, stdout]).toEqual([1, expect.stringMatching(/is the value of .* and .* \(not repaired\)\n/)]);
    await set(id, 'slug', { S: 'other' });
    expect((await verify('--org', org.orgId, '--repair')).code).toBe(0);
  });
});

describe('custodia organizations', () => {
  it('suspend and resume say what they have done, and list says who is suspended', async () => {
    const other = await api.orgToken('Other');
    const suspend = () => operator('organizations', 'suspend', '--org', org.orgId);
    expect(await suspend()).toEqual({
      code: 0,
      stdout: `${org.orgId} is suspended: all of its keys are refused.\n`,
      stderr: '',
    });
    expect((await calls.ask('GET', '/api/v1/clients')).status).toBe(403);
    expect(await json('organizations', 'list')).toMatchObject([
      { id: org.orgId, name: 'Acme', suspension: { state: 'suspended' } },
      { id: other.orgId, name: 'Other', suspension: null },
    ]);
    expect((await operator('organizations', 'list')).stdout.split('\n')).toEqual([
      expect.stringMatching(/^[\da-f-]{36} {2}\S+Z {2}org-[\da-f-]{36} {2}"Acme" {2}\(suspended since .*Z\)$/),
      expect.stringMatching(/"Other"$/),
      'Organizations: 2.',
      '',
    ]);
    const repeated = await suspend();
    expect([repeated.code, repeated.stdout]).toEqual([0, expect.stringMatching(/is suspended since .* already\.\n$/)]);
    expect((await operator('organizations', 'resume', '--org', org.orgId)).stdout).toBe(
      `${org.orgId} is resumed: its keys work again.\n`,
    );
    expect((await calls.ask('GET', '/api/v1/clients')).status).toBe(200);
    expect(await json('organizations', 'resume', '--org', org.orgId)).toEqual({
      org_id: org.orgId,
      state: 'active',
      changed: false,
    });
  });
});

describe('an organization', () => {
  const listed = (named: string) => operator('integrations', 'list', '--org', named, '--json');
  let platform: Calls;
  const slugOf = async ({ orgId }: OrgAccess): Promise<string> =>
    String((await platform.read(`/api/v1/orgs/${orgId}`)).slug);
  beforeAll(async () => {
    platform = callsOf(api, await api.platformToken());
  });

  it('is named by its slug or by an app code, and the command says whom it has found', async () => {
    const slug = await slugOf(org);
    for (const [named, known] of [
      [slug, '"Acme"'],
      [org.appCode, `which has the app code ${org.appCode}`],
    ] as const) {
      const { code, stdout, stderr } = await listed(named);
      expect([code, stderr]).toEqual([0, `${named} is ${org.orgId}, ${known}.\n`]);
      expect(JSON.parse(stdout)).toMatchObject([{ app_code: org.appCode }]);
    }
  });

  it('is found by no text that names two, or none', async () => {
    const namesake = await api.orgToken('Namesake');
    for (const text of [await slugOf(org), org.appCode]) {
      await platform.ask('PATCH', `/api/v1/orgs/${namesake.orgId}`, { slug: text });
      const { code, stdout } = await listed(text);
      const { error } = JSON.parse(stdout);
      expect([code, error]).toEqual([2, expect.stringContaining(`"${text}" is more than one: name `)]);
      expect(error).toContain(org.orgId);
      expect(error).toContain(namesake.orgId);
    }
    const none = 'There is no organization "nobody".';
    expect(await listed('nobody')).toMatchObject({ code: 2, stdout: expect.stringContaining(JSON.stringify(none)) });
  });

  it('is not the platform, whose app codes name it as well', async () => {
    const body = { app_code: `ops-${org.appCode}`, display_name: 'Operations', org_id: null };
    await platform.create('/api/v1/integrations', body);
    expect((await operator('verify', '--org', body.app_code)).stderr).toBe(
      `${body.app_code} is PLATFORM, which has the app code ${body.app_code}.\n`,
    );
    for (const named of [body.app_code, 'platform']) {
      const { code, stderr } = await operator('organizations', 'suspend', '--org', named);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/ is the platform\.\n$/)]);
    }
  });
});

describe('custodia erase', () => {
  const erase = (...options: string[]) => operator('erase', '--org', org.orgId, ...options);

  it('changes nothing with --dry-run, which counts, and nothing without a confirmation', async () => {
    const before = await dumpOf(api.table);
    expect(await json('erase', '--org', org.orgId, '--dry-run')).toMatchObject({
      org_id: org.orgId,
      dry_run: true,
      records: { Organization: 1, Client: 2, Integration: 1 },
    });
    expect((await erase('--dry-run')).stdout).toMatch(/^ +1 {2}Organization\n[\s\S]*\nNothing was erased\.\n$/);
    const confirm = 'Without a terminal to ask, confirm with --yes and the id of the organization.\n';
    expect(await erase()).toMatchObject({ code: 2, stderr: confirm });
    for (const wrong of [randomUUID(), 'wrong']) {
      const stderr = `--yes must be the same id as --org, ${org.orgId}.\n`;
      expect(await erase('--yes', wrong)).toMatchObject({ code: 2, stderr });
    }
    expect(await dumpOf(api.table)).toEqual(before);
  });

  it('continues where it was interrupted, without a new confirmation, and prints the receipt each time', async () => {
    const args = ['erase', '--table', api.table.tableName, '--org', org.orgId, '--yes', org.orgId];
    const interrupted = await interruptErasure(api.table, org.orgId, (signal) => runOperator(args, {}, { signal }));
    expect(interrupted.code).not.toBe(0);
    const records = { Organization: 1, Client: 2 };
    expect(await json('erase', '--org', org.orgId, '--dry-run')).toMatchObject({ records });
    const { code, stdout, stderr } = await erase('--json');
    const receipt = JSON.parse(stdout);
    expect([code, stderr]).toEqual([0, '']);
    expect(receipt).toMatchObject({ org_id: org.orgId, records, swept: false });
    const left = (await dumpOf(api.table)).filter(({ PK }) => PK?.S?.startsWith(`ORG#${org.orgId}#`));
    expect([left, await json('erase', '--org', org.orgId)]).toEqual([[], receipt]);
    const swept = (await erase('--sweep')).stdout;
    const ending = `\n${org.orgId} is erased. Begun ${receipt.began_at}, done ${receipt.erased_at}.\n`;
    expect([swept.includes(ending), swept.includes('looked through')]).toEqual([true, false]);
  });
});
