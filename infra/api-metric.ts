import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { prefixOf } from './stacks/stage-stack.ts';

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
