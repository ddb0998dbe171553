import { PermissionsBoundary, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/** The stacks of a stage, in the order in which they are deployed. */
export type StackPart = 'data' | 'application' | 'operations';

/** What the name of a stack ends with. No stage may be called so that it has the name of another's stack (`infra/settings.ts`). */
const SUFFIXES: Readonly<Record<StackPart, string>> = { data: '-data', application: '', operations: '-ops' };

/** What all names of a stage begin with; it is also the name of its application stack. */
const prefixOfStage = (stage: string): string => `custodia-${stage}`;

export const stackName = (stage: string, part: StackPart): string => prefixOfStage(stage) + SUFFIXES[part];

/** What all stacks of a stage have. */
export const stackNames = (stage: string): readonly string[] =>
  (Object.keys(SUFFIXES) as StackPart[]).map((part) => stackName(stage, part));

interface StageStackProps {
  readonly part: StackPart;
  readonly description: string;
  readonly settings: Settings;
  readonly terminationProtection?: boolean;
}

/** One of the stacks of a stage (`docs/decisions/0162-stacks.md`). */
export abstract class StageStack extends Stack {
  readonly prefix: string;
  readonly settings: Settings;

  constructor(scope: Construct, { part, description, settings, ...more }: StageStackProps) {
    const { stage } = settings;
    super(scope, stackName(stage, part), {
      description: `Custodia, stage ${stage}: ${description}`,
      ...boundaryOf(settings),
      ...more,
    });
    this.prefix = prefixOfStage(stage);
    this.settings = settings;
    Tags.of(this).add('service', 'custodia');
    Tags.of(this).add('stage', stage);
  }
}

/** The boundary of all roles of a stack, where the account wants one: properties of the stack. */
export const boundaryOf = ({ permissionsBoundaryArn: arn }: Settings): Pick<StackProps, 'permissionsBoundary'> =>
  arn === undefined ? {} : { permissionsBoundary: PermissionsBoundary.fromArn(arn) };

/**
 * What the names of a stage begin with, the same in all of its stacks: they know each other's resources by it.
 * @throws TypeError outside of a stage's stacks
 */
export const prefixOf = (scope: Construct): string => stackOf(scope).prefix;

/** @throws TypeError outside of a stage's stacks */
export const settingsOf = (scope: Construct): Settings => stackOf(scope).settings;

function stackOf(scope: Construct): StageStack {
  const stack = Stack.of(scope);
  if (!(stack instanceof StageStack)) throw new TypeError(`${stack.stackName} is no stack of a stage`);
  return stack;
}
