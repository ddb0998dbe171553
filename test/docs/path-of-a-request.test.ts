import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

/** The links and names on the first page for new engineers exist. */

const PAGE = join(import.meta.dirname, '../../docs/path-of-a-request.md');
const page = readFileSync(PAGE, 'utf8');
const steps = Array.from(page.matchAll(/^(\d+)\. (.*\n(?: {3,}.*\n)*)/gm), ([, number = '', text = '']) => ({
  number: Number(number),
  text,
}));

const linksIn = (text: string): { readonly name: string; readonly file: string }[] =>
  Array.from(text.matchAll(/\[([^\]]+)\]\((\.\.\/[^)]+)\)/g), ([, name = '', path = '']) => ({
    name,
    file: join(dirname(PAGE), path),
  }));
/** Identifiers in backticks (`tenant.records`), and links that are called like what they lead to (`runToCommit`). */
const namesIn = (text: string): string[] => [
  ...Array.from(text.matchAll(/`([A-Za-z][\w.]*)`/g), ([, name = '']) => name),
  ...linksIn(text).flatMap(({ name }) => (/^[a-z]+[A-Z]\w*$/.test(name) ? [name] : [])),
];

it('numbers its steps, and each links to the code', () => {
  expect(steps.map(({ number }) => number)).toEqual(steps.map((_, index) => index + 1));
  expect(steps.length).toBeGreaterThan(10);
  for (const { text } of steps) expect(linksIn(text), text).not.toEqual([]);
});

describe.each(steps)('step $number', ({ text }) => {
  it('links to files that have the names which it gives', () => {
    const files = linksIn(text).map(({ file }) => file);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    const code = files.map((file) => readFileSync(file, 'utf8')).join('\n');
    expect(namesIn(text).filter((name) => !new RegExp(`\\b${name.replaceAll('.', '\\.')}\\b`).test(code))).toEqual([]);
  });
});

it('names doors that package.json has', () => {
  const doors = Array.from(page.matchAll(/(?<![\w(])#[a-z-]+/g), ([door]) => door);
  expect(new Set(doors).size).toBeGreaterThan(6);
  expect(doors.filter((door) => !(door in manifest.imports))).toEqual([]);
});
