import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type IFilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { GatewayResponseType } from '../../shared/contract/gateway-problems.ts';
import { counted, type LogMetric, metricsNamespace } from '../metrics.ts';

/** Metrics that no service publishes, counted in the lines of logs. */

/** How many lines of a log group a pattern matches. Several groups may add to one metric. */
export function countLines(
  scope: Construct,
  id: string,
  logGroup: ILogGroup,
  name: LogMetric,
  pattern: IFilterPattern,
): Metric {
  new MetricFilter(scope, id, {
    logGroup,
    metricNamespace: metricsNamespace(scope),
    metricName: name,
    filterPattern: pattern,
    defaultValue: 0,
  });
  return counted(scope, name);
}

/** A line of the access log (`infra/access-log.ts`) whose answer the gateway gave by itself, for one of these reasons. */
export const answeredByGateway = (...types: readonly [GatewayResponseType, ...GatewayResponseType[]]): IFilterPattern =>
  FilterPattern.any(...types.map((type) => FilterPattern.stringValue('$.error', '=', type)));

/** A line of the access log with this status. */
export const answeredWith = (status: number): IFilterPattern =>
  FilterPattern.stringValue('$.status', '=', String(status));

/**
 * A line of a function's log that tells of an error with KMS's words in it.
 * https://docs.aws.amazon.com/kms/latest/developerguide/throttling.html
 */
export const THROTTLED_BY_KMS = FilterPattern.literal('"exceeded the rate at which you may call KMS"');
