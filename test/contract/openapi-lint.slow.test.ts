import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** The linters as anyone would run them on the committed file; neither of them calls anywhere. */
const LINTERS: [name: string, command: string, args: readonly string[], complaints: readonly RegExp[]][] = [
  ['redocly, recommended-strict', 'redocly', ['lint', '--config', join(ROOT, 'redocly.yaml')], [/phone/]],
  [
    'spectral, spectral:oas and OWASP API security',
    'spectral',
    ['lint', '--ruleset', join(ROOT, '.spectral.yaml'), '--fail-severity', 'hint'],
    [/phone/, /owasp:api2:2023-read-restricted/],
  ],
];

const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

function lint(command: string, args: readonly string[], file: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, env: { ...process.env, ...OFFLINE } };
    execFile(join(ROOT, 'node_modules/.bin', command), [...args, file], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, output: `${stdout}${stderr}` });
    });
  });
}

let directory: string;
let broken: string;

/** One path of the committed document, with an example that breaks its schema and an operation for everybody. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'custodia-openapi-'));
  broken = join(directory, 'openapi.json');
  const { paths, ...rest } = JSON.parse(await readFile(join(ROOT, 'openapi.json'), 'utf8'));
  const text = JSON.stringify({ ...rest, paths: { '/api/v1/clients': paths['/api/v1/clients'] } });
  const open = text.replace('"security":[{"bearerAuth":[]}]', '"security":[]');
  await writeFile(broken, open.replace('"phone":351210000000', '"phone":"none"'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe.each(LINTERS)('the committed document under %s', (_, command, args, complaints) => {
  it('has nothing to complain of', async () => {
    const { code, output } = await lint(command, args, join(ROOT, 'openapi.json'));
    expect(output).toMatch(/Your API description is valid|No results with a severity/);
    expect(code, output).toBe(0);
  });

  it('would be caught with what it must not have', async () => {
    const { code, output } = await lint(command, args, broken);
    expect(code).toBe(1);
    for (const complaint of complaints) expect(output).toMatch(complaint);
  });
});
