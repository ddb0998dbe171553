import type { Command } from 'commander';
import { print, printJson } from '../local/terminal/output.ts';

/** What a command prints: for people, or as JSON for programs. Whatever else it has to say goes to standard error. */

export interface ResultOptions {
  readonly json?: true;
}

export const withJson = (command: Command): Command =>
  command.option('--json', 'print the answer, or why there is none, as JSON');

/** Prints the answer of a command. `lines`: the same for people. */
export function printResult({ json }: ResultOptions, value: unknown, lines: readonly string[]): void {
  if (json) printJson(value);
  else print(...lines);
}

/** Adds examples to the help of a command. */
export const withExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  npx custodia ${example}`).join('\n')}`);

/** Exit codes: 0 it is done; as with `grep` and `diff`, 1 is an answer and 2 is trouble. */
export const EXIT = { done: 0, found: 1, trouble: 2 } as const;
