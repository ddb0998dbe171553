import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
const NOT_COPIED = new Set([
  '.git',
  '.data',
  'cdk.out',
  'coverage',
  'bench/node_modules',
  'generate/lint/node_modules',
  'node_modules',
]);

/** What the copy has of its own: the compiler's memory, and the links to its packages. */
const NOT_LINKED = new Set(['.cache', '@custodia']);

/** Copies a release of the repository, with the packages of this one. */
export async function copyRelease(from: string, to: string): Promise<string> {
  const isCopied = (path: string): boolean => !NOT_COPIED.has(relative(from, path));
  await cp(from, to, { recursive: true, filter: isCopied });
  const [packages, linked] = [join(ROOT, 'node_modules'), join(to, 'node_modules')];
  await mkdir(join(linked, '@custodia'), { recursive: true });
  const names = (await readdir(packages)).filter((name) => !NOT_LINKED.has(name));
  await Promise.all(names.map((name) => symlink(join(packages, name), join(linked, name), 'junction')));
  for (const name of await readdir(join(to, 'packages'))) {
    await symlink(join(to, 'packages', name), join(linked, '@custodia', name), 'junction');
  }
  return to;
}
