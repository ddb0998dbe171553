import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import type { Counter } from '#telemetry';
import { accessLine, Invocation } from '../../../shared/telemetry/invocation.ts';
import { COUNTERS } from '../../../shared/telemetry/metrics.ts';
import { resourcesOf, type Templates } from '../synthesize.ts';

/**
 * What AWS publishes of what the alarms watch and the dashboard shows: the dimensions that a metric has, for CloudWatch
 * sums up over none that is left out and finds no metric where one is too many, and the statistics that mean something.
 * Read in the documentation in November 2026.
 */
interface Published {
  /** Names with commas between, in the order of the alphabet; or several such sets. */
  readonly by: readonly string[];
  readonly statistics: readonly string[];
}

const counted = (...by: string[]): Published => ({ by, statistics: ['Sum'] });
const timed = (by: string): Published => ({ by: [by], statistics: ['p50', 'p90', 'p99', 'Average', 'Maximum'] });
const most = (by: string): Published => ({ by: [by], statistics: ['Maximum'] });
/** Of an alias between two versions, for each of them. */
const OF_VERSION = 'ExecutedVersion,FunctionName,Resource';

type ByNamespace = Readonly<Record<string, Readonly<Record<string, Published>>>>;

const PUBLISHED: ByNamespace = {
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
  'AWS/ApiGateway': {
    '4XXError': counted('ApiName'),
    '5XXError': counted('ApiName'),
    Count: counted('ApiName'),
    Latency: timed('ApiName'),
  },
  // https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html and monitoring-concurrency.html: of the
  // account in the region
  'AWS/Lambda': {
    Invocations: counted('FunctionName', OF_VERSION),
    Errors: counted('FunctionName', OF_VERSION),
    Throttles: counted('FunctionName'),
    Duration: timed('FunctionName'),
    // Of functions that a stream calls.
    IteratorAge: most('FunctionName'),
    ClaimedAccountConcurrency: most(''),
    ConcurrentExecutions: most(''),
  },
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html
  'AWS/DynamoDB': {
    ReadThrottleEvents: counted('TableName'),
    WriteThrottleEvents: counted('TableName'),
    ThrottledRequests: counted('Operation,TableName'),
    SystemErrors: counted('Operation,TableName'),
    TransactionConflict: counted('TableName'),
    ConsumedReadCapacityUnits: counted('TableName'),
    ConsumedWriteCapacityUnits: counted('TableName'),
    SuccessfulRequestLatency: { by: ['Operation,TableName'], statistics: ['SampleCount', 'Average', 'Maximum'] },
  },
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
  'AWS/SQS': {
    ApproximateAgeOfOldestMessage: most('QueueName'),
    ApproximateNumberOfMessagesVisible: most('QueueName'),
  },
  // https://docs.aws.amazon.com/waf/latest/developerguide/waf-metrics.html: of a regional web ACL
  'AWS/WAFV2': { AllowedRequests: counted('Region,Rule,WebACL'), BlockedRequests: counted('Region,Rule,WebACL') },
  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Usage-Metrics.html
  'AWS/Usage': { CallCount: counted('Class,Resource,Service,Type') },
  // https://docs.aws.amazon.com/acm/latest/userguide/cloudwatch-metrics.html
  'AWS/CertificateManager': { DaysToExpiry: { by: ['CertificateArn'], statistics: ['Minimum'] } },
};

const transformations = z.array(z.object({ MetricNamespace: z.string(), MetricName: z.string() }));

/** A metric that is watched or shown. */
interface Shown {
  readonly namespace: string;
  readonly name: string;
  /** Names of its dimensions. */
  readonly dimensions: readonly string[];
  readonly statistic: string;
}

/** Those of these metrics that neither AWS nor a metric filter of the stack nor a function publishes, in words. */
export function unpublished(
  shown: readonly Shown[],
  of: Template | Templates,
  ofFunctions: ByNamespace = {},
): string[] {
  const filters = resourcesOf(of, 'AWS::Logs::MetricFilter').flatMap(([, { Properties }]) =>
    transformations.parse(Properties.MetricTransformations).map((each) => `${each.MetricNamespace} ${each.MetricName}`),
  );
  return shown.flatMap(({ namespace, name, dimensions, statistic }) => {
    const by = dimensions.toSorted().join();
    const known = [PUBLISHED, ofFunctions].flatMap((source) => source[namespace]?.[name] ?? []);
    if (filters.includes(`${namespace} ${name}`)) known.push(counted(''));
    const isPublished = known.some((each) => each.by.includes(by) && each.statistics.includes(statistic));
    return isPublished ? [] : [`${namespace} ${name} ${statistic} by ${by}`];
  });
}

/** The functions' metrics, read from their own lines. */
export function ofFunctions(namespace: string): ByNamespace {
  const invocation = new Invocation({});
  for (const counter of Object.keys(COUNTERS)) invocation.count(counter as Counter);
  const line = accessLine({ invocation, domain: 'any', outcome: '2xx', at: 0, duration: 1 }, namespace);
  const { CloudWatchMetrics } = line._aws as {
    CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }[];
  };
  const published = CloudWatchMetrics.flatMap(({ Dimensions: [by = []], Metrics }) =>
    Metrics.map(({ Name, Unit }) => {
      const statistics = Unit === 'Count' ? ['Sum'] : ['SampleCount', 'p50', 'p99'];
      return [Name, { by: [by.toSorted().join()], statistics }];
    }),
  );
  return { [namespace]: Object.fromEntries(published) };
}
