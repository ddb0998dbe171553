import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Operation } from 'aws-cdk-lib/aws-dynamodb';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { deadLettersName, queueName } from '../deliveries.ts';
import type { Firewall } from '../firewall.ts';
import { apiMetric, callsOfKms, counterMetric, queueMetric } from '../metrics.ts';
import type { FunctionMetrics } from '../observed.ts';
import type { TableReference } from '../table.ts';
import type { AlarmRow } from './alarm.ts';
import { percentile, quota, rate } from './alarm.ts';

/**
 * The table of alarms: name, metric, threshold and meaning, by what is watched. `docs/operations.md` has the remedies.
 * `objective.ts` has the rows for failed requests.
 */

const FIVE_MINUTES = Duration.minutes(5);

const sum = (each: FunctionMetrics, name: string): IMetric => each.metric(name, { statistic: 'Sum' });

/** Responses that are slow, and requests that are refused. */
export const apiRows = (scope: Construct, requests: IMetric): readonly AlarmRow[] => [
  {
    name: 'api-slow',
    ...percentile({
      value: apiMetric(scope, 'Latency', { statistic: 'p99' }),
      samples: requests,
      minimum: 100,
      threshold: 3_000,
    }),
    meaning: '1 % of at least 100 requests took more than 3 s, for a quarter of an hour',
    periods: [3, 4],
  },
  {
    name: 'api-429',
    ...rate({
      part: { refused: counterMetric(scope, 'TooManyRequests') },
      whole: { requests },
      percent: 10,
      atLeast: 100,
    }),
    meaning: '10 % of the requests, and at least 100, were refused as too many, in two periods of five minutes',
    periods: [2, 3],
  },
];

/**
 * AWS denied a call of a function. In a tenant's session, the boundary between tenants denied it: a bug or an attack.
 * Under a function's own role, a right is missing. Both are always wrong, so one line raises the alarm.
 */
export const accessRows = (scope: Construct): readonly AlarmRow[] => [
  {
    name: 'access-denied',
    metric: counterMetric(scope, 'AccessDenied'),
    threshold: 1,
    meaning: 'AWS denied a call of a function, in a tenant’s session or under its own role',
    periods: [1, 2],
  },
];

/**
 * The authorizer throws an error to refuse a caller, as it does in a crash, and anybody can provoke a refusal. So
 * failures are counted in the gateway's access log, which distinguishes the two (`docs/decisions/0056-alarms.md`).
 */
export const authorizerRows = (
  scope: Construct,
  requests: IMetric,
  authorizer: FunctionMetrics,
): readonly AlarmRow[] => [
  {
    name: 'authorizer-failing',
    ...rate({
      part: { failed: counterMetric(scope, 'AuthorizerFailures') },
      whole: { requests },
      percent: 1,
      atLeast: 5,
    }),
    meaning: 'the authorizer could not check the callers of 1 % of the requests, and of at least 5',
    periods: [1, 2],
  },
  {
    name: 'authorizer-slow',
    ...percentile({
      value: authorizer.metric('Duration', { statistic: 'p99' }),
      samples: sum(authorizer, 'Invocations'),
      minimum: 100,
      threshold: 1_000,
    }),
    meaning: '1 % of at least 100 checks of callers took more than 1 s, for a quarter of an hour',
    periods: [3, 4],
  },
];

/** Somebody guesses secrets, or an integration uses an outdated one. */
export const loginRows = (scope: Construct, attempts: IMetric): readonly AlarmRow[] => [
  {
    name: 'login-failing',
    ...rate({
      part: { failed: counterMetric(scope, 'FailedLogins') },
      whole: { attempts },
      percent: 50,
      atLeast: 50,
    }),
    meaning: '50 % of the logins, and at least 50, were refused, in two periods of five minutes',
    periods: [2, 3],
  },
];

/**
 * Certificate Manager renews its own certificates about 60 days before they expire, and never renews imported ones.
 * https://docs.aws.amazon.com/acm/latest/userguide/cloudwatch-metrics.html
 */
