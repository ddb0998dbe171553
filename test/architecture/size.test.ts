import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reachableBy } from './door-names.ts';
import { doors } from './sources.ts';

/** How large the house is. Each commit that makes something smaller lowers its bound; the goals are where they end. */
const BOUNDS = {
  'lines of source': { bound: 62_290, goal: 42_000 },
  doors: { bound: 17, goal: 16 },
  'names at doors': { bound: 434, goal: 220 },
  'files over 350 lines': { bound: 0, goal: 0 },
  'lines over 120 characters': { bound: 0, goal: 0 },
  'lines of benchmarks': { bound: 5_030, goal: 5_000 },
  'words of docs/': { bound: 72_450, goal: 66_500 },
  'lines of tests for 100 of source': { bound: 110, goal: 110 },
} as const;

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const linesOf = (path: string): string[] => read(path).trimEnd().split('\n');

const source = new Map(
  globSync('{bin,functions,infra,local,operator,packages,shared}/**/*.ts', {
    cwd: ROOT,
    exclude: ['**/node_modules/**', 'packages/*/{bench,test}/**', 'packages/client/**'],
  }).map((path) => [path, linesOf(path)]),
);
const allLines = [...source.values()].flat();

/** Tests and what supports them, without what plays many cases of one rule: properties, samples, fuzzing, histories, faults. */
const tests = globSync('{test,packages/*/test}/**/*.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] })
  .filter((path) => !/property|sampled|fuzz|soak|fault/.test(path))
  .flatMap(linesOf);

/** A comment that is an address, which cannot be divided. */
const ADDRESS = /^\s*(?:\*|\/\/) https:\S+$/;

const MEASURED: Readonly<Record<keyof typeof BOUNDS, number>> = {
  'lines of source': allLines.length,
  doors: Object.keys(doors).length,
  'names at doors': Object.values(doors).flatMap(reachableBy).length,
  'files over 350 lines': [...source.values()].filter((lines) => lines.length > 350).length,
  'lines over 120 characters': allLines.filter((line) => line.length > 120 && !ADDRESS.test(line)).length,
  'lines of benchmarks': globSync('bench/**/*.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] }).flatMap(linesOf)
    .length,
  'words of docs/': globSync('docs/**/*.md', { cwd: ROOT }).flatMap((page) => read(page).split(/\s+/)).length,
  'lines of tests for 100 of source': (100 * tests.length) / allLines.length,
};

it.each(Object.entries(BOUNDS))('there are no more %s than the bound', (what, { bound, goal }) => {
  const measured = MEASURED[what as keyof typeof BOUNDS];
  expect(measured).toBeLessThanOrEqual(bound);
  // Once reached, the goal is the bound.
  expect(bound).toBeGreaterThanOrEqual(goal);
});
