/**
 * The metrics that functions publish, in one namespace for each stage. CloudWatch charges for every metric and every
 * combination of values of its dimensions, so a tenant or an integration is never a dimension
 * (`docs/decisions/0105-request-logs.md`).
 */

/**
 * Time of an invocation in milliseconds, by the dimensions {@link BY_DOMAIN}. There is one value for each invocation,
 * so the statistic `SampleCount` is the number of requests.
 */
export const DURATION = 'Duration';

export const BY_DOMAIN = ['domain', 'outcome'] as const;

/** Outcomes of requests: classes of status codes. */
export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;
/** Outcomes of the authorizer: a refusal is the caller's mistake, a failure is ours. */
export const DECISIONS = ['allowed', 'refused', 'failed'] as const;

/** Outcomes of work that nobody waits for. */
export const WORK_ENDS = ['done', 'failed'] as const;

export type Outcome = (typeof STATUS_CLASSES)[number] | (typeof DECISIONS)[number] | (typeof WORK_ENDS)[number];

/** Counters without dimensions. They are published where they are not zero. */
export const COUNTERS = {
  ColdStarts: 'first invocations of a container',
  TableCalls: 'calls of DynamoDB',
  TableRetries: 'calls of DynamoDB that were repeated, by the SDK or by the transaction code',
  TransactionConflicts: 'calls that DynamoDB refused because another transaction was writing the same item',
  KmsCalls: 'calls of KMS',
  StsCalls: 'sessions opened for tenants',
  ListFences: 'numbers of lists without a record that a reader closed, because their writer had not',
  ListReturns: 'numbers of lists that were allocated, not used, and released',
  ListCompactions: 'items of lists that were deleted: empty ones, and words of compressed gaps',
  BudgetRefusals: 'requests refused because a request budget was spent',
  RequestsFailed:
    'requests that got a status of 500 or more, also from the gateway, and batches of which an operation did, but ' +
    'for contention',
  RequestsContended: 'requests refused because others were writing the same items at each try, with 409 or 503',
  DeliveriesMade: 'calls of webhook endpoints that were answered with a success',
  DeliveriesFailed: 'calls of webhook endpoints that failed or were refused',
  EventsSkipped: 'events that a webhook endpoint has refused until they were given up',
  EndpointsStopped: 'webhook endpoints that the service paused, disabled or let expire',
  EndpointsBehind: 'webhook endpoints with events that were due when the schedule looked, every five minutes',
} as const satisfies Readonly<Record<string, string>>;

export type Counter = keyof typeof COUNTERS;
