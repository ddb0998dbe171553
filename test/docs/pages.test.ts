import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withFilters } from '../../generate/data-model/page.ts';
import { titleOf } from '../../generate/data-model/play.ts';
import { operations } from '../support/scenario.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const DECISIONS = 'docs/decisions';
const decisions = readdirSync(join(ROOT, DECISIONS)).filter((file) => /^\d{4}-.*\.md$/.test(file));

describe('decisions', () => {
  it('are all in the index, by title and in the order of their numbers', () => {
    const lines = decisions.toSorted().map((file) => {
      const [, number, title] = /^# (\d{4}) (.*)/.exec(read(join(DECISIONS, file))) ?? [];
      return `- [${number}](${file}) ${title}`;
    });
    const index = read(`${DECISIONS}/README.md`).split('\n');
    expect(index.filter((line) => line.startsWith('- '))).toEqual(lines);
  });

  it('are at most 50: one more is merged with what belongs to it', () => {
    expect(decisions.length).toBeLessThanOrEqual(50);
  });
});

const GENERATED = /^<!-- ([\w-]+:[\w-]+) -->$.*?^<!-- \/\1 -->$/gms;
const CODE = /^ *```.*?^ *```/gms;
/** Tables, pictures, and words that cannot be broken, may be longer. */
const isTooLong = (line: string): boolean => line.length > 120 && !/^\||^!\[|^\S+$|https?:\S{60}/.test(line.trim());

describe.each(globSync(['*.md', '{docs,shared,local,infra,test}/**/*.md', '{clients,examples}/*/*.md'], { cwd: ROOT }))(
  '%s',
  (page) => {
    const prose = read(page).replace(GENERATED, '').replace(CODE, '');

    it('wraps its lines at 120 characters', () => {
      expect(prose.split('\n').filter(isTooLong)).toEqual([]);
    });

    it('has no table whose rows were joined', () => {
      // The line below the header has nothing else.
      expect(prose.split('\n').filter((line) => /\|---\|/.test(line) && /[^|\-: ]/.test(line))).toEqual([]);
    });
  },
);

const OUTDATED = 'docs/data-model.md is not what the code says: run `npm run docs` and commit it';

describe('docs/data-model.md', () => {
  const page = read('docs/data-model.md');

  it('has a row for every operation that writes', () => {
    const titles = operations.filter(([, { method }]) => method !== 'GET').map(([, route]) => titleOf(route));
    const missing = titles.filter((title) => !page.includes(`| \`${title}\` |`));
    expect(missing, OUTDATED).toEqual([]);
  });

  it('names the filters of every entity', async () => {
    expect((await withFilters(page)) === page, OUTDATED).toBe(true);
  });
});
