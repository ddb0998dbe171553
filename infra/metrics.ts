import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type Counter, DURATION, type Outcome } from '#telemetry';
import { prefixOf } from './stacks/stage-stack.ts';

/** The namespace of a stage's own metrics. Two stages of an account must not add to the same ones. */
export const metricsNamespace = (scope: Construct): string => `Custodia/${prefixOf(scope)}`;

/** A metric without dimensions, counted by the functions or by a metric filter (`infra/alarms/log-metrics.ts`). */
export const counterMetric = (scope: Construct, metricName: Counter | LogMetric): Metric =>
  new Metric({ namespace: metricsNamespace(scope), metricName, statistic: 'Sum' });

/** Metrics of metric filters. Functions count `RequestsFailed` too: each what the other cannot see. */
export type LogMetric =
  | 'AccessDenied'
  | 'AuthorizerFailures'
  | 'FailedLogins'
  | 'RequestsFailed'
  | 'ThrottledByKms'
  | 'TooManyRequests';

/** The number of a domain's requests with this outcome. */
export const ended = (scope: Construct, domain: string, outcome: Outcome): Metric =>
  new Metric({
    namespace: metricsNamespace(scope),
    metricName: DURATION,
    dimensionsMap: { domain, outcome },
    statistic: 'SampleCount',
    label: outcome,
  });

/**
 * A metric of the whole API, by its dimension `ApiName`.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
 */
export const apiMetric = (
  scope: Construct,
  metricName: 'Count' | '4XXError' | '5XXError' | 'Latency',
  options: MetricOptions,
): Metric =>
  new Metric({ namespace: 'AWS/ApiGateway', metricName, dimensionsMap: { ApiName: prefixOf(scope) }, ...options });

/**
 * Failed requests: those with a status of 500 or more, and batches of which an operation got one. It is not the
 * gateway's `5XXError`, which knows no contention: whoever races with its own requests would raise alarms and roll back
 * deployments (`docs/decisions/0056-alarms.md`).
 */
export const failures = (scope: Construct) => ({ failed: counterMetric(scope, 'RequestsFailed') });

/**
 * A metric of a queue:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
export const queueMetric = (
  QueueName: string,
  metricName: 'ApproximateAgeOfOldestMessage' | 'ApproximateNumberOfMessagesVisible',
  options: MetricOptions = {},
): Metric =>
  new Metric({ namespace: 'AWS/SQS', metricName, dimensionsMap: { QueueName }, statistic: 'Maximum', ...options });

/**
 * KMS calls of the account in this region, by quota. Symmetric keys encrypt secrets; elliptic curve keys sign tokens.
 * https://aws.amazon.com/blogs/security/manage-your-aws-kms-api-request-rates-using-service-quotas-and-amazon-cloudwatch/
 */
export const callsOfKms = (kind: 'Symmetric' | 'Ecc'): Metric =>
  new Metric({
    namespace: 'AWS/Usage',
    metricName: 'CallCount',
    dimensionsMap: { Service: 'KMS', Type: 'API', Resource: `CryptographicOperations${kind}`, Class: 'None' },
    statistic: 'Sum',
  });
