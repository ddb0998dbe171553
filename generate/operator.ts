import type { Command, Option } from 'commander';
import { operatorProgram } from '../operator/program.ts';
import { markdown } from './markdown.ts';
import { withText } from './places.ts';

/** The section of `docs/operations.md` about the operator's commands, derived from their declarations. */

export const withCommands = (page: string): string =>
  withText(page, 'operator:commands', commandsOf(operatorProgram()).map(sectionOf).join('\n\n'));

/** All commands without subcommands, each with its full name. */
export function commandsOf(command: Command, path = ''): readonly DescribedCommand[] {
  const name = path === '' ? command.name() : `${path} ${command.name()}`;
  if (command.commands.length === 0) return [{ name, command }];
  return command.commands.flatMap((each) => commandsOf(each, name));
}

export interface DescribedCommand {
  /** `custodia platform-keys list` */
  readonly name: string;
  readonly command: Command;
}

/**
 * Options about where a command works and how it prints its result. They are the same for all commands, and described
 * once.
 */
const COMMON = new Set(['--outputs', '--table', '--role', '--region', '--secrets-key', '--local', '--json']);

export const isCommon = ({ long }: Option): boolean => COMMON.has(long ?? '');

function sectionOf({ name, command }: DescribedCommand): string {
  const own = command.options.filter((option) => !isCommon(option));
  return [
    `### ${name.replace(/^custodia /, '')}`,
    `${command.description()}. ${authorityOf(command)}`,
    ...(own.length === 0 ? [] : [markdown({ head: ['option', 'meaning'], rows: own.map(rowOf) })]),
    ['```bash', ...examplesOf(command), '```'].join('\n'),
  ].join('\n\n');
}

const rowOf = ({ flags, description, argChoices, mandatory, defaultValue }: Option): string[] => [
  `\`${flags}\``,
  [
    description,
    ...(argChoices === undefined ? [] : [argChoices.map((choice) => `\`${choice}\``).join(', ')]),
    ...(mandatory ? ['required'] : []),
    ...(defaultValue === undefined ? [] : [`default \`${defaultValue}\``]),
  ].join('; '),
];

/** As whom it works: under a role, whose output its option names, or as a caller of the API. */
function authorityOf(command: Command): string {
  if (command.options.some(({ long }) => long === '--url')) return 'It calls the API as an integration.';
  const described = command.options.find(({ long }) => long === '--role')?.description ?? '';
  const [, output] = /output (\w+RoleArn)/.exec(described) ?? [];
  if (output === undefined) throw new Error(`${command.name()} does not say under which role it works`);
  return `It works under \`${output}\`.`;
}

/** The examples in the help, as they are typed. */
function examplesOf(command: Command): string[] {
  let help = '';
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
  });
  command.outputHelp();
  const examples = help.split('\n').flatMap((line) => /^ +(npx custodia .*)/.exec(line)?.[1] ?? []);
  if (examples.length === 0) throw new Error(`${command.name()} has no example`);
  return examples;
}
