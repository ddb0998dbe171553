import { cp, symlink } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
const NOT_COPIED = new Set(['.git', '.data', 'cdk.out', 'coverage', 'node_modules']);

/** Copies a release of the repository, with the packages of this one. */
export async function copyRelease(from: string, to: string): Promise<string> {
  const isCopied = (path: string): boolean => !NOT_COPIED.has(relative(from, path).split(sep)[0] ?? '');
  await cp(from, to, { recursive: true, filter: isCopied });
  await symlink(join(ROOT, 'node_modules'), join(to, 'node_modules'), 'junction');
  return to;
}
