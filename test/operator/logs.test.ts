import { afterEach, describe, expect, it } from 'vitest';
import { linesOfRequest, logGroupsOf, runQuery } from '../../operator/logs.ts';
import { type AwsStub, type Responding, startAwsStub } from '../support/aws-stub.ts';
import '../support/restore.ts';

/** Finding the lines of a request, against CloudWatch Logs as its reference describes it. */

const ID = '5f2c6c1e-8d4b-4f0e-9a53-6d1f0b7c2a90';
const INVOCATION = '6d68ca91-49c9-448d-89b8-7ca3e6dc66aa';
const SPAN = { from: Date.UTC(2026, 10, 20), until: Date.UTC(2026, 10, 21) };

let stub: AwsStub | undefined;
afterEach(() => stub?.stop());
const start = async (responding: Responding): Promise<AwsStub> => {
  stub = await startAwsStub(responding);
  return stub;
};

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'custodia-prod-api-ApiAccessLogs': ['custodia-prod-api-ApiAccessLogs1-A'],
  'custodia-prod-Functions': ['custodia-prod-FunctionsAuthLogs2-B', 'custodia-prod-FunctionsClientsLogs3-C'],
};
const groups = (input: Readonly<Record<string, unknown>>) => ({
  logGroups: (GROUPS[String(input.logGroupNamePrefix)] ?? []).map((logGroupName) => ({ logGroupName })),
});
const row = (time: string, log: string, line: unknown) =>
  Object.entries({
    '@timestamp': time,
    '@log': `111122223333:${log}`,
    '@message': typeof line === 'string' ? line : JSON.stringify(line),
    '@ptr': 'x',
  }).map(([field, value]) => ({ field, value }));
const complete = (...results: unknown[]) => ({ status: 'Complete', results });

describe('the lines of a request', () => {
  it('are those of the gateway and functions, and those of Lambda about their invocations', async () => {
    const report = { type: 'platform.report', record: { requestId: INVOCATION, status: 'timeout' } };
    const gateway = { request_id: ID, function_request_id: INVOCATION, authorizer_request_id: '-' };
    const { asked } = await start(({ what, input }) => {
      if (what === 'logs.DescribeLogGroups') return groups(input);
      if (what === 'logs.StartQuery')
        return { queryId: String(input.queryString).includes('record.requestId') ? 'b' : 'a' };
      return input.queryId === 'b'
        ? complete(row('2026-11-20 10:00:29.500', 'custodia-prod-FunctionsClientsLogs3-C', report))
        : complete(
            row('2026-11-20 10:00:00.100', 'custodia-prod-FunctionsAuthLogs2-B', 'no JSON'),
            row('2026-11-20 10:00:29.700', 'custodia-prod-api-ApiAccessLogs1-A', gateway),
          );
    });
    expect(await linesOfRequest('custodia-prod', ID, SPAN)).toEqual([
      { time: '2026-11-20T10:00:00.100Z', log: 'custodia-prod-FunctionsAuthLogs2-B', line: 'no JSON' },
      { time: '2026-11-20T10:00:29.500Z', log: 'custodia-prod-FunctionsClientsLogs3-C', line: report },
      { time: '2026-11-20T10:00:29.700Z', log: 'custodia-prod-api-ApiAccessLogs1-A', line: gateway },
    ]);
    const [first, second] = asked.filter(({ what }) => what === 'logs.StartQuery').map(({ input }) => input);
    expect(first).toEqual({
      logGroupNames: Object.values(GROUPS).flat(),
      queryString: expect.stringContaining(`filter request_id = "${ID}"`),
      startTime: SPAN.from / 1000,
      endTime: SPAN.until / 1000,
    });
    expect(second).toMatchObject({
      logGroupNames: GROUPS['custodia-prod-Functions'],
      queryString: expect.stringContaining(`record.requestId in ["${INVOCATION}"] or requestId in ["${INVOCATION}"]`),
    });
  });

  it('are none, and nothing more is asked, where the gateway never saw it', async () => {
    const { asked } = await start(({ what, input }) => {
      if (what === 'logs.DescribeLogGroups') return groups(input);
      return what === 'logs.StartQuery' ? { queryId: 'a' } : complete();
    });
    expect(await linesOfRequest('custodia-prod', ID, SPAN)).toEqual([]);
    expect(asked.filter(({ what }) => what === 'logs.StartQuery')).toHaveLength(1);
  });
});

const QUERY = { groups: ['a'], text: 'fields @message', ...SPAN };

describe('a query', () => {
  it('is waited for, and a failure of AWS is tried again by the SDK', async () => {
    const statuses = ['Scheduled', 'Running', 'Complete'];
    const pauses: number[] = [];
    await start(({ what }, index) => {
      if (index === 0) return { status: 500, body: { __type: 'ServiceUnavailableException' } };
      return what === 'logs.StartQuery' ? { queryId: 'q' } : { ...complete(), status: statuses.shift() };
    });
    const found = await runQuery(QUERY, async (milliseconds) => pauses.push(milliseconds));
    expect([found, pauses]).toEqual([[], [1_000, 1_000]]);
  });

  it.each(['Failed', 'Cancelled', 'Timeout'])('that ends as %s is said in a sentence', async (status) => {
    await start(({ what }) => (what === 'logs.StartQuery' ? { queryId: 'q' } : { status, results: [] }));
    await expect(runQuery(QUERY)).rejects.toThrow(`did not finish the query (${status})`);
  });

  it('that is not allowed is an error with AWS’s name', async () => {
    const body = { __type: 'com.amazon.coral.service#AccessDeniedException', Message: 'no' };
    await start(() => ({ status: 400, body }));
    await expect(runQuery(QUERY)).rejects.toMatchObject({ name: 'AccessDeniedException', message: 'no' });
  });
});

describe('the log groups of a stack', () => {
  it('are read page by page', async () => {
    await start(({ input }) =>
      input.nextToken === undefined
        ? { logGroups: [{ logGroupName: 'one', retentionInDays: 30 }], nextToken: 'more' }
        : { logGroups: [{ logGroupName: 'two' }] },
    );
    expect(await logGroupsOf('custodia-prod', 'functions')).toEqual([
      { name: 'one', retentionDays: 30 },
      { name: 'two' },
    ]);
  });

  it('are some, or the stack is none of that name', async () => {
    await start(() => ({ logGroups: [] }));
    await expect(logGroupsOf('custodia-prod', 'gateway')).rejects.toThrow(
      'begins with custodia-prod-api-ApiAccessLogs.',
    );
  });
});