export const certificateRows = (certificateArn: string): readonly AlarmRow[] => [
  {
    name: 'certificate-expiring',
    metric: new Metric({
      namespace: 'AWS/CertificateManager',
      metricName: 'DaysToExpiry',
      dimensionsMap: { CertificateArn: certificateArn },
      statistic: 'Minimum',
      period: Duration.days(1),
    }),
    threshold: 30,
    below: true,
    meaning: 'the certificate of the stage’s domain expires in less than 30 days',
    periods: [1, 1],
    // AWS publishes no metric for an expired certificate.
    missing: TreatMissingData.IGNORE,
  },
];

/** The stage does not respond to the heartbeat, or the heartbeat itself has stopped. */
export const heartbeatRows = (heartbeat: LambdaFunction): readonly AlarmRow[] => [
  {
    name: 'heartbeat',
    metric: new MathExpression({
      expression: 'FILL(calls, 0) - FILL(errors, 0)',
      usingMetrics: { calls: sum(heartbeat, 'Invocations'), errors: sum(heartbeat, 'Errors') },
      period: Duration.minutes(1),
    }),
    threshold: 1,
    below: true,
    meaning: 'for five minutes no call of the health check succeeded, or none was made',
    periods: [5, 5],
    missing: TreatMissingData.BREACHING,
  },
];

/**
 * The functions but the authorizer. Those behind routes turn errors into responses, so Lambda counts only crashes and
 * timeouts as errors; those of the background fail, for whatever calls them to call again.
 */
export const functionRows = (functions: Iterable<readonly [string, FunctionMetrics]>): readonly AlarmRow[] => [
  ...Array.from(functions, ([name, each]): AlarmRow => {
    const throttles = sum(each, 'Throttles');
    return {
      name: `function-${name}`,
      ...rate({
        part: { errors: sum(each, 'Errors'), throttles },
        // Lambda does not count a throttled call as an invocation.
        whole: { invocations: sum(each, 'Invocations'), throttles },
        percent: 1,
        atLeast: 3,
      }),
      meaning: `1 % of the calls of ${name}, and at least 3, crashed, ran out of time or were throttled`,
      runbook: 'function',
      periods: [1, 2],
    };
  }),
  {
    // For the account in this region: https://docs.aws.amazon.com/lambda/latest/dg/monitoring-concurrency.html
    name: 'functions-concurrency',
    ...quota({
      used: LambdaFunction.metricAll('ClaimedAccountConcurrency', { statistic: 'Maximum' }),
      quotaOf: LambdaFunction.metricAllConcurrentExecutions({ statistic: 'Maximum' }),
      percent: 80,
    }),
    meaning: '80 % of the concurrent executions that the account may have in this region were taken',
    periods: [3, 5],
  },
];

/**
 * What wakes deliveries. No alarm is about receivers: an endpoint that fails is its owner's matter.
 * @param wakeUp the function that the table's stream calls; undefined where the table has no stream
 */
export const deliveryRows = (scope: Construct, wakeUp: FunctionMetrics | undefined): readonly AlarmRow[] => [
  {
    name: 'delivery-backlog',
    metric: queueMetric(queueName(scope), 'ApproximateAgeOfOldestMessage', { period: FIVE_MINUTES }),
    // A wake-up may be delayed by 15 minutes, and be in work for a minute.
    threshold: Duration.minutes(30).toSeconds(),
    meaning: 'the oldest wake-up of a delivery has waited for 30 minutes, in two periods of five minutes',
    periods: [2, 3],
  },
  {
    name: 'delivery-dead-letters',
    metric: queueMetric(deadLettersName(scope), 'ApproximateNumberOfMessagesVisible', { period: FIVE_MINUTES }),
    threshold: 1,
    meaning: 'a wake-up of a delivery failed five times, or a batch of changes for ten minutes',
    periods: [1, 2],
  },
  ...(wakeUp === undefined
    ? []
    : [
        {
          name: 'delivery-wake-up-late',
          // https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
          metric: wakeUp.metric('IteratorAge', { statistic: 'Maximum', period: FIVE_MINUTES }),
          threshold: FIVE_MINUTES.toMilliseconds(),
          meaning: 'changes wake deliveries five minutes late, in two periods of five minutes',
          periods: [2, 3],
        } as const,
      ]),
];

