import { Duration } from 'aws-cdk-lib';
import type { Alarm, IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { apiMetric } from '../api-metric.ts';
import { rate } from './metric-math.ts';
import { Subject } from './subject.ts';

/** A canary is watched for five minutes, and CloudWatch is a minute or two behind. */
const PERIOD = Duration.minutes(1);
const PERIODS = [1, 3] as const;

/**
 * What makes a deployment go back. They look at less, and sooner, than the alarms that somebody is told of; outside of a deployment nobody asks them, and
 * they tell nobody.
 */
export class RollbackAlarms extends Subject {
  /** Whatever the reason: also what functions return as errors, and what the authorizer fails to check. */
  readonly api: Alarm;

  constructor(scope: Construct, id: string) {
    super(scope, id, []);
    this.api = this.silentAlarm('rollback-api', {
      ...rate({
        part: { failed: apiMetric(this, '5XXError', { statistic: 'Sum' }) },
        whole: { requests: apiMetric(this, 'Count', { statistic: 'Sum' }) },
        percent: 1,
        atLeast: 3,
        period: PERIOD,
      }),
      meaning: '1 % of the requests of a minute, and at least 3, were answered with a status of 500 or more',
      periods: PERIODS,
    });
  }

  /**
   * The version that is being deployed: by the alias alone, ten calls of which nine go to the version before would hide it, and the version before would
   * hold its successor's deployment up. Not for the authorizer: what it is sent in place of a token is an error to Lambda.
   */
  ofNewVersion(name: string, alias: Alias): Alarm {
    const count = (metric: string): IMetric =>
      alias.metric(metric, {
        statistic: 'Sum',
        dimensionsMap: {
          FunctionName: alias.lambda.functionName,
          Resource: `${alias.lambda.functionName}:${alias.aliasName}`,
          ExecutedVersion: alias.version.version,
        },
      });
    return this.silentAlarm(`rollback-${name}`, {
      ...rate({
        part: { errors: count('Errors') },
        whole: { invocations: count('Invocations') },
        percent: 1,
        atLeast: 2,
        period: PERIOD,
      }),
      meaning: `1 % of the calls of the new version of ${name} in a minute, and at least 2, crashed or ran out of time`,
      runbook: 'rollback',
      periods: PERIODS,
    });
  }
}
