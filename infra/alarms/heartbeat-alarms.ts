import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { Subject } from './subject.ts';

interface HeartbeatAlarmsProps {
  readonly topics: readonly ITopic[];
  readonly calls: IMetric;
  readonly errors: IMetric;
}

/** Alarms for the heartbeat: when the stage does not respond to it, and when the heartbeat itself stops. */
export class HeartbeatAlarms extends Subject {
  constructor(scope: Construct, id: string, { topics, calls, errors }: HeartbeatAlarmsProps) {
    super(scope, id, topics);
    this.alarm('heartbeat', {
      metric: new MathExpression({
        expression: 'FILL(calls, 0) - FILL(errors, 0)',
        usingMetrics: { calls, errors },
        period: Duration.minutes(1),
      }),
      threshold: 1,
      below: true,
      meaning: 'for five minutes no call of the health check succeeded, or none was made',
      periods: [5, 5],
      missing: TreatMissingData.BREACHING,
    });
  }
}
