import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type OrgAccess, startApi } from '../support/api.ts';
import { interruptErasure } from '../support/interrupted-erasure.ts';
import { runOperator } from '../support/operator.ts';
import { dumpOf } from '../support/table-dump.ts';
import { callsOf } from '../support/tenant-calls.ts';

/** `custodia erase` as it is run. What it deletes, and crashes anywhere: `erase.sampled.test.ts`. */

let api: Api;
let org: OrgAccess;
beforeAll(async () => {
  api = await startApi();
  org = await api.orgToken();
  await callsOf(api, org.token).create('/api/v1/clients', { name: 'Bistro' });
});
afterAll(() => api.close());

const erase = (...options: string[]) => runOperator(['erase', '--table', api.table.tableName, ...options]);
const itemsOf = async (orgId: string): Promise<number> =>
  (await dumpOf(api.table)).filter(({ PK }) => PK?.S?.startsWith(`ORG#${orgId}#`)).length;

describe('custodia erase', () => {
  it('--dry-run counts, and changes nothing', async () => {
    const before = await dumpOf(api.table);
    const { code, stdout, stderr } = await erase('--org', org.orgId, '--dry-run', '--json');
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({
      org_id: org.orgId,
      dry_run: true,
      records: { Organization: 1, AuditEvent: 2, Client: 1, ClientAction: 1, Integration: 1 },
    });
    expect((await erase('--org', org.orgId, '--dry-run')).stdout).toMatch(
      /^ +1 {2}Organization\n[\s\S]*\nNothing was erased\.\n$/,
    );
    expect(await dumpOf(api.table)).toEqual(before);
  });

  it.each([
    ['a missing id', ['--org', randomUUID(), '--yes'], /^error: option '--yes <id>' argument missing\n$/],
    ['one that is not there', ['--org', '0b6f7a52-1c6e-4a3d-9f58-7d2c4e1b9a60'], /^There is no organization .*\.\n$/],
    ['the platform', ['--org', 'platform'], /^--org must be the id of an organization\.\n$/],
  ])('says in a line what is wrong with %s', async (_, options, sentence) => {
    const { code, stdout, stderr } = await erase(...options);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(sentence)]);
  });

  it('does nothing without a confirmation', async () => {
    const before = await dumpOf(api.table);
    expect(await erase('--org', org.orgId)).toMatchObject({
      code: 2,
      stderr: 'Without a terminal to ask, confirm with --yes and the id of the organization.\n',
    });
    expect(await erase('--org', org.orgId, '--yes', randomUUID())).toMatchObject({
      code: 2,
      stderr: `--yes must be the same id as --org, ${org.orgId}.\n`,
    });
    expect(await erase('--org', org.orgId, '--yes', 'wrong')).toMatchObject({
      code: 2,
      stderr: `--yes must be the same id as --org, ${org.orgId}.\n`,
    });
    expect(await dumpOf(api.table)).toEqual(before);
  });

  it('goes on where it was interrupted, without being told again, and prints the receipt each time', async () => {
    const interrupted = await interruptErasure(api.table, org.orgId, (signal) =>
      runOperator(['erase', '--table', api.table.tableName, '--org', org.orgId, '--yes', org.orgId], {}, { signal }),
    );
    expect(interrupted.code).not.toBe(0);
    expect(JSON.parse((await erase('--org', org.orgId, '--dry-run', '--json')).stdout)).toMatchObject({
      records: { Organization: 1, Client: 1 },
    });
    const { code, stdout, stderr } = await erase('--org', org.orgId, '--json');
    const receipt = JSON.parse(stdout);
    expect([code, stderr]).toEqual([0, '']);
    expect(receipt).toMatchObject({ org_id: org.orgId, records: { Organization: 1, Client: 1 }, swept: false });
    expect(await itemsOf(org.orgId)).toBe(0);
    expect(JSON.parse((await erase('--org', org.orgId, '--json')).stdout)).toEqual(receipt);

    const swept = await erase('--org', org.orgId, '--sweep');
    expect(swept.stdout).toMatch(
      new RegExp(`\\n${org.orgId} is erased\\. Begun ${receipt.began_at}, done ${receipt.erased_at}\\.\\n$`),
    );
    expect(swept.stdout).not.toMatch(/looked through/);
  });
});
