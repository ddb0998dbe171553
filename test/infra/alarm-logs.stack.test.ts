import { beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { GatewayResponseType } from '../../shared/contract/gateway-problems.ts';
import { logged, logger } from '../../shared/logger.ts';
import { type Deployed, deployedFrom } from './account/template.ts';
import { matches } from './alarms/filter-pattern.ts';
import { assemble, STACKS } from './synthesize.ts';

/** The metrics that alarms take from logs count the lines that they mean, and no others. */

let stack: Deployed;
beforeAll(() => {
  stack = assemble({}, (_, directory) => deployedFrom(directory, STACKS));
});

const of = (type: string) =>
  [...stack.resources.values()].flatMap(({ Type, Properties }) => (Type === type ? [Properties] : []));

/** The filters that add to a metric. */
const filtersOf = (metric: string) =>
  of('AWS::Logs::MetricFilter')
    .map(({ FilterPattern, LogGroupName, MetricTransformations }) => ({
      pattern: String(FilterPattern),
      logGroup: String(LogGroupName),
      transformation: JSON.stringify(MetricTransformations),
    }))
    .filter(({ transformation }) => transformation.includes(`"${metric}"`));

const accessLog = () =>
  z.object({ Format: z.string(), DestinationArn: z.string() }).parse(of('AWS::ApiGateway::Stage')[0]?.AccessLogSetting);

/** A line of the access log, as the gateway fills in the stage's format. */
const lineOf = (context: Readonly<Record<string, string | number>>): string =>
  accessLog().Format.replaceAll(/\$context\.([\w.]+)/g, (_, name: string) => String(context[name] ?? '-'));

const countedIn = (metric: string, context: Readonly<Record<string, string | number>>): boolean => {
  const filters = filtersOf(metric);
  expect(filters.length).toBe(1);
  return filters.every(({ pattern }) => matches(pattern, lineOf(context)));
};

const responded = (status: number, type?: GatewayResponseType) => ({
  status,
  ...(type === undefined ? {} : { 'error.responseType': type }),
});

it('lines of the access log are looked for in its group', () => {
  const { DestinationArn } = accessLog();
  for (const metric of ['AuthorizerFailures', 'FailedLogins', 'TooManyRequests'])
    for (const { logGroup } of filtersOf(metric)) expect(DestinationArn).toMatch(new RegExp(`:${logGroup}$`));
});

describe('failures of the authorizer', () => {
  it.each([
    ['it threw, or ran out of time', responded(503, 'AUTHORIZER_FAILURE')],
    ['it could not be called, or answered nonsense', responded(503, 'AUTHORIZER_CONFIGURATION_ERROR')],
  ])('are: %s', (_, line) => {
    expect(countedIn('AuthorizerFailures', line)).toBe(true);
  });

  it.each([
    ['it refused a token, or there was none', responded(401, 'UNAUTHORIZED')],
    ['its policy denies', responded(401, 'ACCESS_DENIED')],
    ['a function is down', responded(504, 'INTEGRATION_FAILURE')],
    ['all is well', responded(200)],
    ['somebody calls himself that', { ...responded(401, 'UNAUTHORIZED'), 'identity.userAgent': 'AUTHORIZER_FAILURE' }],
  ])('are not: %s', (_, line) => {
    expect(countedIn('AuthorizerFailures', line)).toBe(false);
  });
});

describe('refusals as too many', () => {
  it('are those of the stage and those of a budget', () => {
    expect(countedIn('TooManyRequests', responded(429, 'THROTTLED'))).toBe(true);
    expect(countedIn('TooManyRequests', responded(429))).toBe(true);
  });

  it.each([200, 401, 403, 404, 500, 503])('are no others: %d', (status) => {
    expect(countedIn('TooManyRequests', { ...responded(status), responseLength: 429, responseLatency: 429 })).toBe(
      false,
    );
  });
});

describe('refused logins', () => {
  const login = { httpMethod: 'POST', resourcePath: '/api/v1/auth/login' };
  it.each([401, 429])('are those with %d', (status) => {
    expect(countedIn('FailedLogins', { ...responded(status), ...login })).toBe(true);
  });

  it.each([
    ['they succeed', { ...responded(200), ...login }],
    ['the input is wrong', { ...responded(422), ...login }],
    ['the service failed', { ...responded(503), ...login }],
    ['a token is refused elsewhere', { ...responded(401), ...login, resourcePath: '/api/v1/clients' }],
    ['it is no login', { ...responded(429), ...login, httpMethod: 'GET' }],
  ])('are not: %s', (_, line) => {
    expect(countedIn('FailedLogins', line)).toBe(false);
  });
});

/** The line that a function writes of an error. */
async function loggedOf(error: Error): Promise<string> {
  let line = '';
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      line += String(chunk);
      return true;
    });
  }
  logger.error('The service is unavailable', { error });
  await logged();
  vi.restoreAllMocks();
  expect(JSON.parse(line)).toMatchObject({ level: 'ERROR' });
  return line;
}

