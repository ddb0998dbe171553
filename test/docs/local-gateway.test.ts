import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/local-gateway.md'), 'utf8');

/** The rows of its tables, by what they are about. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| what '))
  .map((line) => line.split(/ (?<!\\)\| ?/));

/** Each test that a row names, as the file and the title. */
const namedIn = (cell: string): readonly (readonly [file: string, title: string])[] =>
  Array.from(cell.matchAll(/`([\w./-]+\.ts)` “([^”]+)”/g), ([, file = '', title = '']) => [file, title]);

const isThere = ([file, title]: readonly [string, string]): boolean => {
  const path = join(ROOT, 'test', file);
  return existsSync(path) && readFileSync(path, 'utf8').includes(`'${title}'`);
};

describe('docs/local-gateway.md', () => {
  it('has what was compared', () => {
    expect(rows.length).toBeGreaterThan(45);
    for (const row of rows) expect(row, row[0]).toHaveLength(6);
  });

  it('names tests that are there', () => {
    const named = rows.flatMap(([, , , , tests = '']) => namedIn(tests));
    expect(named.length).toBeGreaterThan(rows.length);
    expect(named.filter((each) => !isThere(each))).toEqual([]);
  });

  it('shows every row by a test, but for what is not simulated', () => {
    const shown = (cell: string): string => cell.replaceAll(/`[\w./-]+\.ts` “[^”]+”/g, '').replaceAll(/[, ]/g, '');
    for (const [what, , , here = '', tests = ''] of rows) {
      const isSimulated = !here.startsWith('**not simulated**');
      expect([what, namedIn(tests).length > 0, shown(tests)]).toEqual([what, isSimulated, isSimulated ? '' : '—']);
    }
  });

  it('says of every row where it is from', () => {
    for (const [what = '', , source = ''] of rows) expect(source, what).toMatch(/^([DRS?](, [DRS])*)( \(.*\))?$/);
  });
});
