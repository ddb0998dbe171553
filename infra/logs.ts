import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** A log group that forgets after the stage's retention. */
export const logGroup = (scope: Construct, id: string, name: string, settings: Settings): LogGroup =>
  new LogGroup(scope, id, {
    logGroupName: name,
    retention: settings.logRetentionDays,
    removalPolicy: settings.deletionProtection ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });

/** What CloudWatch can keep logs for; it takes no number of days in between. */
export const RETENTIONS: readonly number[] = Object.values(RetentionDays).filter(
  (days): days is number => typeof days === 'number' && days <= 3653,
);
