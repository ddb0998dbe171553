import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** A log group that forgets after the stage's retention. */
export const logGroup = (scope: Construct, id: string, name: string, settings: Settings): LogGroup =>
  new LogGroup(scope, id, {
    logGroupName: name,
    retention: settings.logRetentionDays,
    removalPolicy: settings.deletionProtection ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
