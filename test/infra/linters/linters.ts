import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { isExecutable } from '../../support/executable.ts';

/** Linters of templates that do not run on Node: they run where they are installed. */

const ROOT = join(import.meta.dirname, '../../..');

interface Linter {
  readonly name: string;
  readonly args: (templates: readonly string[]) => readonly string[];
}

export const LINTERS: readonly Linter[] = [
  { name: 'cfn-lint', args: (templates) => ['--config-file', join(ROOT, '.cfnlintrc.yaml'), '--', ...templates] },
  {
    name: 'checkov',
    args: (templates) => [
      '--config-file',
      join(ROOT, '.checkov.yaml'),
      ...templates.flatMap((each) => ['--file', each]),
    ],
  },
];

export interface Linted {
  readonly name: string;
  /** `missing`: it is not on the path, or does not start. */
  readonly result: 'clean' | 'findings' | 'missing';
  /** What it printed. */
  readonly text: string;
}

/**
 * Runs a linter over template files.
 * @param path of executables, as in `PATH`
 */
export function lint({ name, args }: Linter, templates: readonly string[], path: string): Linted {
  const executable = path
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find(isExecutable);
  if (
    executable === undefined ||
    spawnSync(executable, ['--version'], { env: { ...process.env, PATH: path } }).status !== 0
  )
    return { name, result: 'missing', text: '' };
  const { status, stdout, stderr } = spawnSync(executable, args(templates), {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
  });
  return { name, result: status === 0 ? 'clean' : 'findings', text: `${stdout}${stderr}` };
}

/** What to print, and the exit code: 1 where one found something, 2 where none could run. */
export function verdict(linted: readonly Linted[]): { readonly lines: readonly string[]; readonly exitCode: number } {
  const lines = linted.map(({ name, result, text }) => {
    if (result === 'missing') return `${name}: NOT RUN, for it is not installed (pip install ${name})`;
    return result === 'clean' ? `${name}: nothing found` : `${name}: findings\n${text}`;
  });
  if (linted.some(({ result }) => result === 'findings')) return { lines, exitCode: 1 };
  const isChecked = linted.some(({ result }) => result === 'clean');
  return isChecked ? { lines, exitCode: 0 } : { lines: [...lines, 'Nothing was checked.'], exitCode: 2 };
}
