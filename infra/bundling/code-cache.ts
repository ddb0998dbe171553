import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Makes V8's code caches of the scripts in these directories, with the Node that the variable `CODE_CACHE_NODE` names by a command, or with
 * the running one (`docs/deployment.md#the-code-cache`).
 * @throws Error where that Node cannot be run
 */
export async function makeCodeCaches(directories: readonly string[]): Promise<void> {
  const [node = process.execPath, ...args] = process.env.CODE_CACHE_NODE?.split(' ') ?? [];
  const program = join(import.meta.dirname, 'make-code-caches.ts');
  await promisify(execFile)(node, [...args, program, ...directories]);
}
