import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filterTable } from '../../bench/data-model/filters.ts';
import { titleOf } from '../../bench/data-model/play.ts';
import { operations } from '../support/scenario.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const DECISIONS = 'docs/decisions';
const decisions = readdirSync(join(ROOT, DECISIONS)).filter((file) => /^\d{4}-.*\.md$/.test(file));
const docs = readdirSync(join(ROOT, 'docs')).filter((file) => file.endsWith('.md'));

describe.each(['README.md', ...docs.map((file) => `docs/${file}`), `${DECISIONS}/README.md`])('%s', (page) => {
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

describe('docs/data-model.md', () => {
  const page = read('docs/data-model.md');

  it('has a row for every operation', () => {
    const missing = operations.map(([, route]) => titleOf(route)).filter((title) => !page.includes(`| \`${title}\` |`));
    expect(missing).toEqual([]);
  });

  it('names the filters of every entity', async () => {
    expect(page).toContain(await filterTable());
  });
});
