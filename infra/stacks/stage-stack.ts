import { PermissionsBoundary, RemovalPolicy, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/** The stacks of a stage, in the order in which they are deployed. */
export type StackPart = 'data' | 'application' | 'api' | 'operations';

/** Suffixes of the stacks' names. No stage's name may end with one (`infra/settings.ts`). */
const SUFFIXES: Readonly<Record<StackPart, string>> = {
  data: '-data',
  application: '',
  api: '-api',
  operations: '-ops',
};

/** The prefix of all names of a stage, which is also the name of its application stack. */
const prefixOfStage = (stage: string): string => `custodia-${stage}`;

export const stackName = (stage: string, part: StackPart): string => prefixOfStage(stage) + SUFFIXES[part];

/** Properties of all stacks of a stage. */
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

/** Stack properties for the permissions boundary of all roles, where the account requires one. */
export const boundaryOf = ({
  permissionsBoundaryArn: arn,
}: Pick<Settings, 'permissionsBoundaryArn'>): Pick<StackProps, 'permissionsBoundary'> =>
  arn === undefined ? {} : { permissionsBoundary: PermissionsBoundary.fromArn(arn) };

/**
 * The prefix of a stage's names, the same in all of its stacks, by which they find each other's resources.
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

/**
 * A resource with data stays when its stack is deleted, unless the stage says otherwise. One whose creation is rolled
 * back holds no data yet, and is deleted. None of them may have a fixed name, which would be taken when the stage is
 * deployed again (`docs/decisions/0162-stacks.md`).
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
 */
export const retention = ({ deletionProtection }: Settings): RemovalPolicy =>
  deletionProtection ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

/**
 * A log group with the stage's retention. CloudFormation names it.
 * @param name only for a service that requires one, and then with a part that CloudFormation generates for each new
 * resource
 */
export const logGroup = (scope: Construct, id: string, settings: Settings, name?: string): LogGroup =>
  new LogGroup(scope, id, {
    ...(name === undefined ? {} : { logGroupName: name }),
    retention: settings.logRetentionDays,
    removalPolicy: retention(settings),
  });
