import type { Command } from 'commander';
import { print, printJson } from '../local/terminal/output.ts';
import { openTarget, type RoleOutput, withStackOptions, withTarget } from './target.ts';
import { ORG, openForOrganization, openForTenant } from './tenant-option.ts';

/**
 * A command of the operator: its words, its options, and what it does with the stage or the tenant that these name. It
 * prints its result for people, or as JSON for programs; everything else goes to standard error.
 */
export interface CommandSpec<O extends object> {
  /** With its group: `webhooks replay`. */
  readonly name: string;
  readonly description: string;
  /** The role of the stack under which it works. Without one it calls the API. */
  readonly role?: RoleOutput;
  /** Whether it works on a deployed stage alone, and not on the data of `npm start`. */
  readonly isOfStage?: true;
  /** Whether it needs the key of secrets, too. */
  readonly secrets?: boolean;
  /**
   * What is open while it runs: the target, or the target for the tenant that `--org` names. By default it opens what
   * it needs.
   */
  readonly opens?: 'target' | 'tenant' | 'organization';
  readonly options?: (command: Command) => unknown;
  /** What follows `npx custodia`. */
  readonly examples: readonly string[];
  /**
   * @param id of the tenant, where it `opens` one
   * @returns its result; undefined where it has printed it
   */
  readonly run: (options: O & ResultOptions, id: string, args: readonly string[]) => Promise<Result | undefined>;
}

export interface ResultOptions {
  readonly json?: true;
}

export interface Result {
  readonly value: unknown;
  /** The same for people. */
  readonly lines: readonly string[];
  /** Whether it is negative, as of a search that finds nothing. */
  readonly isNegative?: boolean;
}

/** Exit codes, as those of `grep` and `diff`: 0 is done, 1 is a negative result, 2 is a failure. */
export const EXIT = { done: 0, found: 1, trouble: 2 } as const;

/** Adds a command to a program. */
export type Declare = (program: Command) => void;

/**
 * @example
 * const list = command({ name: 'platform-keys list', role: 'OperatorRoleArn', opens: 'target', … });
 * list(program);
 */
export const command =
  <O extends object>(spec: CommandSpec<O>): Declare =>
  (program) => {
    const { name, description, role, opens, examples, isOfStage, secrets = false } = spec;
    const words = name.split(' ');
    const group = words.slice(0, -1).reduce(groupIn, program);
    const declared = group.command(words.at(-1) ?? '').description(description);
    if (opens === 'tenant' || opens === 'organization') declared.requiredOption(ORG.flags, ORG[opens]);
    spec.options?.(declared);
    if (role !== undefined) (isOfStage ? withStackOptions : withTarget)(declared, role, secrets);
    declared.option('--json', 'print the answer, or why there is none, as JSON');
    declared.addHelpText('after', `\nExamples:\n${examples.map((example) => `  npx custodia ${example}`).join('\n')}`);
    declared.action(() => run(spec, declared.opts(), declared.args));
  };

/** What the groups of commands are for. */
const GROUPS: Readonly<Record<string, string>> = {
  'platform-keys': 'List, disable and rotate keys of the platform',
  organizations: 'List, suspend and resume organizations',
  integrations: 'List integrations of an organization, and cut one off',
  backup: 'What a stage can be restored from',
  webhooks: 'Apply stored webhook events again',
};

const groupIn = (parent: Command, word: string): Command =>
  parent.commands.find((each) => each.name() === word) ?? parent.command(word).description(GROUPS[word] ?? '');

async function run<O extends object>(spec: CommandSpec<O>, options: never, args: readonly string[]): Promise<void> {
  await using target = await open(spec, options);
  const result = await spec.run(options, target?.id ?? '', args);
  if (result === undefined) return;
  if ((options as ResultOptions).json) printJson(result.value);
  else print(...result.lines);
  if (result.isNegative) process.exitCode = EXIT.found;
}

async function open<O extends object>({ opens, role, secrets = false }: CommandSpec<O>, options: never) {
  if (opens === undefined || role === undefined) return undefined;
  if (opens === 'tenant') return openForTenant(options, role, { secrets });
  if (opens === 'organization') return openForOrganization(options, role);
  return Object.assign(await openTarget(options, role, { secrets }), { id: '' });
}
