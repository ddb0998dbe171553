import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs the packages of a folder with its own `package.json` and lock file, unless they are installed as locked. Few
 * commands need them, so `npm ci` leaves them out. Calls the registry.
 * @throws Error npm cannot install them
 */
export function installOwnPackages(folder: string): void {
  // npm writes the first file after it has installed all packages of the second one.
  const installed = statSync(join(folder, 'node_modules/.package-lock.json'), { throwIfNoEntry: false });
  if (installed !== undefined && installed.mtimeMs > statSync(join(folder, 'package-lock.json')).mtimeMs) return;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`npm ci failed in ${folder}`);
}
