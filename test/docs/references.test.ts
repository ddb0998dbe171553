import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import scripts from '../../package.json' with { type: 'json' };
import clientScripts from '../../packages/client/package.json' with { type: 'json' };

/** Names in comments, pages and scripts exist in the repository. */

const ROOT = join(import.meta.dirname, '../..');

interface Text {
  readonly file: string;
  readonly text: string;
}
const textsOf = (patterns: readonly string[]): Text[] =>
  globSync(patterns, { cwd: ROOT, exclude: ['**/node_modules/**'] }).map((file) => ({
    file,
    text: readFileSync(join(ROOT, file), 'utf8'),
  }));

/** The comments of a source: its lines that begin with one, and what follows `//` in others. */
const commentsOf = (source: string): string =>
  source
    .split('\n')
    .map((line) => /^\s*(?:\/?\*|\/\/)(.*)/.exec(line)?.[1] ?? / \/\/ (.*)/.exec(line)?.[1] ?? '')
    .join('\n');

const pages = textsOf(['*.md', '{docs,clients,examples,packages,shared,local,infra,test}/**/*.md']);
const settings = textsOf(['.ci/run', '.github/**/*.yml', '.*.yaml', '*.yaml', 'package.json']);
const sources = textsOf([
  '{bench,bin,clients,examples,functions,generate,infra,local,operator,packages,shared,test}/**/*.{ts,cjs,mjs}',
]);
const texts = [...pages, ...settings, ...sources];
const prose = [...pages, ...settings, ...sources.map(({ file, text }) => ({ file, text: commentsOf(text) }))];

/** `file: name` for each name that a pattern's first group finds and that is not there. */
const missing = (among: readonly Text[], pattern: RegExp, isThere: (name: string, file: string) => boolean): string[] =>
  among.flatMap(({ file, text }) =>
    Array.from(text.matchAll(pattern), ([, name = '']) => name)
      .filter((name) => !isThere(name, file))
      .map((name) => `${file}: ${name}`),
  );
/** The pattern finds something, and nothing that is not there. */
function expectAll(among: readonly Text[], pattern: RegExp, isThere: (name: string, file: string) => boolean): void {
  expect(missing(among, pattern, () => false).length).toBeGreaterThan(20);
  expect(missing(among, pattern, isThere)).toEqual([]);
}

it('decisions that are named are there', () => {
  const named = /\bdecisions?[/ ](\d{4}(?:-[\w-]+\.md)?)/g;
  const decisions = globSync('docs/decisions/????-*.md', { cwd: ROOT }).map((file) => basename(file));
  expectAll(texts, named, (name) => decisions.some((file) => file === name || file.slice(0, 4) === name));
});

it('sections of the specification that are named are there', () => {
  const specification = readFileSync(join(ROOT, 'docs/specification.md'), 'utf8');
  const sections = Array.from(specification.matchAll(/^## (\d+)\./gm), ([, number = '']) => number);
  expectAll(texts, /\bspec \(?§(\d+)/gi, (section) => sections.includes(section));
});

it('commands that are named are scripts', () => {
  const names = [scripts, clientScripts].flatMap(({ scripts: named }) => Object.keys(named));
  expectAll(texts, /\bnpm run (?!and )([\w:-]*\w)/g, (name) => names.includes(name));
});

it('nothing is named that a reader of the repository does not have: other documents, issues by number', () => {
  expect(missing(texts, /\b(DESIGN) §/g, () => false)).toEqual([]);
  expect(missing(prose, /\b(issue #?\d+|issues \d+)/gi, () => false)).toEqual([]);
});

const FOLDERS = 'bench|bin|clients|docs|examples|functions|generate|infra|local|operator|packages|shared|stages|test';
/**
 * Patterns count by what they match, names with a place for another name (`<domain>`) are no paths, and decisions and
 * tests may be named by a prefix. What a script installs is not there before.
 */
function isPath(path: string): boolean {
  if (/[<>$…]|node_modules/.test(path) || existsSync(join(ROOT, path))) return true;
  const pattern = /^(?:docs\/decisions|test)\//.test(path) ? `${path}*` : path;
  return globSync(pattern, { cwd: ROOT }).length > 0;
}

it('paths that are named are there', () => {
  const named = new RegExp(`(?<![\\w./@:-])((?:${FOLDERS})/[\\w./*{},<>$…-]*[\\w}*>/])`, 'g');
  const examples: readonly string[] = ['docs/adding-a-domain.md', 'docs/adding-a-filter.md', 'CHANGELOG.md'];
  expectAll(
    prose.filter(({ file }) => !examples.includes(file)),
    named,
    isPath,
  );
});

it('files that are named without a folder are somewhere', () => {
  const names = new Set(sources.map(({ file }) => basename(file)));
  expectAll(
    pages.filter(({ file }) => file !== 'CHANGELOG.md'),
    /`(?!x\.)([\w.-]+\.(?:ts|cjs))`/g,
    (name) => names.has(name),
  );
});

/** A heading's anchor as GitHub makes it: the second of two alike ends in `-1`. */
function anchorsOf(page: string): Set<string> {
  const text = readFileSync(page, 'utf8').replace(/^```.*?^```/gms, '');
  const seen = new Map<string, number>();
  const headings = Array.from(text.matchAll(/^#{1,6} (.*)$/gm), ([, heading = '']) => {
    const slug = heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
  return new Set([...headings, ...Array.from(text.matchAll(/<a id="([^"]+)"/g), ([, id = '']) => id)]);
}

it('links of pages lead to files and headings that are there', () => {
  const relative = /\]\((?![a-z]+:)([^)\s]+)\)/g;
  expectAll(pages, relative, (link, file) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? join(ROOT, file) : join(ROOT, dirname(file), path);
    if (!existsSync(target)) return false;
    return anchor === undefined || !target.endsWith('.md') || anchorsOf(target).has(anchor);
  });
});
