import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

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
