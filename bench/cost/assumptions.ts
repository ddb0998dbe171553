/** Values that no laptop can measure. Each is a guess, rather too high than too low. */
export const ASSUMED = {
  /** For how long a function waits for a round trip to the table: AWS promises single digits. */
  roundTripMs: 6,
  /** For how long it works besides. */
  ownMs: 6,
  /**
   * The share of requests that start a container: AWS sees less.
   * https://aws.amazon.com/blogs/compute/aws-lambda-standardizes-billing-for-init-phase/
   */
  coldStarts: 0.01,
  /** What Lambda’s runtime and Node take to start, which is billed. */
  runtimeMs: 100,
  /** For how long the heartbeat waits for the response to its call. */
  heartbeatMs: 100,
  /** How many requests one response of the authorizer lasts, with `authorizerCacheSeconds` at 60. */
  requestsPerAuthorizer: 10,
  /** How many requests an integration sends between two logins: ten a minute for an hour. */
  requestsPerLogin: 600,
  /**
   * How many requests cause a write unit of request budgets (decision 0081) and of numbers of requests (decision 0200),
   * of an integration that sends two a minute to six functions; a busy one in one container causes one in 27 at most.
   */
  requestsPerBudgetWrite: 6,
  /** What a receiver of events takes, with the connection and its handshake. */
  receiverMs: 200,
  /** The size of an event in the body of a delivery. */
  eventBytes: 500,
  /** How many pollers of Lambda wait at an empty queue, each with a request in 20 s. */
  pollers: 5,
  /** The size of a response’s headers. */
  headerBytes: 700,
  /** What the gateway logs of a request. */
  gatewayLogBytes: 650,
  /** What Lambda logs of a run, in two lines. */
  lambdaLogBytes: 430,
  /** What a function logs of a request. */
  ownLogBytes: 780,
  /** What the authorizer logs of a decision. */
  authorizerLogBytes: 680,
  /** For how long logs are kept: `logRetentionDays` is 90. */
  logMonths: 3,
  /** What a tenant sends in a month: about two a minute, day and night. */
  requestsPerTenant: 100_000,
  /** How many records a tenant has. */
  recordsPerTenant: 10_000,
  /** The size of a record in the table, with its place in sets. */
  recordBytes: 1_500,
} as const;
