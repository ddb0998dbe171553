import { ArnFormat, Stack } from 'aws-cdk-lib';
import { Alias, type IFunction, type IVersion, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { prefixOf } from './stacks/stage-stack.ts';

/** CDK's classes are not its interfaces where an optional property may not be `undefined`: so it is said to be both. */
export type FunctionAlias = Alias & IFunction;

const LIVE = 'live';

/** Name of a function, by that of its folder. Fixed, so that others can name it without a reference. */
export const functionNameOf = (scope: Construct, name: string): string => `${prefixOf(scope)}-${name}`;

/** ARN of a function's alias, without a reference to it. */
export const liveArn = (scope: Construct, name: string): string =>
  Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: `${functionNameOf(scope, name)}:${LIVE}`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

/**
 * What is served of a function: the version that the last deployment published. A version is its code and its whole configuration, so that another
 * environment makes one too. CloudFormation deletes the version before when the stack's update is through, and not earlier, so that until then
 * everything can go back to it. It has no description: a new one with old code would be a version that Lambda does not publish
 * (`docs/decisions/0100-deploying.md`).
 */
export class LiveAlias extends Construct {
  readonly alias: FunctionAlias;

  /** @param standingBy executions that need no cold start */
  constructor(scope: Construct, id: string, lambda: LambdaFunction, standingBy: number | undefined) {
    super(scope, id);
    this.alias = new Alias(this, 'Alias', {
      aliasName: LIVE,
      version: lambda.currentVersion as IVersion,
      ...(standingBy === undefined ? {} : { provisionedConcurrentExecutions: standingBy }),
    }) as FunctionAlias;
  }
}
