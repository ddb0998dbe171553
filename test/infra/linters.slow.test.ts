import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

describe('check:stack', () => {
  it('is green when no linter finds anything', () => {
    expect(run({ 'cfn-lint': 'exit 0', checkov: 'exit 0' })).toEqual({
      lines: ['cfn-lint: nothing found', 'checkov: nothing found'],
      exitCode: 0,
    });
  });

  it('fails with the words of the one that finds something', () => {
    const { lines, exitCode } = run({ 'cfn-lint': 'echo W1234 in $*; exit 4', checkov: 'exit 0' });
    expect([exitCode, lines.join('\n')]).toEqual([
      1,
      expect.stringMatching(
        /^cfn-lint: findings\nW1234 in .*\.cfnlintrc\.yaml -- a\.template\.json b\.template\.json\n/,
      ),
    ]);
  });

  it('says aloud which one is not installed, or does not start', () => {
    const { lines, exitCode } = run({ 'cfn-lint': 'exit 0' });
    expect([exitCode, lines[1]]).toEqual([0, 'checkov: NOT RUN, for it is not installed (pip install checkov)']);
    const path = pathWith({ 'cfn-lint': 'exit 0' });
    writeFileSync(join(path, 'checkov'), '#!/bin/sh\nexit 127\n', { mode: 0o755 });
    expect(LINTERS.map((each) => lint(each, [], path).result)).toEqual(['clean', 'missing']);
  });

  it('is not green when none is installed', () => {
    const { lines, exitCode } = run({});
    expect([exitCode, lines.at(-1)]).toEqual([2, 'Nothing was checked.']);
  });
});
