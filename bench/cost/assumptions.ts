import type { MarkdownTable } from '../../generate/markdown.ts';
import { MEMORY_OF_ONE_CPU } from '../cpu-share.ts';

interface Assumption {
  readonly value: number;
  readonly unit: string;
  readonly why: string;
}

const assumed = (value: number, unit: string, why: string): Assumption => ({ value, unit, why });

/**
 * Values that no laptop can measure. Each is a guess, rather too high than too low, and is listed on the generated
 * page.
 */
const ASSUMPTIONS = {
  roundTripMs: assumed(6, 'ms', 'a function waits for a round trip to the table: AWS promises single digits'),
  ownMs: assumed(6, 'ms', 'it works besides'),
  memoryOfOneCpu: assumed(
    MEMORY_OF_ONE_CPU,
    'MB',
    'of memory come with [one CPU](https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html); while a function is loaded it has a whole one',
  ),
  coldStarts: assumed(
    0.01,
    'of the requests',
    'start a container: AWS sees [less than that](https://aws.amazon.com/blogs/compute/aws-lambda-standardizes-billing-for-init-phase/)',
  ),
  runtimeMs: assumed(100, 'ms', 'Lambda’s runtime and Node take to start, which is billed'),
  heartbeatMs: assumed(100, 'ms', 'the heartbeat waits for the response to its call'),
  requestsPerAuthorizer: assumed(
    10,
    'requests',
    'one response of the authorizer lasts, with `authorizerCacheSeconds` at 60',
  ),
  requestsPerLogin: assumed(600, 'requests', 'an integration sends between two logins: ten a minute for an hour'),
  requestsPerBudgetWrite: assumed(
    6,
    'requests',
    `for a write unit of [request budgets](decisions/0081-request-budgets.md) and [numbers of requests](decisions/0200-usage.md), of an integration that sends two a minute to six functions; 27 at least of a busy one in one container`,
  ),
  receiverMs: assumed(200, 'ms', 'a receiver of events takes, with the connection and its handshake'),
  eventBytes: assumed(500, 'bytes', 'an event has in the body of a delivery'),
  pollers: assumed(5, 'pollers', 'of Lambda wait at an empty queue, each with a request in 20 s'),
  headerBytes: assumed(700, 'bytes', 'the headers of a response have'),
  gatewayLogBytes: assumed(650, 'bytes', 'the gateway logs of a request'),
  lambdaLogBytes: assumed(430, 'bytes', 'Lambda logs of a run, in two lines'),
  ownLogBytes: assumed(780, 'bytes', 'a function logs of a request'),
  authorizerLogBytes: assumed(680, 'bytes', 'the authorizer logs of a decision'),
  logMonths: assumed(3, 'months', 'logs are kept: `logRetentionDays` is 90'),
  requestsPerTenant: assumed(100_000, 'requests a month', 'a tenant sends: about two a minute, day and night'),
  recordsPerTenant: assumed(10_000, 'records', 'a tenant has'),
  recordBytes: assumed(1_500, 'bytes', 'a record takes in the table, with its place in sets'),
} as const satisfies Readonly<Record<string, Assumption>>;

type Name = keyof typeof ASSUMPTIONS;

/** The values by their names. */
export const ASSUMED = Object.fromEntries(
  Object.entries(ASSUMPTIONS).map(([name, { value }]) => [name, value]),
) as Readonly<Record<Name, number>>;

export const assumedTable = (): MarkdownTable => ({
  head: ['assumed', ''],
  rows: Object.values(ASSUMPTIONS).map(({ value, unit, why }) => [`${value.toLocaleString('en')} ${unit}`, why]),
});
