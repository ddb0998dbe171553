import { describe, expect, it } from 'vitest';
import { logger } from '#telemetry';
import { written } from '../support/lines.ts';
import { matches } from './alarms/filter-pattern.ts';
import { stageOf, synthesize } from './synthesize.ts';

/** The metrics that alarms take from logs count the lines that they mean, and no others. */

const { resources } = stageOf(synthesize());
const of = (type: string) =>
  [...resources.values()].flatMap(({ Type, Properties }) => (Type === type ? [Properties] : []));

/** The filters that add to a metric. */
const filtersOf = (metric: string) =>
  of('AWS::Logs::MetricFilter')
    .map(({ FilterPattern, LogGroupName, MetricTransformations }) => ({
      pattern: String(FilterPattern),
      logGroup: String(LogGroupName),
      transformation: JSON.stringify(MetricTransformations),
    }))
    .filter(({ transformation }) => transformation.includes(`"${metric}"`));

const [served] = of('AWS::ApiGateway::Stage');
const { Format, DestinationArn } = Object(served?.AccessLogSetting) as Readonly<Record<string, string>>;

/** A line of the access log, as the gateway fills in the stage’s format. */
const lineOf = (context: Readonly<Record<string, unknown>>): string =>
  String(Format).replaceAll(/\$context\.([\w.]+)/g, (_, name: string) => String(context[name] ?? '-'));

const line = (status: number, type?: string, more: object = {}) =>
  lineOf({ status, ...(type === undefined ? {} : { 'error.responseType': type }), ...more });
const login = (status: number, more: object = {}) =>
  line(status, undefined, { httpMethod: 'POST', resourcePath: '/api/v1/auth/login', ...more });

describe.each<[string, { readonly counted: readonly string[]; readonly not: readonly string[] }]>([
  [
    'AuthorizerFailures',
    {
      counted: [line(503, 'AUTHORIZER_FAILURE'), line(503, 'AUTHORIZER_CONFIGURATION_ERROR')],
      not: [
        line(401, 'UNAUTHORIZED'),
        line(401, 'ACCESS_DENIED'),
        line(504, 'INTEGRATION_FAILURE'),
        line(200),
        line(401, 'UNAUTHORIZED', { 'identity.userAgent': 'AUTHORIZER_FAILURE' }),
      ],
    },
  ],
  [
    'TooManyRequests',
    {
      counted: [line(429, 'THROTTLED'), line(429)],
      not: [200, 401, 403, 404, 500, 503].map((status) =>
        line(status, undefined, { responseLength: 429, responseLatency: 429 }),
      ),
    },
  ],
  [
    'RequestsFailed',
    {
      counted: [
        ...[line(502, 'DEFAULT_5XX'), line(500, 'API_CONFIGURATION_ERROR'), line(503, 'AUTHORIZER_FAILURE')],
        ...[line(504, 'INTEGRATION_TIMEOUT'), line(504, 'INTEGRATION_FAILURE')],
      ],
      // Functions count their own, but for contention.
      not: [line(500), line(503), line(409), line(200), line(429, 'THROTTLED'), line(401, 'UNAUTHORIZED')],
    },
  ],
  [
    'FailedLogins',
    {
      counted: [login(401), login(429)],
      not: [
        ...[login(200), login(422), login(503)],
        ...[login(401, { resourcePath: '/api/v1/clients' }), login(429, { httpMethod: 'GET' })],
      ],
    },
  ],
])('%s of the access log', (metric, { counted, not }) => {
  it('are counted, and nothing else is', () => {
    const [filter, ...others] = filtersOf(metric);
    expect([others, DestinationArn]).toEqual([[], expect.stringMatching(new RegExp(`:${filter?.logGroup}$`))]);
    for (const each of counted) expect(matches(filter?.pattern ?? '', each), each).toBe(true);
    for (const each of not) expect(matches(filter?.pattern ?? '', each), each).toBe(false);
  });
});

/** The line that a function writes of an error. */
async function loggedOf(error: Error): Promise<string> {
  const { lines } = await written(async () => logger.error('The service is unavailable', { error }));
  return JSON.stringify(lines[0]);
}

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

describe('errors of functions', () => {
  const denied = ['AccessDenied', 'AccessDeniedException'].flatMap((name) => {
    const error = named(name, 'User: arn:aws:sts::111122223333:assumed-role/r/s is not authorized to perform: …');
    const within = new Error('a key could not be opened', { cause: error });
    return [error, within, new Error('the table cannot be read', { cause: within })];
  });
  // With the words of KMS: https://docs.aws.amazon.com/kms/latest/developerguide/throttling.html
  const throttled = named('ThrottlingException', 'You have exceeded the rate at which you may call KMS. Reduce it.');

  it.each([
    ['AccessDenied', denied, new Error('AccessDeniedException: "name":"AccessDenied"')],
    [
      'ThrottledByKms',
      [throttled, new Error('a key could not be opened', { cause: throttled })],
      named('ThrottlingException', 'Throughput exceeds the current capacity of your table.'),
    ],
  ])(
    '%s are found, also as the cause of another error, and not what only looks like it',
    async (metric, found, other) => {
      const patterns = new Set(filtersOf(metric).map(({ pattern }) => pattern));
      expect(patterns.size).toBe(1);
      for (const pattern of patterns) {
        for (const error of found) expect(matches(pattern, await loggedOf(error))).toBe(true);
        expect(matches(pattern, await loggedOf(other))).toBe(false);
      }
    },
  );

  it('are looked for in the logs of every function that serves the API, and those of KMS where one has a key', () => {
    const functions = of('AWS::Lambda::Function').filter(
      ({ FunctionName }) => !/-heartbeat$/.test(String(FunctionName)),
    );
    const withKeys = functions.filter(({ Environment }) =>
      /"(SIGNING|SECRETS)_KEY_ID"/.test(JSON.stringify(Environment)),
    );
    const groupsOf = (some: typeof functions) =>
      some.map(({ LoggingConfig }) => (LoggingConfig as { LogGroup: string }).LogGroup).toSorted();
    const watched = (metric: string) =>
      filtersOf(metric)
        .map(({ logGroup }) => logGroup)
        .toSorted();
    expect(functions.length).toBeGreaterThan(15);
    expect(watched('AccessDenied')).toEqual(groupsOf(functions));
    expect(watched('ThrottledByKms')).toEqual(groupsOf(withKeys));
  });
});
