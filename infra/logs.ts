import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { retention } from './retention.ts';
import type { Settings } from './settings.ts';

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
