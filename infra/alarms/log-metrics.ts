import {
  FilterPattern,
  type IFilterPattern,
  type ILogGroup,
  type JsonPattern,
  MetricFilter,
} from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { GATEWAY_PROBLEMS, type Route } from '#contract';
import { type LogMetric, metricsNamespace } from '../metrics.ts';
import type { Observed } from '../observed.ts';
import { usesKeys } from '../rights.ts';

/** Metrics that no service publishes, counted from log lines (`alarm-logs.stack.test.ts`). */

interface LogMetricsProps {
  readonly observed: Observed;
  /** The route of the login. */
  readonly login: Pick<Route, 'method' | 'path'> | undefined;
  /** Whether to count only what a small stage pays for. */
  readonly isSmall: boolean;
}

export function countLogLines(scope: Construct, { observed, login, isSmall }: LogMetricsProps): void {
  const { accessLogs } = observed;
  const functions = [...observed.functions];
  const count = (...row: CountedLines) => countLines(scope, ...row);
  count('RequestsFailed', accessLogs, FAILED_IN_GATEWAY, { fillMissing: false });
  for (const [name, { logs }] of functions)
    count('AccessDenied', logs, DENIED_BY_AWS, { of: name, fillMissing: false });
  if (isSmall) return;
  count('TooManyRequests', accessLogs, respondedWith(429));
  count('AuthorizerFailures', accessLogs, AUTHORIZER_FAILED);
  // 429 is for callers who have failed too often and have to wait.
  if (login !== undefined) count('FailedLogins', accessLogs, routeRespondedWith(login, 401, 429));
  for (const [name, { logs, rights }] of functions)
    if (usesKeys(rights)) count('ThrottledByKms', logs, THROTTLED_BY_KMS, { of: name });
}

type CountedLines = readonly [name: LogMetric, logGroup: ILogGroup, pattern: IFilterPattern, options?: CountOptions];

interface CountOptions {
  /** The function whose log it is: the logs of several functions add to one metric. */
  readonly of?: string;
  /** Whether the metric is 0, and paid for, while no line matches. */
  readonly fillMissing?: boolean;
}

function countLines(
  scope: Construct,
  ...[metricName, logGroup, filterPattern, { of = '', fillMissing = true } = {}]: CountedLines
): void {
  new MetricFilter(scope, `${metricName}${of}`, {
    logGroup,
    metricNamespace: metricsNamespace(scope),
    metricName,
    filterPattern,
    ...(fillMissing && { defaultValue: 0 }),
  });
}

type GatewayError = keyof typeof GATEWAY_PROBLEMS;

/**
 * Matches lines of the access log (`infra/rest-api.ts`) whose response the gateway itself made, for one of these
 * reasons.
 */
const respondedByGateway = (...types: readonly [GatewayError, ...GatewayError[]]): IFilterPattern =>
  FilterPattern.any(...types.map((type) => FilterPattern.stringValue('$.error', '=', type)));

/**
 * Matches lines of the access log of requests that failed in the gateway itself, or in a function that crashed or ran
 * out of time.
 */
const FAILED_IN_GATEWAY = respondedByGateway(
  'DEFAULT_5XX',
  ...(Object.keys(GATEWAY_PROBLEMS) as GatewayError[]).filter((type) => (GATEWAY_PROBLEMS[type].status ?? 0) >= 500),
);

/** Matches lines of the access log of requests whose caller the authorizer could not check. */
const AUTHORIZER_FAILED = respondedByGateway('AUTHORIZER_FAILURE', 'AUTHORIZER_CONFIGURATION_ERROR');

/** Matches lines of the access log with one of these statuses. */
const respondedWith = (...statuses: readonly [number, ...number[]]): JsonPattern =>
  FilterPattern.any(...statuses.map((status) => FilterPattern.stringValue('$.status', '=', String(status))));

/** Matches lines of the access log of this route, with one of these statuses. */
const routeRespondedWith = (
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
const DENIED_BY_AWS = FilterPattern.any(
  ...['$.error', '$.error.cause', '$.error.cause.cause'].map((error) =>
    FilterPattern.stringValue(`${error}.name`, '=', 'AccessDenied*'),
  ),
);

/**
 * Matches lines of a function's log with an error whose message contains KMS's words.
 * https://docs.aws.amazon.com/kms/latest/developerguide/throttling.html
 */
const THROTTLED_BY_KMS = FilterPattern.literal('"exceeded the rate at which you may call KMS"');
