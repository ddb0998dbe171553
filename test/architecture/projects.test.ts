import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

/** The name of a test file says when it is run (vitest.config.ts), and CI runs them all. */

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const all = globSync('{test,packages/*/test}/**/*.test.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] });
const SUFFIXES = ['.sampled', '.stack', '.slow'];
const suffixOf = (file: string): string => /(\.(?!property)\w+)?\.test\.ts$/.exec(file)?.[1] ?? '';

it('a test file has a suffix that is known, or none', () => {
  expect(all.filter((file) => !['', ...SUFFIXES].includes(suffixOf(file)))).toEqual([]);
  for (const suffix of SUFFIXES) expect(all.some((file) => suffixOf(file) === suffix)).toBe(true);
});

it('what does more in extended or nightly tests is run by them', () => {
  const asking = all.filter(
    (file) => file !== 'test/support/extent.test.ts' && /^import .*\bextent\.ts';$/m.test(read(file)),
  );
  expect(asking.filter((file) => !['.sampled', '.slow'].includes(suffixOf(file)))).toEqual([]);
});

it('what is sampled has a sample', () => {
  const sampled = all.filter((file) => suffixOf(file) === '.sampled');
  expect(sampled.filter((file) => !/^import .*\bextent\.ts';$/m.test(read(file)))).toEqual([]);
});

it('a file that shares its modules with others mocks none of them, and drops none', () => {
  const sharing = all.filter((file) => suffixOf(file) !== '.slow');
  expect(sharing.filter((file) => /vi\.(mock|resetModules)\(/.test(read(file)))).toEqual([]);
});

it('CI runs the command of the README, on another day, before it what asks the registry and tests of storage on DynamoDB Local, and then the others', () => {
  const [, command] = /^npm ci && (npm test) /m.exec(read('README.md')) ?? [];
  const lines = Array.from(read('.ci/run').split('\n'), (line) => line.trim());
  const commands = lines.filter((line) => /np[mx] /.test(line) && !line.startsWith('#'));
  expect(commands).toEqual([
    expect.stringMatching(/^npm ci /),
    'npm --silent run check:packages',
    'npm --silent run check:document',
    expect.stringMatching(/^TEST_ENGINE=java npx vitest run --project=quick test\/table\//),
    `TEST_CLOCK=$((365 * 86400 * 1000)) TZ=Asia/Kathmandu ${command}`,
    'printed=$(npm run test:slow -- --project=stack --maxWorkers=1 2>&1) && code=0 || code=$?',
    'npm run test:slow -- --project=slow && code=0 || code=$?',
  ]);
  expect(manifest.scripts['test:slow']).toBe(
    `TEST_EXTENT=extended vitest run ${SUFFIXES.map((s) => `${s}.`).join(' ')}`,
  );
});