describe('calls that AWS denied', () => {
  const denied = (name: string) =>
    Object.assign(new Error('User: arn:aws:sts::111122223333:assumed-role/r/s is not authorized to perform: …'), {
      name,
    });
  const errors = ['AccessDenied', 'AccessDeniedException'].flatMap((name) => [
    denied(name),
    new Error('a key could not be opened', { cause: denied(name) }),
    new Error('the table cannot be read', { cause: new Error('it failed', { cause: denied(name) }) }),
  ]);

  it('are found in the line of a function, also as the cause of another error', async () => {
    for (const error of errors) {
      const line = await loggedOf(error);
      for (const { pattern } of filtersOf('AccessDenied')) expect(matches(pattern, line)).toBe(true);
    }
  });

  it('are not what a caller may have written', async () => {
    const line = await loggedOf(new Error('AccessDeniedException: "name":"AccessDenied"'));
    for (const { pattern } of filtersOf('AccessDenied')) expect(matches(pattern, line)).toBe(false);
  });

  it('are no metric, which costs, while there are none', () => {
    for (const { transformation } of filtersOf('AccessDenied')) expect(transformation).not.toContain('DefaultValue');
    for (const { transformation } of filtersOf('TooManyRequests')) expect(transformation).toContain('"DefaultValue":0');
  });

  it('are looked for in the logs of every function, also where a stage pays for ten metrics', () => {
    const groups = of('AWS::Lambda::Function').flatMap(({ FunctionName, LoggingConfig }) =>
      String(FunctionName).endsWith('-heartbeat') ? [] : [(LoggingConfig as { LogGroup: string }).LogGroup],
    );
    expect(groups.length).toBeGreaterThan(15);
    expect(
      filtersOf('AccessDenied')
        .map(({ logGroup }) => logGroup)
        .toSorted(),
    ).toEqual(groups.toSorted());
  });
});

describe('calls that KMS turned away', () => {
  /** As the SDK throws it, with the words of KMS: https://docs.aws.amazon.com/kms/latest/developerguide/throttling.html */
  const throttling = (message: string): Error => Object.assign(new Error(message), { name: 'ThrottlingException' });
  const ofKms = throttling('You have exceeded the rate at which you may call KMS. Reduce the frequency of your calls.');

  it('are found where a function gave up, also as the cause of another error', async () => {
    for (const { pattern } of filtersOf('ThrottledByKms')) {
      expect(matches(pattern, await loggedOf(ofKms))).toBe(true);
      expect(matches(pattern, await loggedOf(new Error('a key could not be opened', { cause: ofKms })))).toBe(true);
    }
  });

  it('are not those of DynamoDB', async () => {
    const others = await loggedOf(throttling('Throughput exceeds the current capacity of your table.'));
    for (const { pattern } of filtersOf('ThrottledByKms')) expect(matches(pattern, others)).toBe(false);
  });

  it('are looked for in the logs of every function that has a key', () => {
    const withKeys = of('AWS::Lambda::Function').flatMap(({ Environment, LoggingConfig }) =>
      /"(SIGNING|SECRETS)_KEY_ID"/.test(JSON.stringify(Environment))
        ? [(LoggingConfig as { LogGroup: string }).LogGroup]
        : [],
    );
    expect(withKeys.length).toBeGreaterThan(5);
    expect(
      filtersOf('ThrottledByKms')
        .map(({ logGroup }) => logGroup)
        .toSorted(),
    ).toEqual(withKeys.toSorted());
  });
});
