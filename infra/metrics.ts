import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type Counter, DURATION, type Outcome } from '#telemetry/metrics';
import type { Rights } from './rights.ts';
import { functionNameOf } from './service-function.ts';
import type { ApplicationStack } from './stacks/stage.ts';
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
 * Failed requests: those with a status of 500 or more, and batches of which an operation got one. It is not the gateway's `5XXError`, which
 * knows no contention: whoever races with its own requests would raise alarms and roll back deployments (`docs/decisions/0056-alarms.md`).
 */
export const failures = (scope: Construct) => ({ failed: counterMetric(scope, 'RequestsFailed') });

/**
 * A metric of a queue: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
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

/** Lambda's metrics of a function. */
export type FunctionMetrics = Pick<IFunction, 'metric'>;

interface ObservedFunction {
  readonly lambda: FunctionMetrics;
  readonly logs: ILogGroup;
  readonly rights: Rights;
}

/**
 * What the operations stack knows of the application. Both stacks derive the names of functions and the API from the
 * stage. CloudFormation names log groups: their names come from the application's outputs as weak references, which do
 * not block changes of the application (`docs/decisions/0162-stacks.md`).
 */
export class Observed extends Construct {
  readonly functions: ReadonlyMap<string, ObservedFunction>;
  readonly accessLogs: ILogGroup;
  /** Where callers find the paths of the contracts. */
  readonly baseUrl: string;

  constructor(scope: Construct, id: string, { api, functions }: Pick<ApplicationStack, 'api' | 'functions'>) {
    super(scope, id);
    this.accessLogs = api.accessLogs;
    this.baseUrl = api.baseUrl;
    this.functions = new Map(
      Array.from(functions.byName, ([name, { logs, rights }]) => [
        name,
        { lambda: this.#metricsOf(name), logs, rights },
      ]),
    );
  }

  /** @throws TypeError where the application has no such function */
  lambda(name: string): FunctionMetrics {
    const found = this.functions.get(name);
    if (found === undefined) throw new TypeError(`there is no function ${name}`);
    return found.lambda;
  }

  #metricsOf(name: string): FunctionMetrics {
    const dimensionsMap = { FunctionName: functionNameOf(this, name) };
    return {
      metric: (metricName, options) => new Metric({ namespace: 'AWS/Lambda', metricName, dimensionsMap, ...options }),
    };
  }
}
