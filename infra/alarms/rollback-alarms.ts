import { Duration } from 'aws-cdk-lib';
import type { Alarm, IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { apiMetric, failures } from '../metrics.ts';
import { rate } from './metric-math.ts';
import { Subject } from './subject.ts';

/** A canary deployment takes five minutes, and CloudWatch lags by a minute or two. */
const PERIOD = Duration.minutes(1);
const PERIODS = [1, 3] as const;

/**
 * The alarms that roll back a deployment. They react sooner, to less, than the alarms that notify people. They notify
 * nobody, and matter only during a deployment.
 */
export class RollbackAlarms extends Subject {
  /** Failures for any reason, including error responses of functions and failures of the authorizer. */
  readonly api: Alarm;

  constructor(scope: Construct, id: string) {
    super(scope, id, []);
    this.api = this.silentAlarm('rollback-api', {
      ...rate({
        part: failures(this),
        whole: { requests: apiMetric(this, 'Count', { statistic: 'Sum' }) },
        percent: 1,
        atLeast: 3,
        period: PERIOD,
      }),
      meaning: '1 % of the requests of a minute, and at least 3, got a status of 500 or more',
      periods: PERIODS,
    });
  }

  /**
   * Measures only the version that is being deployed. The alias would mix it with the previous version, which takes
   * nine of ten calls: that would hide failures of the new version, and failures of the previous one would stop the
   * deployment. Not for the authorizer: to Lambda, its refusal of a token is an error.
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
