import { ArnFormat, Stack } from 'aws-cdk-lib';
import { Alias, type IFunction, type IVersion, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { prefixOf } from './stacks/stage-stack.ts';

/** Under `exactOptionalPropertyTypes`, CDK's classes do not match its interfaces, so the type names both. */
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
 * The live version of a function: the one that the last deployment published. A version contains code and
 * configuration, so a changed environment also makes a new version. CloudFormation deletes the previous version only at
 * the end of the stack's update, so that a rollback finds it. A version has no description: Lambda does not publish a
 * version that differs in its description alone (`docs/decisions/0100-deploying.md`).
 */
export class LiveAlias extends Construct {
  readonly alias: FunctionAlias;

  /** @param standingBy provisioned executions, which need no cold start */
  constructor(scope: Construct, id: string, lambda: LambdaFunction, standingBy: number | undefined) {
    super(scope, id);
    this.alias = new Alias(this, 'Alias', {
      aliasName: LIVE,
      version: lambda.currentVersion as IVersion,
      ...(standingBy === undefined ? {} : { provisionedConcurrentExecutions: standingBy }),
    }) as FunctionAlias;
  }
}
