import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The names that a door gives to other code. */

const ROOT = join(import.meta.dirname, '../..');

/** The names in the braces of an import or export: `{ one, type Two }`. */
export const namesIn = (braces: string): string[] =>
  braces.split(',').flatMap((name) => name.trim().replace(/^type | as .*/g, '') || []);

export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const DECLARED = /^export (?:(?:type )?\{([^}]*)\}|(?:async )?(?:const|function\*?|class|interface|type) (\w+))/gm;

/** The names that a file exports: its own declarations, or those of other files. */
export const exportsOf = (path: string): string[] =>
  Array.from(textOf(path).matchAll(DECLARED), ([, names = '', declared]) =>
    declared === undefined ? namesIn(names) : [declared],
  ).flat();

/** The modules that a door shows under one name each: `export * as ids from './ids.ts'`. */
export const modulesOf = (door: string): { readonly name: string; readonly path: string }[] =>
  Array.from(textOf(door).matchAll(/^export \* as (\w+) from '(\.[^']+)'/gm), ([, name = '', from = '']) => ({
    name,
    path: join(dirname(door), from),
  }));

/** The names of a door; a module counts as one. */
export const namesOf = (door: string): string[] => [...exportsOf(door), ...modulesOf(door).map(({ name }) => name)];

/** What code can reach through a door: its names, those of its modules instead of the modules. */
export const reachableBy = (door: string): string[] => [
  ...exportsOf(door),
  ...modulesOf(door).flatMap(({ path }) => exportsOf(path)),
];
