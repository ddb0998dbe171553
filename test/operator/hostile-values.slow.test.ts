import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type OrgAccess, startApi } from '../support/api.ts';
import { isExecutable } from '../support/executable.ts';
import { runOperator } from '../support/operator.ts';

/** What an organization is called must not deceive the operator who reads it (`local/terminal/output.ts`). */

const VICTIM = '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d';
const NAME = `Mallory\n${VICTIM}  2026-01-01T00:00:00.000Z  victim  Victim\r\x1b[2K\x9b2K\u202e`;
const SHOWN = `"Mallory\\n${VICTIM}  2026-01-01T00:00:00.000Z  victim  Victim\\r\\u{1b}[2K\\u{9b}2K\\u{202e}"`;

let api: Api;
let org: OrgAccess;
beforeAll(async () => {
  api = await startApi();
  org = await api.orgToken(NAME);
});
afterAll(() => api.close());

const operator = (...args: string[]) => runOperator([...args, '--table', api.table.tableName]);

describe('a name with line breaks and commands of terminals', () => {
  it('makes no line of its own in a list, and is in JSON what it is', async () => {
    const { stdout } = await operator('organizations', 'list');
    expect(stdout.split('\n')).toEqual([expect.stringMatching(new RegExp(`^${org.orgId}  `)), 'Organizations: 1.', '']);
    expect(stdout).toContain(`  ${SHOWN}\n`);
    const listed = (await operator('organizations', 'list', '--json')).stdout;
    expect(JSON.parse(listed)).toMatchObject([{ id: org.orgId, name: NAME }]);
    expect(listed).toMatch(/^[\x20-\x7e\n]*$/);
    expect((await operator('export', '--org', org.orgId)).stdout).toMatch(/^[\x20-\x7e\n]*$/);
  });

  it.skipIf(!isExecutable('/usr/bin/script'))(
    'does not rewrite the question before an organization is erased',
    async () => {
      const entry = join(import.meta.dirname, '../../bin/operator.ts');
      const command = `${process.execPath} ${entry} erase --org ${org.orgId} --table ${api.table.tableName}`;
      const asked = promisify(execFile)('/usr/bin/script', ['-qec', command, '/dev/null'], { encoding: 'utf8' });
      asked.child.stdin?.end('no\n');
      const { stdout } = await asked.catch((error: { stdout: string }) => error);
      expect(stdout).toContain(`This deletes ${org.orgId}, ${SHOWN}, for good. Type its slug (`);
      expect(stdout).toContain('Nothing was erased.');
    },
  );
});

describe('what goes wrong', () => {
  it.each([
    [['export', '--org', 'a\x1b[2K\nb'], '--org must be the id of an organization, or "platform".'],
    [['platform-keys', 'disable', '--app-code', 'a\x1b\nb\u202e'], 'The platform has no key a\x1b\nb\u202e: '],
    [['verify', '--org', VICTIM, '--a\x1b\u202eb'], "unknown option '--a\x1b\u202eb'"],
    [['verify'], 'Name an organization with --org, or all with --all.'],
  ])('with %j is said in one line, and as JSON with --json', async (args, message) => {
    const said = await operator(...args);
    expect([said.code, said.stdout]).toEqual([2, '']);
    expect(said.stderr).toMatch(/^[\x20-\x7e]+\n$/);
    const { code, stdout, stderr } = await operator(...args, '--json');
    expect([code, stderr]).toEqual([2, '']);
    expect(JSON.parse(stdout)).toEqual({ error: expect.stringContaining(message) });
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/);
  });
});
