/**
 * What AWS publishes of what the alarms watch: the dimensions that a metric has, for CloudWatch sums up over none that is left out and finds no metric where one is
 * too many, and the statistics that mean something. Read in the documentation in November 2026.
 */
interface Published {
  readonly dimensions: readonly string[];
  readonly statistics: readonly string[];
}

const counted = (...dimensions: string[]): Published => ({ dimensions, statistics: ['Sum'] });

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html */
const API_GATEWAY = {
  '4XXError': counted('ApiName'),
  '5XXError': counted('ApiName'),
  Count: counted('ApiName'),
  Latency: { dimensions: ['ApiName'], statistics: ['p50', 'p90', 'p99', 'Average', 'Maximum'] },
};

/** https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html */
const LAMBDA = {
  Invocations: counted('FunctionName'),
  Errors: counted('FunctionName'),
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

export const PUBLISHED: Readonly<Record<string, Readonly<Record<string, Published>>>> = {
  'AWS/ApiGateway': API_GATEWAY,
  'AWS/Lambda': LAMBDA,
  'AWS/DynamoDB': DYNAMODB,
  'AWS/WAFV2': WAF,
  'AWS/Usage': USAGE,
};