/**
 * The operations of the storage code. DynamoDB publishes `SystemErrors` by table and operation, never by table alone.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html
 */
const OPERATIONS: readonly Operation[] = [
  ...[Operation.GET_ITEM, Operation.BATCH_GET_ITEM, Operation.TRANSACT_GET_ITEMS, Operation.QUERY],
  ...[Operation.PUT_ITEM, Operation.UPDATE_ITEM, Operation.DELETE_ITEM],
  ...[Operation.BATCH_WRITE_ITEM, Operation.TRANSACT_WRITE_ITEMS],
];

/** Calls that DynamoDB refuses or fails. The functions retry, so callers do not see all of them. */
export function tableRows(table: TableReference, requests: IMetric): readonly AlarmRow[] {
  const count = (name: string): IMetric => table.metric(name, { statistic: 'Sum' });
  const of = (operation: Operation, name: string, statistic: string): IMetric =>
    table.metric(name, { statistic, dimensionsMap: { TableName: table.tableName, Operation: operation } });
  const throttled = { reads: count('ReadThrottleEvents'), writes: count('WriteThrottleEvents') };
  const failed = Object.fromEntries(OPERATIONS.map((each) => [`of${each}`, of(each, 'SystemErrors', 'Sum')]));
  const committed = of(Operation.TRANSACT_WRITE_ITEMS, 'SuccessfulRequestLatency', 'SampleCount');
  return [
    {
      name: 'table-throttled',
      ...rate({ part: throttled, whole: { requests }, percent: 1, atLeast: 10 }),
      meaning: 'DynamoDB throttled reads or writes: at least 10, and 1 for 100 requests of the API',
      periods: [2, 3],
    },
    {
      name: 'table-failing',
      ...rate({ part: failed, whole: { requests }, percent: 1, atLeast: 10 }),
      meaning: 'DynamoDB itself failed: at least 10 times, and 1 for 100 requests of the API',
      periods: [1, 2],
    },
    {
      name: 'table-conflicts',
      ...rate({ part: { conflicts: count('TransactionConflict') }, whole: { committed }, percent: 10, atLeast: 50 }),
      meaning: 'writes conflicted with others on the same items: at least 50, and 1 for 10 that were carried out',
      periods: [2, 3],
    },
  ];
}

/**
 * The KMS quotas of the account in this region. KMS publishes its calls but not its refusals, so refusals are counted
 * in the logs of functions that gave up.
 */
export const keyRows = (scope: Construct, requests: IMetric): readonly AlarmRow[] => [
  {
    name: 'kms-throttled',
    ...rate({
      part: { throttled: counterMetric(scope, 'ThrottledByKms') },
      whole: { requests },
      percent: 1,
      atLeast: 5,
    }),
    meaning: '1 % of the requests, and at least 5, failed because KMS throttled them',
    periods: [1, 2],
  },
  {
    name: 'kms-quota',
    ...quota({ used: callsOfKms('Symmetric'), percent: 80 }),
    meaning: '80 % of the calls with symmetric keys that KMS allows the account in this region were made',
    periods: [3, 5],
  },
  {
    name: 'kms-signing-quota',
    ...quota({ used: callsOfKms('Ecc'), percent: 80 }),
    meaning: '80 % of the signatures that KMS allows the account in this region were made',
    periods: [3, 5],
  },
];

export function firewallRows(firewall: Firewall): readonly AlarmRow[] {
  const [blocked, allowed] = [firewall.requests('BlockedRequests'), firewall.requests('AllowedRequests')];
  return [
    {
      name: 'firewall-blocking',
      ...rate({ part: { blocked }, whole: { blocked, allowed }, percent: 20, atLeast: 200 }),
      meaning: 'the firewall refused 20 % of the requests, and at least 200',
      periods: [1, 2],
    },
  ];
}
