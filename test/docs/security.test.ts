import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const text = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

/** Texts in backquotes that look like files of this repository. */
const files = [...new Set(Array.from(text.matchAll(/`([\w./-]+\.(?:ts|md|json))`/g), ([, file]) => file ?? ''))];

describe('docs/security.md', () => {
  it('names tests that test something', () => {
    const tests = files.filter((file) => file.startsWith('test/') && file.endsWith('.test.ts'));
    expect(tests.length).toBeGreaterThan(30);
    // A skipped file tests nothing.
    const testsNothing = (source: string): boolean =>
      !/^ *(it|test)(\.(each|for|skipIf)\b|\()/m.test(source) || /^(describe|it|test)\.(skip|todo)\b/m.test(source);
    expect(tests.filter((file) => testsNothing(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
  });

  it('has a test for each of the ten risks of OWASP, and lists what is not covered', () => {
    const rows = Array.from(text.matchAll(/^\| API(\d+) .* \| (.*) \|$/gm), ([, risk, responses]) => [
      risk,
      /`test\/[\w/.-]+\.test\.ts`/.test(responses ?? ''),
    ]);
    expect(rows).toEqual(Array.from({ length: 10 }, (_, index) => [String(index + 1), true]));
    expect(text).toContain('## Not covered');
  });

  it('has no row without a file or a reason', () => {
    const rows = text.split('\n').filter((line) => line.startsWith('| ') && !/^\| (Risk|Requirement) /.test(line));
    expect(rows.filter((row) => !/`[\w./-]+\.(ts|md|json)`/.test(row))).toEqual([]);
  });
});
