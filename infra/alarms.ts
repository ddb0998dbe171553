import { Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Alarm, ComparisonOperator, type IMetric, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Functions } from './functions.ts';
import type { Settings } from './settings.ts';

interface AlarmsProps {
  readonly api: RestApi;
  readonly functions: Functions;
  readonly table: TableV2;
  readonly settings: Settings;
}

const PERIOD = Duration.minutes(5);

/** Tells somebody when callers are badly served: by mail, where the stage names an address. */
export class Alarms extends Construct {
  readonly #topic: Topic | undefined;

  constructor(scope: Construct, id: string, { api, functions, table, settings }: AlarmsProps) {
    super(scope, id);
    if (settings.alarmEmail !== undefined) {
      this.#topic = new Topic(this, 'Topic', { enforceSSL: true });
      this.#topic.addSubscription(new EmailSubscription(settings.alarmEmail));
    }
    this.#watchApi(api);
    this.#watchTable(table);
    for (const [name, { lambda }] of functions.byName) {
      const failures = new MathExpression({
        expression: 'errors + throttles',
        usingMetrics: { errors: lambda.metricErrors(), throttles: lambda.metricThrottles() },
        period: PERIOD,
      });
      this.#alarm(`function-${name}`, failures, 1, `${name} crashed, ran out of time or was throttled`);
    }
  }

  #watchApi(api: RestApi): void {
    const failing = new MathExpression({
      expression: '100 * failed / MAX([all, 20])',
      usingMetrics: {
        failed: api.metricServerError({ statistic: 'Sum' }),
        all: api.metricCount({ statistic: 'Sum' }),
      },
      period: PERIOD,
    });
    this.#alarm('api-5xx', failing, 1, 'more than 1 % of the requests, and of twenty, failed');
    const slow = api.metricLatency({ statistic: 'p99', period: PERIOD });
    this.#alarm('api-slow', slow, 3_000, '1 % of the requests took more than 3 s', 3);
  }

  #watchTable(table: TableV2): void {
    const throttled = new MathExpression({
      expression: 'reads + writes',
      usingMetrics: {
        reads: table.metric('ReadThrottleEvents', { statistic: 'Sum' }),
        writes: table.metric('WriteThrottleEvents', { statistic: 'Sum' }),
      },
      period: PERIOD,
    });
    this.#alarm('table-throttled', throttled, 10, 'DynamoDB turned requests away', 2);
  }

  /** At `threshold` or above for so many periods on end. */
  #alarm(name: string, metric: IMetric, threshold: number, meaning: string, periods = 1): void {
    const alarm = new Alarm(this, name, {
      alarmName: `${Stack.of(this).stackName}-${name}`,
      alarmDescription: meaning,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (this.#topic !== undefined) alarm.addAlarmAction(new SnsAction(this.#topic));
  }
}
