import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folders with a lock file: what `npm ci` installs, and what few commands install when they need it. */
export const FOLDERS = ['.', 'generate/lint'];

type Named = Readonly<Record<string, string>>;

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  /** A package of this repository. */
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly dependencies?: Named;
  readonly devDependencies?: Named;
  readonly optionalDependencies?: Named;
  readonly peerDependencies?: Named;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export type LockFile = Readonly<Record<string, Locked>>;

export const lockFileOf = (folder: string): LockFile =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../..', folder, 'package-lock.json'), 'utf8')).packages;

/** Paths of the packages that are installed, which are not of this repository. */
export const installed = (lock: LockFile): string[] =>
  Object.keys(lock).filter((path) => path.includes('node_modules/') && !lock[path]?.link);

/** Paths of these packages and of all that they need. */
export function treeOf(lock: LockFile, names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (from: string, name: string): void => {
    const path = resolve(lock, from, name);
    if (path === undefined || found.has(path)) return;
    found.add(path);
    for (const needed of neededBy(lock[path] ?? {})) visit(path, needed);
  };
  for (const name of names) visit('', name);
  return found;
}

function neededBy({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }: Locked): string[] {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/** As Node does: in the package's own folder of packages, then in those above. */
function resolve(lock: LockFile, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (path in lock) return path;
    if (folder === '') return undefined;
  }
}
