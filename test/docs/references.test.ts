import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import scripts from '../../package.json' with { type: 'json' };

/** What comments and pages name as their reason is in the repository. */

const ROOT = join(import.meta.dirname, '../..');
const texts = globSync(
  ['{bench,bin,functions,generate,infra,local,operator,shared,test}/**/*.ts', '*.md', 'docs/**/*.md'],
  {
    cwd: ROOT,
  },
).map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

/** `file: name` for each name that a pattern's first group finds and that is none of these. */
const unknown = (pattern: RegExp, known: ReadonlySet<string>): string[] =>
  texts.flatMap(({ file, text }) =>
    Array.from(text.matchAll(pattern), ([, name = '']) => name)
      .filter((name) => !known.has(name))
      .map((name) => `${file}: ${name}`),
  );

it('decisions that are named are there', () => {
  const decisions = globSync('docs/decisions/????-*.md', { cwd: ROOT }).map((file) => file.slice(15, 19));
  expect(decisions.length).toBeGreaterThan(40);
  expect(unknown(/\bdecisions?[/ ](\d{4})/g, new Set(decisions))).toEqual([]);
});

it('sections of the specification that are named are there', () => {
  const specification = readFileSync(join(ROOT, 'docs/specification.md'), 'utf8');
  const sections = Array.from(specification.matchAll(/^## (\d+)\./gm), ([, number = '']) => number);
  const named = /\bspec \(?§(\d+)/gi;
  expect(unknown(named, new Set()).length).toBeGreaterThan(20);
  expect(unknown(named, new Set(sections))).toEqual([]);
});

it('commands that are named are scripts', () => {
  const named = /\bnpm run ([\w:-]+)/g;
  expect(unknown(named, new Set()).length).toBeGreaterThan(20);
  expect(unknown(named, new Set(Object.keys(scripts.scripts)))).toEqual([]);
});

it('no other document is named by sections', () => {
  expect(unknown(/\b(DESIGN) §/g, new Set())).toEqual([]);
});
