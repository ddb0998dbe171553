import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Commands of pages, pasted into bash, and their output in comparison with what the page shows. */

export interface Step {
  readonly commands: string;
  /** The page's output of the commands; undefined where it shows none. */
  readonly shown: string;
}

/** Blocks of the language `sh`, each with the block of another language that follows it before the next. */
export const stepsOf = (page: string): readonly Step[] =>
  page
    .split('```sh\n')
    .slice(1)
    .map((text) => {
      const { commands = '', shown = '' } =
        /^(?<commands>.*?)```\n(\n```(json|http|text)\n(?<shown>.*?)```)?/s.exec(text)?.groups ?? {};
      return { commands, shown };
    });

const MARK = '--- next step ---';

/** How often pages were pasted: each time they make an organization with a name of its own. */
let pastes = 0;

/** Runs a script in bash, where all variables must exist. */
export type Execute = (script: string) => Promise<{ readonly stdout: string; readonly stderr: string }>;

export const execute: Execute = (script) => promisify(execFile)('bash', ['--norc', '-c', script]);

export interface Pasted extends Step {
  readonly output: string;
  readonly isAsShown: boolean;
}

/**
 * Pastes the commands of pages, one after the other, into one shell. `url` is the API's, in place of `npm start`'s.
 * @throws what `by` throws where a command fails
 */
export async function pasteSteps(
  steps: readonly Step[],
  url: string,
  by: Execute = execute,
): Promise<{ readonly pasted: readonly Pasted[]; readonly stderr: string }> {
  // A directory of its own, or a run would find what an earlier one has left under the same random name.
  const directory = await mkdtemp(join(tmpdir(), 'custodia-pasted-'));
  pastes++;
  const blocks = steps.map(({ commands }) =>
    commands
      .replace('http://127.0.0.1:3000', url)
      .replace('acme-$RANDOM', `acme-${pastes}`)
      .replaceAll('/tmp/', `${directory}/`),
  );
  const script = ['set -eu', ...blocks].join(`\necho '${MARK}'\n`);
  const { stdout, stderr } = await by(script).finally(() => rm(directory, { recursive: true, force: true }));
  const outputs = stdout.replaceAll(directory, '/tmp').split(`${MARK}\n`).slice(1);
  const pasted = steps.map((step, index) => {
    const output = outputs[index] ?? '';
    return { ...step, output, isAsShown: patternOf(step.shown).test(withoutSpace(output)) };
  });
  return { pasted, stderr };
}

export const withoutSpace = (text: string): string => text.replace(/\s+/g, '');

/** Values that differ between runs, by their form on a page. */
const VARYING: readonly (readonly [shown: RegExp, pattern: string])[] = [
  [/…/, '.*'],
  [/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/, '[\\da-f]{8}(-[\\da-f]{4}){3}-[\\da-f]{12}'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/, '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z'],
  [/cst_[\w-]+/, 'cst_[\\w-]+'],
  [/whsec_[\w+/=]+/, 'whsec_[\\w+/=]+'],
  [/acme-\d+/, 'acme-\\d+'],
];

/** The output that a page shows as a pattern: laid out anyhow, with `…` for anything, and ids, times and secrets of its own. */
export function patternOf(shown: string): RegExp {
  const varying = new RegExp(`(${VARYING.map(([form]) => form.source).join('|')})`);
  // `, … ,` and `, … }` leave out whole fields, commas and all.
  const parts = withoutSpace(shown).replaceAll(/,?…,?/g, '…').split(varying);
  const source = parts.map(
    (part) => VARYING.find(([form]) => new RegExp(`^${form.source}$`).test(part))?.[1] ?? escaped(part),
  );
  return new RegExp(`^${source.join('')}$`);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
