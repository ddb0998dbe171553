import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { FunctionMetrics } from '../observed.ts';
import { countLines, respondedByGateway } from './log-metrics.ts';
import { percentile, rate } from './metric-math.ts';
import { Subject } from './subject.ts';

interface AuthorizerAlarmsProps {
  readonly topics: readonly ITopic[];
  readonly accessLogs: ILogGroup;
  readonly requests: IMetric;
  readonly authorizer: FunctionMetrics;
}

/**
 * Alarms for the authorizer. It throws an error to refuse a caller, as it does in a crash, and anybody can provoke a
 * refusal. So failures are counted in the gateway's access log, which distinguishes the two
 * (`docs/decisions/0056-alarms.md`).
 */
export class AuthorizerAlarms extends Subject {
  constructor(scope: Construct, id: string, { topics, accessLogs, requests, authorizer }: AuthorizerAlarmsProps) {
    super(scope, id, topics);
    const failed = respondedByGateway('AUTHORIZER_FAILURE', 'AUTHORIZER_CONFIGURATION_ERROR');
    this.alarm('authorizer-failing', {
      ...rate({
        part: { failed: countLines(this, 'Failures', accessLogs, 'AuthorizerFailures', failed) },
        whole: { requests },
        percent: 1,
        atLeast: 5,
      }),
      meaning: 'the authorizer could not check the callers of 1 % of the requests, and of at least 5',
      periods: [1, 2],
    });
    this.alarm('authorizer-slow', {
      ...percentile({
        value: authorizer.metric('Duration', { statistic: 'p99' }),
        samples: authorizer.metric('Invocations', { statistic: 'Sum' }),
        minimum: 100,
        threshold: 1_000,
      }),
      meaning: '1 % of at least 100 checks of callers took more than 1 s, for a quarter of an hour',
      periods: [3, 4],
    });
  }
}
