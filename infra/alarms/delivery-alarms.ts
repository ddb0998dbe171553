import { Duration } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { deadLettersName, queueName } from '../deliveries.ts';
import { queueMetric } from '../metrics.ts';
import type { FunctionMetrics } from '../observed.ts';
import { Subject } from './subject.ts';

interface DeliveryAlarmsProps {
  readonly topics: readonly ITopic[];
  /** The function that the table's stream calls; undefined where the table has no stream. */
  readonly bell: FunctionMetrics | undefined;
}

/**
 * Alarms for what wakes deliveries. None of them is about receivers: an endpoint that fails is its owner's matter. The
 * functions themselves have alarms like all others (`function-alarms.ts`).
 */
export class DeliveryAlarms extends Subject {
  constructor(scope: Construct, id: string, { topics, bell }: DeliveryAlarmsProps) {
    super(scope, id, topics);
    const period = Duration.minutes(5);
    this.alarm('delivery-backlog', {
      metric: queueMetric(queueName(this), 'ApproximateAgeOfOldestMessage', { period }),
      // A wake-up may be delayed by 15 minutes, and be in work for a minute.
      threshold: Duration.minutes(30).toSeconds(),
      meaning: 'the oldest wake-up of a delivery has waited for 30 minutes, in two periods of five minutes',
      periods: [2, 3],
    });
    this.alarm('delivery-dead-letters', {
      metric: queueMetric(deadLettersName(this), 'ApproximateNumberOfMessagesVisible', { period }),
      threshold: 1,
      meaning: 'a wake-up of a delivery failed five times, or a batch of changes for ten minutes',
      periods: [1, 2],
    });
    if (bell === undefined) return;
    this.alarm('delivery-bell-late', {
      // https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
      metric: bell.metric('IteratorAge', { statistic: 'Maximum', period }),
      threshold: period.toMilliseconds(),
      meaning: 'changes wake deliveries five minutes late, in two periods of five minutes',
      periods: [2, 3],
    });
  }
}
