import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `npm run check:document`: lints openapi.json. The linter has a `package.json` of its own and is installed when first
 * needed; it makes no calls itself. It must also report an example that breaks its schema: otherwise its settings have
 * switched it off.
 */

const HERE = import.meta.dirname;
const DOCUMENT = join(HERE, '../../openapi.json');

/** Installs the linter, unless it is installed as locked. Calls the registry. @throws Error npm cannot install it */
function install(): void {
  // npm writes the first file after it has installed all packages of the second one.
  const installed = statSync(join(HERE, 'node_modules/.package-lock.json'), { throwIfNoEntry: false });
  if (installed !== undefined && installed.mtimeMs > statSync(join(HERE, 'package-lock.json')).mtimeMs) return;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { cwd: HERE, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`npm ci failed in ${HERE}`);
}

/** @returns the linter's output, and whether it found no errors */
function lint(file: string): { readonly isClean: boolean; readonly output: string } {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const args = ['lint', '--config', join(HERE, 'redocly.yaml'), file];
  const executable = join(HERE, 'node_modules/.bin/redocly');
  const { status, stdout, stderr } = spawnSync(executable, args, { cwd: HERE, env, encoding: 'utf8' });
  return { isClean: status === 0, output: `${stdout}${stderr}` };
}

/** One path of the document, with an example that breaks its schema. */
function brokenDocument(): string {
  const { paths, ...rest } = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
  const text = JSON.stringify({ ...rest, paths: { '/api/v1/clients': paths['/api/v1/clients'] } });
  return text.replace('"phone":351210000000', '"phone":"none"');
}

install();
const directory = mkdtempSync(join(tmpdir(), 'custodia-openapi-'));
try {
  const broken = join(directory, 'openapi.json');
  writeFileSync(broken, brokenDocument());
  const [{ isClean, output }, ofBroken] = [lint(DOCUMENT), lint(broken)];
  const complains = !ofBroken.isClean && ofBroken.output.includes('phone');
  if (!isClean) console.error(output);
  if (!complains) console.error('the linter does not complain of what is wrong: phone');
  console.log(`openapi.json ${isClean && complains ? 'is well' : 'IS NOT WELL'}`);
  if (!isClean || !complains) process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true });
}
