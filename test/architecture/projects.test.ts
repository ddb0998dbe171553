import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it, vi } from 'vitest';
import { AREAS, projects, SAME_EVERY_DAY, SAMPLED } from '../projects.ts';

/** Every test is run, and what needs a DynamoDB on both engines. */

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const filesOf = (patterns: readonly string[]): string[] =>
  patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT }));
const all = filesOf(['test/**/*.test.ts']);
const ofProject = ({ include, exclude }: (typeof projects)['http']): string[] => {
  const excluded = filesOf(exclude);
  return filesOf(include).filter((file) => !excluded.includes(file));
};

/** The modules that a file loads, itself among them. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, , from = ''] of read(file).matchAll(
    /^(?:import|export) (?!type )([^;]*? from )?'(\.[^']+\.ts)';$/gms,
  )) {
    loadedBy(relative(ROOT, join(ROOT, dirname(file), from)), seen);
  }
  return seen;
}
const needsDynamoDb = (file: string): boolean => loadedBy(file).has('test/support/dynamodb.ts');

it('a pattern names files that are there', () => {
  const patterns = [...Object.values(projects).flatMap(({ include, exclude }) => [...include, ...exclude])];
  const alternatives = [...patterns, ...SAME_EVERY_DAY, ...SAMPLED].flatMap((pattern) => {
    const [, before = pattern, names = '', after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? [];
    return names.split(',').map((name) => `${before}${name}${after}`);
  });
  expect(alternatives.filter((pattern) => globSync(pattern, { cwd: ROOT }).length === 0)).toEqual([]);
});

it('a file is in one project', () => {
  const found = Object.values(projects).flatMap(ofProject);
  expect(found.toSorted()).toEqual(all.toSorted());
});

it('a file of `unit` or `stack` needs no DynamoDB', () => {
  expect([...ofProject(projects.unit), ...ofProject(projects.stack)].filter(needsDynamoDb)).toEqual([]);
  expect(needsDynamoDb('test/http/clients.test.ts')).toBe(true);
});

it('a file of `http` is run on DynamoDB Local, too, by test:dates or by test:slow, or it is named as one that asks the same everywhere', () => {
  const again = filesOf(SAME_EVERY_DAY);
  const missing = ofProject(projects.http).filter(
    (file) => !again.includes(file) && !AREAS.some((area) => file.startsWith(`${area}/`)),
  );
  expect(missing).toEqual([]);
});

it('test:dates leaves out what asks the same every day', async () => {
  vi.stubEnv('TEST_CLOCK', '0');
  vi.resetModules();
  const { unit, http } = (await import('../projects.ts')).projects;
  const again = filesOf(SAME_EVERY_DAY);
  expect([...ofProject(unit), ...ofProject(http)].filter((file) => again.includes(file))).toEqual([]);
});

it('CI runs the command of the README, before it the scan of packages and the tests of another day on DynamoDB Local, and then what that leaves out', () => {
  const [, command] = /^npm ci && (npm test) /m.exec(read('README.md')) ?? [];
  const lines = read('.ci/run').split('\n');
  expect(lines.filter((line) => line.includes('npm') && !line.startsWith('#'))).toEqual([
    expect.stringMatching(/^npm ci /),
    'npm --silent run check:packages',
    'TEST_ENGINE=java npm run test:dates -- year+kathmandu',
    command,
    'npm run test:slow',
  ]);
});
