import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import {
  FilterPattern,
  type IFilterPattern,
  type ILogGroup,
  type JsonPattern,
  MetricFilter,
} from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Route } from '#contract';
import { GATEWAY_PROBLEMS } from '#contract/gateway';
import { counterMetric, type LogMetric, metricsNamespace } from '../metrics.ts';

/** Metrics that no service publishes, counted from log lines. */

/**
 * Counts the lines of a log group that match a pattern. Several groups may add to one metric.
 * @param withZeros whether the metric is also published, and paid for, while no line matches
 */
export function countLines(
  scope: Construct,
  id: string,
  logGroup: ILogGroup,
  name: LogMetric,
  pattern: IFilterPattern,
  { withZeros = true } = {},
): Metric {
  new MetricFilter(scope, id, {
    logGroup,
    metricNamespace: metricsNamespace(scope),
    metricName: name,
    filterPattern: pattern,
    ...(withZeros && { defaultValue: 0 }),
  });
  return counterMetric(scope, name);
}

type GatewayError = keyof typeof GATEWAY_PROBLEMS;

/**
 * Matches lines of the access log (`infra/access-log.ts`) whose response the gateway itself made, for one of these
 * reasons.
 */
export const respondedByGateway = (...types: readonly [GatewayError, ...GatewayError[]]): IFilterPattern =>
  FilterPattern.any(...types.map((type) => FilterPattern.stringValue('$.error', '=', type)));

/** Matches lines of the access log of requests that failed in the gateway itself, or in a function that crashed or ran out of time. */
export const failedInGateway = (): IFilterPattern =>
  respondedByGateway(
    'DEFAULT_5XX',
    ...(Object.keys(GATEWAY_PROBLEMS) as GatewayError[]).filter((type) => (GATEWAY_PROBLEMS[type].status ?? 0) >= 500),
  );

/** Matches lines of the access log with one of these statuses. */
export const respondedWith = (...statuses: readonly [number, ...number[]]): JsonPattern =>
  FilterPattern.any(...statuses.map((status) => FilterPattern.stringValue('$.status', '=', String(status))));

/** Matches lines of the access log of this route, with one of these statuses. */
export const routeRespondedWith = (
  { method, path }: Pick<Route, 'method' | 'path'>,
  ...statuses: readonly [number, ...number[]]
): JsonPattern =>
  FilterPattern.all(
    FilterPattern.stringValue('$.method', '=', method),
    FilterPattern.stringValue('$.resource', '=', path),
    respondedWith(...statuses),
  );

/**
 * Matches lines of a function's log with an error, or cause of an error, that says that AWS denied a call. It compares
 * only the error's name, because a message may quote a caller. STS uses `AccessDenied`, other services
 * `AccessDeniedException`.
 */
export const DENIED_BY_AWS = FilterPattern.any(
  ...['$.error', '$.error.cause', '$.error.cause.cause'].map((error) =>
    FilterPattern.stringValue(`${error}.name`, '=', 'AccessDenied*'),
  ),
);

/**
 * Matches lines of a function's log with an error whose message contains KMS's words.
 * https://docs.aws.amazon.com/kms/latest/developerguide/throttling.html
 */
export const THROTTLED_BY_KMS = FilterPattern.literal('"exceeded the rate at which you may call KMS"');
