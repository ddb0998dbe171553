import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordsPartition } from '../../shared/table/keys.ts';
import { numberOf, sortKeyOf } from '../../shared/table/lists/ids.ts';
import { environmentSession } from '../../shared/table/session.ts';
import { Tenant } from '../../shared/table/tenant.ts';
import { type Api, type OrgAccess, startApi } from '../support/api.ts';
import { runOperator } from '../support/operator.ts';
import { tableAt } from '../support/storage.ts';

/** `custodia verify` as it is run. What it finds and repairs: `verify.sampled.test.ts`. */

let api: Api;
let org: OrgAccess;
let clientId: string;
beforeAll(async () => {
  api = await startApi();
  org = await api.orgToken();
  clientId = await client({ name: 'Bistro', slug: 'bistro' });
});
afterAll(() => api.close());

async function client(body: { name: string; slug: string }): Promise<string> {
  const { body: created } = await api.request('POST', '/api/v1/clients', { token: org.token, body });
  return String(created.id);
}

const operator = (...options: string[]) => runOperator(['verify', '--table', api.table.tableName, ...options]);

async function set(id: string, field: string, value: unknown): Promise<void> {
  const { client, name } = tableAt(api.table);
  const tenant = Tenant.ofOperator(org.orgId, environmentSession(1_000));
  await client.send(
    new UpdateCommand({
      TableName: name,
      Key: { PK: recordsPartition(tenant.id, 'CLIENT'), SK: sortKeyOf(numberOf(id)) },
      UpdateExpression: 'SET #field = :value',
      ExpressionAttributeNames: { '#field': field },
      ExpressionAttributeValues: { ':value': value },
    }),
  );
}

describe('custodia verify', () => {
  it('says that nothing differs', async () => {
    expect(await operator('--org', org.orgId)).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Records looked at: [1-9]\d*\. Differences: 0\. Repaired: 0\.\n$/),
      stderr: '',
    });
    expect((await operator('--org', 'platform')).stdout).toMatch(/^Records looked at: [1-9]\d*\. Differences: 0\./);
  });

  it('prints a line for each difference, and repairs them if told so', async () => {
    await set(clientId, 'services_count', 7);
    const line = `CLIENT ${clientId} services_count is 7, counted are 0`;
    const found = await operator('--org', org.orgId.toUpperCase());
    expect([found.code, found.stdout.split('\n').slice(0, -1), found.stderr]).toEqual([
      1,
      [line, expect.stringMatching(/Differences: 1\. Repaired: 0\.$/)],
      '',
    ]);
    const repaired = await operator('--org', org.orgId, '--repair');
    expect([repaired.code, repaired.stdout.split('\n').slice(0, -1)]).toEqual([
      0,
      [`${line} (repaired)`, expect.stringMatching(/Differences: 1\. Repaired: 1\.$/)],
    ]);
    expect((await operator('--org', org.orgId)).code).toBe(0);
  });

  it('looks at all tenants, and tells of each what differs', async () => {
    await set(clientId, 'services_count', 7);
    const found = await operator('--all', '--json');
    expect([found.code, JSON.parse(found.stdout)]).toEqual([
      1,
      {
        tenants: 2,
        earlier: 0,
        records: expect.any(Number),
        differences: [expect.objectContaining({ org_id: org.orgId, kind: 'counter', repaired: false })],
        repaired: 0,
        tombstones: 0,
        units: expect.any(Number),
        failed: [],
      },
    ]);
    const { code, stdout } = await operator('--all', '--repair');
    expect([code, stdout.split('\n').slice(0, -1)]).toEqual([
      0,
      [
        `${org.orgId}: CLIENT ${clientId} services_count is 7, counted are 0 (repaired)`,
        'Tenants verified: 2. Failed: 0.',
        expect.stringMatching(/^Records looked at: \d+\. Differences: 1\. Repaired: 1\.$/),
        expect.stringMatching(/^Units of DynamoDB, read and written: \d+\.$/),
      ],
    ]);
  });

  it('says what it leaves to people, and does not call that a success', async () => {
    const other = await client({ name: 'Other', slug: 'other' });
    await set(other, 'slug', 'bistro');
    const { code, stdout } = await operator('--org', org.orgId, '--repair');
    expect([code, stdout]).toEqual([1, expect.stringMatching(/is the value of .* and .* \(not repaired\)\n/)]);
    await set(other, 'slug', 'other');
    expect((await operator('--org', org.orgId, '--repair')).code).toBe(0);
  });

  it.each([
    [
      'an unknown organization',
      ['--org', '0b6f7a52-1c6e-4a3d-9f58-7d2c4e1b9a60'],
      /^There is no organization 0b6f.*\.\n$/,
    ],
    ['what is no id', ['--org', '*'], /^--org must be the id of an organization, or "platform"\.\n$/],
    ['no organization', [], /^Name an organization with --org, or all with --all\.\n$/],
    [
      'one and all',
      ['--org', 'platform', '--all'],
      /^error: option '--org <id>' cannot be used with option '--all'\n$/,
    ],
    ['none at the same time', ['--all', '--concurrency', '0'], /It must be a whole number from 1 to 16\.\n$/],
    ['too many at the same time', ['--all', '--concurrency', '17'], /It must be a whole number from 1 to 16\.\n$/],
    ['progress with one', ['--org', 'platform', '--progress', 'x'], /^--concurrency and --progress go with --all\.\n$/],
    [
      'two places',
      ['--org', 'platform', '--local'],
      /^error: option '--local' cannot be used with option '--table <name>'\n$/,
    ],
    ['a table that is not there', ['--org', 'platform', '--table', 'none'], /^There is no table none\.\n$/],
    [
      'outputs of another stack',
      ['--org', 'platform', '--outputs', 'package.json'],
      /^--outputs must name a file .*\.\n$/,
    ],
  ])('says in a line what is wrong with %s', async (_, options, sentence) => {
    const { code, stdout, stderr } = await operator(...options);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(sentence)]);
  });

  it('says in a line that nothing is named to work on', async () => {
    const { code, stderr } = await runOperator(['verify', '--org', randomUUID()]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^Name the stack with .* --local\.\n$/)]);
  });
});
