import type { Command, Option } from 'commander';
import { operatorProgram } from '../operator/program.ts';
import { markdown } from './markdown.ts';
import { withText } from './places.ts';

/** The table of the operator's commands in `docs/operations.md`, derived from their declarations. */

export const withCommands = (page: string): string =>
  withText(
    page,
    'operator:commands',
    markdown({
      head: ['command', 'what it does', 'role'],
      rows: commandsOf(operatorProgram()).map(rowOf),
    }),
  );

/** All commands without subcommands, each with its full name. */
export function commandsOf(command: Command, path = ''): readonly DescribedCommand[] {
  const name = path === '' ? command.name() : `${path} ${command.name()}`;
  if (command.commands.length === 0) return [{ name, command }];
  return command.commands.flatMap((each) => commandsOf(each, name));
}

interface DescribedCommand {
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

/** `erase --org <id> …`: the help has the options that may be left out. */
function usageOf({ name, command }: DescribedCommand): string {
  const options = command.options.filter((option) => !isCommon(option));
  const needed = options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
  return [name.replace(/^custodia /, ''), ...needed, ...(needed.length < options.length ? ['…'] : [])].join(' ');
}

const rowOf = (described: DescribedCommand): string[] => [
  `\`${usageOf(described)}\``,
  // The first sentence: the help has the others.
  `${described.command.description().split('. ')[0]}.`,
  authorityOf(described.command),
];

/** As whom it works: under a role, whose output its option names, or as a caller of the API. */
function authorityOf(command: Command): string {
  if (command.options.some(({ long }) => long === '--url')) return 'an integration’s';
  const described = command.options.find(({ long }) => long === '--role')?.description ?? '';
  const [, output] = /output (\w+RoleArn)/.exec(described) ?? [];
  if (output === undefined) throw new Error(`${command.name()} does not say under which role it works`);
  return `\`${output}\``;
}
