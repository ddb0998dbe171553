import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { auditOf } from './audit.ts';
import { FOLDERS } from './lock-file.ts';

/**
 * `npm run check:packages`: asks the registry for known vulnerabilities of the packages in the lock files. Where the
 * registry cannot be asked it says so, which is an error only with `-- --required`, as in the workflow.
 */

const ARGS = ['audit', '--json', '--audit=true', '--package-lock-only'];
const ROOT = join(import.meta.dirname, '../../..');

for (const folder of FOLDERS) {
  const { stdout, status } = spawnSync('npm', ARGS, {
    cwd: join(ROOT, folder),
    encoding: 'utf8',
    timeout: 120_000,
    maxBuffer: 2 ** 26,
  });
  const { isWell, lines } = auditOf(stdout ?? '', status);
  for (const line of lines) console.log(folder === '.' ? line : `${folder}: ${line}`);
  if (!(isWell ?? !process.argv.includes('--required'))) process.exitCode = 1;
}
