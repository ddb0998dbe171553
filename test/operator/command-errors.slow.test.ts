import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { startFakeKms } from '../auth/fake-kms.ts';
import { isExecutable } from '../support/executable.ts';
import { runOperatorAgain } from '../support/operator.ts';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';

/**
 * Errors for the operator in one line, in which no name of an organization can deceive (`local/terminal/output.ts`).
 */

const UNKNOWN = '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d';
const NAME = `Mallory\n${UNKNOWN}  2026-01-01T00:00:00.000Z  victim  Victim\r\x1b[2K\x9b2K\u202e`;
const SHOWN = `"Mallory\\n${UNKNOWN}  2026-01-01T00:00:00.000Z  victim  Victim\\r\\u{1b}[2K\\u{9b}2K\\u{202e}"`;

const api = useApi();
const kms = prepared(startFakeKms);
const org = prepared(() => api.orgToken(NAME));
afterAll(() => kms.stop());

/** Runs a command on the table of the test, which comes before its other options. */
function operator(...args: string[]) {
  const options = args.findIndex((arg) => arg.startsWith('--'));
  const named = args.toSpliced(options < 0 ? args.length : options, 0, '--table', api.table.tableName);
  return runOperatorAgain(named, { AWS_ENDPOINT_URL_KMS: kms.endpoint });
}

describe('the operator gets an error in one line', () => {
  const NONE = /^There is no organization .*\.\n$/;
  it.each<[string, RegExp]>([
    [`verify --org ${UNKNOWN}`, NONE],
    ['verify --org *', /^--org must be the id, the slug or an app code of an organization, or "platform"\.\n$/],
    ['verify --all --concurrency 17', /It must be a whole number from 1 to 16\.\n$/],
    ['verify --org platform --progress x', /^--concurrency and --progress go with --all\.\n$/],
    ['verify --org platform --local', /^error: option '--local' cannot be used with option '--table <name>'\n$/],
    ['verify --org platform --table none', /^There is no table none\.\n$/],
    ['verify --org platform --outputs package.json', /^--outputs must name a file .*\.\n$/],
    [`erase --org ${UNKNOWN}`, NONE],
    ['erase --org platform', /^--org must be the id of an organization here, not its slug\.\n$/],
    ['erase --org acme', /^--org must be the id of an organization here, not its slug\.\n$/],
    [`organizations suspend --org ${UNKNOWN}`, NONE],
    ['organizations delete', /^error: unknown command 'delete'\n$/],
    [`export --org ${UNKNOWN}`, NONE],
    ['export --org platform --out /nowhere/x', /ENOENT.*\n$/],
    [
      'create-platform-key --app-code platform --secrets-key m',
      /^An integration with this app code exists already\.\n$/,
    ],
    ['create-platform-key --app-code a:b --secrets-key m', /^--app-code must be .*\n$/],
    [
      'platform-keys rotate --app-code x --previous-valid-for -1',
      /^error: option '--previous-valid-for .* must be a whole/,
    ],
  ])('what is wrong with %s', async (command, sentence) => {
    const { code, stdout, stderr } = await operator(...command.split(' '));
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(sentence)]);
    expect(stderr.split('\n')).toHaveLength(2);
  });

  it('that nothing is named to work on', async () => {
    const { code, stderr } = await runOperatorAgain(['verify', '--org', randomUUID()]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^Name the stack with .* --local\.\n$/)]);
  });

  it.each([
    [['export', '--org', 'a\x1b[2K\nb'], '--org must be the id, the slug or an app code'],
    [['platform-keys', 'disable', '--app-code', 'a\x1b\nb\u202e'], 'The platform has no key a\x1b\nb\u202e: '],
    [['verify', '--org', UNKNOWN, '--a\x1b\u202eb'], "unknown option '--a\x1b\u202eb'"],
  ])('what is wrong with %j, and as JSON with --json', async (args, message) => {
    const said = await operator(...args);
    expect([said.code, said.stdout]).toEqual([2, '']);
    expect(said.stderr).toMatch(/^[\x20-\x7e]+\n$/);
    const { code, stdout, stderr } = await operator(...args, '--json');
    expect([code, stderr]).toEqual([2, '']);
    expect(JSON.parse(stdout)).toEqual({ error: expect.stringContaining(message) });
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

describe('a name with line breaks and commands of terminals', () => {
  it('makes no line of its own in a list, and is in JSON what it is', async () => {
    const { stdout } = await operator('organizations', 'list');
    expect(stdout.split('\n')).toEqual([expect.stringMatching(new RegExp(`^${org.orgId}  `)), 'Organizations: 1.', '']);
    expect(stdout).toContain(`  ${SHOWN}\n`);
    const listed = (await operator('organizations', 'list', '--json')).stdout;
    expect(JSON.parse(listed)).toMatchObject([{ id: org.orgId, name: NAME }]);
    for (const text of [listed, (await operator('export', '--org', org.orgId)).stdout])
      expect(text).toMatch(/^[\x20-\x7e\n]*$/);
  });

  const script = '/usr/bin/script';
  it.skipIf(!isExecutable(script))('does not rewrite the question before an organization is erased', async () => {
    const entry = join(import.meta.dirname, '../../bin/operator.ts');
    const command = `${process.execPath} ${entry} erase --org ${org.orgId} --table ${api.table.tableName}`;
    const asked = promisify(execFile)(script, ['-qec', command, '/dev/null'], { encoding: 'utf8' });
    asked.child.stdin?.end('no\n');
    const { stdout } = await asked.catch((error: { stdout: string }) => error);
    expect(stdout).toContain(`This deletes ${org.orgId}, ${SHOWN}, for good. Type its slug (`);
    expect(stdout).toContain('Nothing was erased.');
  });
});
