import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OrgAccess } from '../support/api.ts';
import { freshDirectory } from '../support/directory.ts';
import { runOperatorAgain } from '../support/operator.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** `custodia import` as it is run. */

const api = useApi();
let org: OrgAccess;
beforeAll(async () => {
  org = await api.orgToken();
});

async function fileOf(text: string, name = 'clients.csv'): Promise<string> {
  const file = join(await freshDirectory(), name);
  await writeFile(file, text);
  return file;
}

const run = (
  file: string,
  options: readonly string[],
  { secret = org.secret, appCode = org.appCode, url = api.url } = {},
) => runOperatorAgain(['import', file, '--app-code', appCode, '--url', url, ...options], { CUSTODIA_SECRET: secret });

const clients = async () => (await callsOf(api, org.token).read('/api/v1/clients?page_size=1')).total as number;

describe('custodia import', () => {
  it('imports a file, says what it did, and does nothing when it is given again', async () => {
    const before = await clients();
    const file = await fileOf('name\nAcme\nBistro\n');
    const first = await run(file, ['--type', 'client']);
    const report = `${file}.report.ndjson`;
    const made = `        2  Client\nCreated: 2, updated: 0, failed: 0. The result of each is in "${report}".\n`;
    expect(first).toEqual({ code: 0, stdout: made, stderr: '' });
    const again = await run(file, ['--type', 'client', '--json']);
    expect([again.code, JSON.parse(again.stdout)]).toEqual([
      0,
      expect.objectContaining({ counts: { Client: 2 }, before: 2, created: 0, failed: 0, report }),
    ]);
    expect(await clients()).toBe(before + 2);
    expect(`${await readFile(report, 'utf8')}${first.stdout}${again.stdout}`).not.toContain(org.secret);
  });

  it('sends nothing of a file with mistakes, unless it is to leave them out', async () => {
    const before = await clients();
    const file = await fileOf('name,slug\nAcme,UPPER\nBistro,\n');
    for (const options of [[], ['--dry-run']]) {
      const { code, stdout } = await run(file, ['--type', 'client', ...options]);
      expect([code, stdout]).toEqual([
        1,
        expect.stringMatching(
          /^Line 2, column 2 \(slug\), #\/slug: .*\n +1 {2}Client\nNothing was sent\. Lines with mistakes: 1;/,
        ),
      ]);
    }
    expect(await clients()).toBe(before);
    const { code, stdout } = await run(file, ['--type', 'client', '--skip-invalid']);
    expect([code, stdout]).toEqual([1, expect.stringContaining('Created: 1, updated: 0, failed: 1.')]);
    expect(await clients()).toBe(before + 1);
  });

  it('of a platform integration makes what only the platform may, in the organization that is named', async () => {
    const body = { app_code: `mover-${org.appCode}`, display_name: 'Mover', org_id: null };
    const made = await callsOf(api, await api.platformToken()).create('/api/v1/integrations', body);
    const caller = { appCode: body.app_code, secret: String(made.secret) };
    const lines = [
      { type: 'Role', record: { id: 'a', code: 'owner', label: 'Owner', is_system: true, org_id: 'b' } },
      { type: 'User', record: { id: 'c', email: 'root@acme.example', is_superadmin: true } },
    ];
    const file = await fileOf(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), 'acme.ndjson');
    const refused = await run(file, ['--report', `${file}.own`]);
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('Created: 0, updated: 0, failed: 2.')]);
    const { slug } = await callsOf(api, org.token).read(`/api/v1/orgs/${org.orgId}`);
    expect((await run(file, ['--org', 'nobody'], caller)).stderr).toBe('There is no organization "nobody".\n');
    const { code, stdout, stderr } = await run(file, ['--org', String(slug)], caller);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Created: 2, updated: 0, failed: 0.')]);
    expect(stderr).toContain(`${slug} is ${org.orgId}, "`);
    const { data } = await callsOf(api, org.token).read('/api/v1/users');
    expect(data).toContainEqual(expect.objectContaining({ email: 'root@acme.example', is_superadmin: true }));
  });

  it('says what the API refuses, and ends with 1', async () => {
    await callsOf(api, org.token).create('/api/v1/clients', { name: 'A', slug: 'same' });
    const file = await fileOf('name,slug\nA,other\nB,same\n');
    const { code, stdout } = await run(file, ['--type', 'client']);
    expect([code, stdout]).toEqual([1, expect.stringContaining('Created: 1, updated: 0, failed: 1.')]);
    expect(await readFile(`${file}.report.ndjson`, 'utf8')).toMatch(/"status":409,.*:already-exists/);
  });

  it.each<[string, string[], Parameters<typeof run>[2], string]>([
    ['without a secret', ['--type', 'client'], { secret: '' }, 'its secret in the variable CUSTODIA_SECRET'],
    ['with a wrong one', ['--type', 'client'], { secret: 'x'.repeat(40) }, 'Nothing was sent: CustodiaProblem: 401'],
    [
      'where nothing listens',
      ['--type', 'client'],
      { url: 'http://127.0.0.1:9' },
      'no API answers at http://127.0.0.1:9',
    ],
    ['over an open network', ['--type', 'client'], { url: 'http://api.example.com' }, 'It must be an https address'],
    ['of an unknown kind', ['--type', 'integration'], {}, 'Allowed choices are client, '],
    ['of no kind', [], {}, 'CSV needs --type'],
  ])('fails with a sentence and 2: %s', async (_, options, caller, sentence) => {
    const file = await fileOf('name\nAcme\n');
    const { code, stdout, stderr } = await run(file, options, caller);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(sentence)]);
    // A report would be of this integration and this address.
    expect(await readdir(dirname(file))).toEqual([basename(file)]);
  });
});
