import type { Command } from 'commander';
import { operatorProgram } from '../../operator/program.ts';

/** The command that these words of a command line call, such as `tenants erase --org …`. */
export function commandOf(words: readonly string[], from: Command = operatorProgram()): Command {
  const next = from.commands.find((each) => each.name() === words[0]);
  return next === undefined ? from : commandOf(words.slice(1), next);
}

/** Errors in a call of `npx custodia`: an unknown command, unknown options, or missing required options. */
export function mistakesIn(words: readonly string[]): string[] {
  const command = commandOf(words);
  const known = command.options.map(({ long }) => long);
  const given = words.filter((word) => word.startsWith('--'));
  const required = command.options.flatMap(({ mandatory, long }) => (mandatory ? [String(long)] : []));
  return [
    ...(command.commands.length > 0 ? [`${command.name()} is a group of commands`] : []),
    ...given.filter((option) => !known.includes(option)).map((option) => `there is no ${option}`),
    ...required.filter((option) => !words.includes(option)).map((option) => `${option} is missing`),
  ];
}
