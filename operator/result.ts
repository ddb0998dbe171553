import type { Command } from 'commander';
import { print, printJson } from '../local/terminal/output.ts';

/** A command prints its result for people, or as JSON for programs. Everything else goes to standard error. */

export interface ResultOptions {
  readonly json?: true;
}

export const withJson = (command: Command): Command =>
  command.option('--json', 'print the answer, or why there is none, as JSON');

/** Prints the result of a command. `lines`: the same for people. */
export function printResult({ json }: ResultOptions, value: unknown, lines: readonly string[]): void {
  if (json) printJson(value);
  else print(...lines);
}

/** Adds examples to the help of a command. */
export const withExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  npx custodia ${example}`).join('\n')}`);

/** Exit codes, as those of `grep` and `diff`: 0 is done, 1 is a negative result, 2 is a failure. */
export const EXIT = { done: 0, found: 1, trouble: 2 } as const;
