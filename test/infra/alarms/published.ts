import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { resourcesOf, type Templates } from '../synthesize.ts';

/**
 * What AWS publishes of what the alarms watch and the dashboard shows: the dimensions that a metric has, for CloudWatch sums up over none that is left out and finds no metric where one is
 * too many, and the statistics that mean something. Read in the documentation in November 2026.
 */
interface Published {
  /** In the order of the alphabet. */
  readonly dimensions: readonly string[];
  readonly statistics: readonly string[];
  /** A second set of dimensions that it is published by. */
  readonly also?: readonly string[];
}

const counted = (...dimensions: string[]): Published => ({ dimensions, statistics: ['Sum'] });

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html */
const API_GATEWAY = {
  '4XXError': counted('ApiName'),
  '5XXError': counted('ApiName'),
  Count: counted('ApiName'),
  Latency: { dimensions: ['ApiName'], statistics: ['p50', 'p90', 'p99', 'Average', 'Maximum'] },
};

/** Of an alias between two versions, for each of them: https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-view.html */
const OF_VERSION = ['ExecutedVersion', 'FunctionName', 'Resource'];

/** https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html */
const LAMBDA = {
  Invocations: { ...counted('FunctionName'), also: OF_VERSION },
  Errors: { ...counted('FunctionName'), also: OF_VERSION },
  Throttles: counted('FunctionName'),
  Duration: { dimensions: ['FunctionName'], statistics: ['p50', 'p90', 'p99', 'Average', 'Maximum'] },
  // https://docs.aws.amazon.com/lambda/latest/dg/monitoring-concurrency.html: of the account in the region.
  ClaimedAccountConcurrency: { dimensions: [], statistics: ['Maximum'] },
  ConcurrentExecutions: { dimensions: [], statistics: ['Maximum'] },
};

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html */
const DYNAMODB = {
  ReadThrottleEvents: counted('TableName'),
  WriteThrottleEvents: counted('TableName'),
  ThrottledRequests: counted('Operation', 'TableName'),
  SystemErrors: counted('Operation', 'TableName'),
  TransactionConflict: counted('TableName'),
  ConsumedReadCapacityUnits: counted('TableName'),
  ConsumedWriteCapacityUnits: counted('TableName'),
  SuccessfulRequestLatency: {
    dimensions: ['Operation', 'TableName'],
    statistics: ['SampleCount', 'Average', 'Maximum'],
  },
};

/** https://docs.aws.amazon.com/waf/latest/developerguide/waf-metrics.html: of a regional web ACL. */
const WAF = {
  AllowedRequests: counted('Region', 'Rule', 'WebACL'),
  BlockedRequests: counted('Region', 'Rule', 'WebACL'),
};

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Usage-Metrics.html */
const USAGE = { CallCount: counted('Class', 'Resource', 'Service', 'Type') };

/** https://docs.aws.amazon.com/acm/latest/userguide/cloudwatch-metrics.html */
const CERTIFICATES = { DaysToExpiry: { dimensions: ['CertificateArn'], statistics: ['Minimum'] } };

type ByNamespace = Readonly<Record<string, Readonly<Record<string, Published>>>>;

const PUBLISHED: ByNamespace = {
  'AWS/ApiGateway': API_GATEWAY,
  'AWS/Lambda': LAMBDA,
  'AWS/DynamoDB': DYNAMODB,
  'AWS/WAFV2': WAF,
  'AWS/Usage': USAGE,
  'AWS/CertificateManager': CERTIFICATES,
};

const transformations = z.array(z.object({ MetricNamespace: z.string(), MetricName: z.string() }));

/** What the metric filters of a stack publish, in its own namespace. */
const byFilters = (of: Template | Templates): ByNamespace => {
  const counted = resourcesOf(of, 'AWS::Logs::MetricFilter').flatMap(([, { Properties }]) =>
    transformations.parse(Properties.MetricTransformations),
  );
  const ofNamespace = (namespace: string) => counted.filter(({ MetricNamespace }) => MetricNamespace === namespace);
  return Object.fromEntries(
    counted.map(({ MetricNamespace }) => [
      MetricNamespace,
      Object.fromEntries(
        ofNamespace(MetricNamespace).map(({ MetricName }) => [MetricName, { dimensions: [], statistics: ['Sum'] }]),
      ),
    ]),
  );
};

/** A metric that is watched or shown. */
interface Shown {
  readonly namespace: string;
  readonly name: string;
  /** Names of its dimensions. */
  readonly dimensions: readonly string[];
  readonly statistic: string;
}

/** Those of these metrics that nobody publishes, in words. */
export const unpublished = (
  shown: readonly Shown[],
  of: Template | Templates,
  ofFunctions: ByNamespace = {},
): string[] => {
  const sources = [PUBLISHED, byFilters(of), ofFunctions];
  return shown.flatMap(({ namespace, name, dimensions, statistic }) => {
    const by = dimensions.toSorted().join();
    const isPublished = sources
      .flatMap((source) => source[namespace]?.[name] ?? [])
      .some(
        (known) =>
          [known.dimensions, known.also ?? []].some(
            (each) => each.length === dimensions.length && each.toSorted().join() === by,
          ) && known.statistics.includes(statistic),
      );
    return isPublished ? [] : [`${namespace} ${name} ${statistic} by ${by}`];
  });
};
