import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The product's source files, each with what it imports. Tests and benchmarks are not among them. */

const ROOT = join(import.meta.dirname, '../..');

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));

/** The ways into a package of `packages/`, by the names that others import: `@custodia/counted-lists/maintenance`. */
const entriesOf = (folder: string): [string, string][] => {
  const { name, exports } = manifestOf(folder);
  return Object.entries(exports as Readonly<Record<string, string>>).map(([entry, path]) => [
    join(name, entry),
    join(folder, path),
  ]);
};

/** The doors of libraries by their alias: `#table` is `shared/table/index.ts` (`imports` of `package.json`), and the entries of packages. */
export const doors: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(manifestOf('.').imports as Readonly<Record<string, string>>).map(([alias, path]) => [
    alias,
    join(path),
  ]),
  ...entriesOf('packages/counted-lists'),
  ...entriesOf('packages/lean-dynamodb'),
]);

export interface Source {
  /** From the root: `shared/table/keys.ts`. */
  readonly path: string;
  readonly text: string;
  /** Without comments. */
  readonly code: string;
  /** Files of this project by their path, packages by their name: `@aws-sdk/client-dynamodb`, `node:fs`. */
  readonly imports: readonly string[];
}

/** The source files that a pattern of paths matches: `generate/**`. */
export const sourcesIn = (pattern: string): readonly Source[] =>
  globSync(`${pattern}/*.ts`, { cwd: ROOT, exclude: ['**/node_modules/**'] })
    .toSorted()
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      const code = withoutComments(text);
      return { path, text, code, imports: importsIn(path, code) };
    });

export const sources = sourcesIn(
  '{bin,functions,infra,local,operator,packages/counted-lists/src,packages/lean-dynamodb/src,shared}/**',
);

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[\s;{,])\/\/.*$/gm, '$1');
}

/** `import … from 'x'`, `export … from 'x'`, `import('x')`; types too, for they tie two files together as well. */
function importsIn(path: string, code: string): string[] {
  const names = code.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"\s]+)['"]/g);
  return Array.from(names, ([, name = '']) =>
    name.startsWith('.') ? join(dirname(path), name) : (doors[name] ?? name),
  );
}

/** Files that import each other in a circle, as a path that ends where it began; undefined when there is none. */
export function circleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const next of graph.get(path) ?? []) {
      const circle = visit(next, [...way, path]);
      if (circle !== undefined) return circle;
    }
    done.add(path);
    return undefined;
  };
  for (const path of graph.keys()) {
    const circle = visit(path, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
