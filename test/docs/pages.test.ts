import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { titleOf } from '../../bench/data-model/play.ts';
import { withFilters } from '../../generate/data-model.ts';
import { operations } from '../support/scenario.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const DECISIONS = 'docs/decisions';
const decisions = readdirSync(join(ROOT, DECISIONS)).filter((file) => /^\d{4}-.*\.md$/.test(file));

describe.each(globSync(['*.md', 'docs/**/*.md', '{clients,examples}/*/*.md'], { cwd: ROOT }))('%s', (page) => {
  it('links to files that are there', () => {
    const targets = Array.from(read(page).matchAll(/\]\(([^)#\s]+)/g), ([, target = '']) => target);
    const missing = targets
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => join(ROOT, dirname(page), target))
      .filter((file) => !existsSync(file));
    expect(missing.map((file) => relative(ROOT, file))).toEqual([]);
  });
});

describe('the index of decisions', () => {
  it('names every one by its title', () => {
    const lines = decisions.map((file) => {
      const [, number, title] = /^# (\d{4}) (.*)/.exec(read(join(DECISIONS, file))) ?? [];
      return `- [${number}](${file}) ${title}`;
    });
    const index = read(`${DECISIONS}/README.md`).split('\n');
    expect(lines.filter((line) => !index.includes(line))).toEqual([]);
  });
});

const OUTDATED = 'docs/data-model.md is not what the code says: run `npm run docs` and commit it';

describe('docs/data-model.md', () => {
  const page = read('docs/data-model.md');

  it('has a row for every operation', () => {
    const missing = operations.map(([, route]) => titleOf(route)).filter((title) => !page.includes(`| \`${title}\` |`));
    expect(missing, OUTDATED).toEqual([]);
  });

  it('names the filters of every entity', async () => {
    expect((await withFilters(page)) === page, OUTDATED).toBe(true);
  });
});
