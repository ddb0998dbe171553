import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type Counter, DURATION, type Outcome } from '#telemetry';
import { prefixOf } from './stacks/stage-stack.ts';

/** The namespace of a stage's own metrics. Two stages of an account must not add to the same ones. */
export const metricsNamespace = (scope: Construct): string => `Custodia/${prefixOf(scope)}`;

/** A metric without dimensions: what the functions count, or a metric filter does (`infra/alarms/log-metrics.ts`). */
export const counterMetric = (scope: Construct, metricName: Counter | LogMetric): Metric =>
  new Metric({ namespace: metricsNamespace(scope), metricName, statistic: 'Sum' });

/** What metric filters count. */
export type LogMetric = 'AccessDenied' | 'AuthorizerFailures' | 'FailedLogins' | 'ThrottledByKms' | 'TooManyRequests';

/** How many requests of a domain had this outcome. */
export const ended = (scope: Construct, domain: string, outcome: Outcome): Metric =>
  new Metric({
    namespace: metricsNamespace(scope),
    metricName: DURATION,
    dimensionsMap: { domain, outcome },
    statistic: 'SampleCount',
    label: outcome,
  });
