import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { useApi } from '../support/use-api.ts';

/** The README is short and correct: its tour works when pasted and prints the shown output. */

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

interface Step {
  readonly commands: string;
  /** The README's output of the commands; undefined where it shows none. */
  readonly shown: string;
}

/** Blocks of the language `sh`, each with the block of another language that follows it before the next. */
const tour: readonly Step[] = README.split('```sh\n')
  .slice(1)
  .map((text) => {
    const { commands = '', shown = '' } =
      /^(?<commands>.*?)```\n(\n```(json|http)\n(?<shown>.*?)```)?/s.exec(text)?.groups ?? {};
    return { commands, shown };
  });

it('has at most 1,000 words', () => {
  expect(README.split(/\s+/).length).toBeLessThanOrEqual(1000);
});

describe('the tour', () => {
  const api = useApi();

  it('works when pasted, and returns what it shows', async () => {
    expect(tour.length).toBeGreaterThan(5);
    const outputs = await paste(tour.map(({ commands }) => commands.replace('http://127.0.0.1:3000', api.url)));
    for (const [index, { commands, shown }] of tour.entries()) {
      expect(withoutSpace(outputs[index] ?? ''), commands).toMatch(patternOf(shown));
    }
  });
});

const MARK = '--- next step ---';

/** Runs blocks of commands in one shell, where all must exist, and returns the output of each. */
async function paste(blocks: readonly string[]): Promise<string[]> {
  const script = ['set -eu', ...blocks].join(`\necho '${MARK}'\n`);
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', script]);
  expect(stderr).toBe('');
  return stdout.split(`${MARK}\n`).slice(1);
}

const withoutSpace = (text: string): string => text.replace(/\s+/g, '');

/** Values that differ between runs, by their form in the README. */
const VARYING: readonly (readonly [shown: RegExp, pattern: string])[] = [
  [/…/, '.*'],
  [/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/, '[\\da-f]{8}(-[\\da-f]{4}){3}-[\\da-f]{12}'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/, '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z'],
  [/cst_[\w-]+/, 'cst_[\\w-]+'],
  [/acme-\d+/, 'acme-\\d+'],
];

/** The README's output as a pattern: laid out anyhow, with `…` for anything, and ids, times and secrets of its own. */
function patternOf(shown: string): RegExp {
  const varying = new RegExp(`(${VARYING.map(([form]) => form.source).join('|')})`);
  // `, … ,` and `, … }` leave out whole fields, commas and all.
  const parts = withoutSpace(shown).replaceAll(/,?…,?/g, '…').split(varying);
  const source = parts.map(
    (part) => VARYING.find(([form]) => new RegExp(`^${form.source}$`).test(part))?.[1] ?? escaped(part),
  );
  return new RegExp(`^${source.join('')}$`);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
