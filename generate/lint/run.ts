import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installOwnPackages } from '../../local/terminal/own-packages.ts';

/**
 * `npm run check:document`: lints openapi.json. The linters have a `package.json` of their own and are installed when
 * first needed; they make no calls themselves. Each must also report errors in a document that is broken in a known
 * way: otherwise its settings have switched it off.
 */

const HERE = import.meta.dirname;
const DOCUMENT = join(HERE, '../../openapi.json');

interface Linter {
  readonly name: string;
  readonly args: readonly string[];
  /** Its expected error about the broken document. */
  readonly complaints: readonly RegExp[];
}

const LINTERS: readonly Linter[] = [
  {
    name: 'redocly',
    args: ['lint', '--config', join(HERE, 'redocly.yaml')],
    complaints: [/phone/],
  },
  {
    name: 'spectral',
    args: ['lint', '--ruleset', join(HERE, '.spectral.yaml'), '--fail-severity', 'hint'],
    complaints: [/phone/, /owasp:api2:2023-read-restricted/],
  },
];

/** @returns the linter's output, and whether it found no errors */
function lint({ name, args }: Linter, file: string): { readonly isClean: boolean; readonly output: string } {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const executable = join(HERE, 'node_modules/.bin', name);
  const { status, stdout, stderr } = spawnSync(executable, [...args, file], { cwd: HERE, env, encoding: 'utf8' });
  return { isClean: status === 0, output: `${stdout}${stderr}` };
}

/** One path of the document, with an example that breaks its schema and an operation for everybody. */
function brokenDocument(): string {
  const { paths, ...rest } = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
  const text = JSON.stringify({ ...rest, paths: { '/api/v1/clients': paths['/api/v1/clients'] } });
  return text
    .replace('"security":[{"bearerAuth":[]}]', '"security":[]')
    .replace('"phone":351210000000', '"phone":"none"');
}

installOwnPackages(HERE);
const directory = mkdtempSync(join(tmpdir(), 'custodia-openapi-'));
try {
  const broken = join(directory, 'openapi.json');
  writeFileSync(broken, brokenDocument());
  for (const linter of LINTERS) {
    const { isClean, output } = lint(linter, DOCUMENT);
    const ofBroken = lint(linter, broken);
    const missing = linter.complaints.filter((complaint) => ofBroken.isClean || !complaint.test(ofBroken.output));
    if (!isClean) console.error(output);
    for (const each of missing) console.error(`${linter.name} does not complain of what is wrong: ${each}`);
    console.log(`${linter.name}: openapi.json ${isClean && missing.length === 0 ? 'is well' : 'IS NOT WELL'}`);
    if (!isClean || missing.length > 0) process.exitCode = 1;
  }
} finally {
  rmSync(directory, { recursive: true });
}
