import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LINTERS, lint, verdict } from './linters/linters.ts';

/** `npm run check:stack`, with linters of the test's own. */

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'custodia-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A path on which these linters are: what they do with their arguments, in the language of the shell. */
function pathWith(scripts: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(directory, 'bin-'));
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(path, name), `#!/bin/sh\n[ "$1" = --version ] && exit 0\n${script}\n`);
    chmodSync(join(path, name), 0o755);
  }
  return path;
}

const run = (scripts: Readonly<Record<string, string>>) => {
  const path = `${pathWith(scripts)}:/nowhere`;
  return verdict(LINTERS.map((each) => lint(each, ['a.template.json', 'b.template.json'], path)));
};

it.each([
  [
    'is green when no linter finds anything',
    { 'cfn-lint': 'exit 0', checkov: 'exit 0' },
    0,
    /^cfn-lint: nothing found\n/,
  ],
  [
    'fails with the words of the one that finds something',
    { 'cfn-lint': 'echo W1234 in $*; exit 4', checkov: 'exit 0' },
    1,
    /^cfn-lint: findings\nW1234 in .*\.cfnlintrc\.yaml -- a\.template\.json b\.template\.json\n/,
  ],
  [
    'says aloud which one is not installed',
    { 'cfn-lint': 'exit 0' },
    0,
    /\ncheckov: NOT RUN, for it is not installed \(pip install checkov\)$/,
  ],
  ['is not green when none is installed', {}, 2, /\nNothing was checked\.$/],
])('check:stack %s', (_, scripts, code, text) => {
  const { lines, exitCode } = run(scripts as Readonly<Record<string, string>>);
  expect([exitCode, lines.join('\n')]).toEqual([code, expect.stringMatching(text)]);
});
