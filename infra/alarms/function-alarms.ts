import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { FunctionMetrics } from '../observed.ts';
import { quota, rate } from './metric-math.ts';
import { Subject } from './subject.ts';

/**
 * Alarms for the functions but the authorizer. Those behind routes turn errors into responses, so Lambda counts only
 * crashes and timeouts as errors; those of the background fail, for whatever calls them to call again.
 */
export class FunctionAlarms extends Subject {
  constructor(scope: Construct, id: string, topics: readonly ITopic[], byName: ReadonlyMap<string, FunctionMetrics>) {
    super(scope, id, topics);
    for (const [name, each] of byName) this.#watch(name, each);
    this.#watchConcurrency();
  }

  #watch(name: string, each: FunctionMetrics): void {
    const throttles = each.metric('Throttles', { statistic: 'Sum' });
    this.alarm(`function-${name}`, {
      ...rate({
        part: { errors: each.metric('Errors', { statistic: 'Sum' }), throttles },
        // Lambda does not count a throttled call as an invocation.
        whole: { invocations: each.metric('Invocations', { statistic: 'Sum' }), throttles },
        percent: 1,
        atLeast: 3,
      }),
      meaning: `1 % of the calls of ${name}, and at least 3, crashed, ran out of time or were throttled`,
      runbook: 'function',
      periods: [1, 2],
    });
  }

  /**
   * The concurrency of the account in this region, shared by all its functions.
   * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-concurrency.html
   */
  #watchConcurrency(): void {
    this.alarm('functions-concurrency', {
      ...quota({
        used: LambdaFunction.metricAll('ClaimedAccountConcurrency', { statistic: 'Maximum' }),
        quotaOf: LambdaFunction.metricAllConcurrentExecutions({ statistic: 'Maximum' }),
        percent: 80,
      }),
      meaning: '80 % of the concurrent executions that the account may have in this region were taken',
      periods: [3, 5],
    });
  }
}
