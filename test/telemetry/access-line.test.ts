import { describe, expect, it, vi } from 'vitest';
import { annotate, type Counter, increment, observe } from '#telemetry';
import { accessLine, type EndedInvocation, Invocation } from '../../shared/telemetry/invocation.ts';
import { COUNTERS } from '../../shared/telemetry/metrics.ts';
import { freshModule } from '../support/fresh-module.ts';
import { written } from '../support/lines.ts';

const NOW = Date.parse('2026-11-20T09:30:00.000Z');
const NAMESPACE = 'Custodia/custodia-test';

const invocation = (counts: readonly (readonly [Counter, number])[] = []): Invocation => {
  const made = new Invocation({ request_id: 'r-1', operation: 'getClient', tenant: 'PLATFORM' });
  for (const [counter, by] of counts) made.count(counter, by);
  return made;
};

const ended = (more: Partial<EndedInvocation> = {}): EndedInvocation => ({
  invocation: invocation(),
  domain: 'clients',
  outcome: '2xx',
  status: 200,
  at: NOW,
  duration: 12,
  ...more,
});

describe('the line of an invocation', () => {
  it('has the time of its end, and no directive for counters where none counts', () => {
    const { timestamp, _aws } = accessLine(ended(), NAMESPACE);
    expect([timestamp, _aws]).toMatchObject(['2026-11-20T09:30:00.000Z', { Timestamp: NOW, CloudWatchMetrics: [{}] }]);
  });

  it('has every value that its metrics and dimensions name, or CloudWatch would refuse it', () => {
    const all = Object.keys(COUNTERS).map((name) => [name as Counter, 2] as const);
    const line = accessLine(ended({ invocation: invocation(all) }), NAMESPACE);
    const { CloudWatchMetrics } = line._aws as {
      CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[];
    };
    for (const { Dimensions, Metrics: metrics } of CloudWatchMetrics) {
      for (const name of Dimensions.flat()) expect(line[name], name).toEqual(expect.any(String));
      for (const { Name } of metrics) expect(line[Name], Name).toEqual(expect.any(Number));
    }
    // A metric and an annotation of one name would overwrite each other.
    expect(Object.keys(line)).toHaveLength(8 + 3 + all.length);
  });
});

describe('an invocation', () => {
  const event = (requestId: string) => ({
    httpMethod: 'GET',
    resource: '/things/{id}',
    multiValueHeaders: { traceparent: ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'] },
    requestContext: { requestId },
  });
  const observed = <T>(requestId: string, work: () => Promise<T>, times = [NOW, NOW + 7]) =>
    observe(
      {
        domain: 'things',
        event: event(requestId),
        clock: () => times.shift() ?? 0,
        endOf: ({ status }) => ({ outcome: status === 'fulfilled' ? '2xx' : '5xx' }),
      },
      work,
    );

  it('writes its line when it is over, with what was learned on the way', async () => {
    const { lines } = await written(() =>
      observed('r-1', async () => {
        annotate({ operation: 'getThing' });
        increment('TableCalls');
        increment('TableCalls', 2);
        increment('TableRetries', 0);
      }),
    );
    expect(lines).toEqual([
      expect.objectContaining({
        request_id: 'r-1',
        trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
        method: 'GET',
        route: '/things/{id}',
        operation: 'getThing',
        outcome: '2xx',
        Duration: 7,
        TableCalls: 3,
      }),
    ]);
    expect(lines[0]).not.toHaveProperty('TableRetries');
  });

  it('writes it also when it throws, and throws that', async () => {
    const error = new Error('it broke');
    const { lines, result } = await written(() => observed('r-1', () => Promise.reject(error)).catch((each) => each));
    expect([result, lines]).toEqual([error, [expect.objectContaining({ outcome: '5xx' })]]);
  });

  it('took no time when the clock was set back meanwhile', async () => {
    const { lines } = await written(() => observed('r-1', async () => undefined, [NOW, NOW - 5_000]));
    expect(lines).toEqual([expect.objectContaining({ Duration: 0 })]);
  });

  it('writes nothing where there is no namespace', async () => {
    vi.stubEnv('METRICS_NAMESPACE', '');
    expect((await written(() => observed('r-1', async () => undefined), '')).lines).toEqual([]);
  });

  it('is the first one of a container once, and says there whether its code had to be compiled', async () => {
    vi.stubEnv('CODE_CACHE', 'missed');
    const fresh = await freshModule<typeof import('../../shared/telemetry/invocation.ts')>(
      'shared/telemetry/invocation.ts',
    );
    const once = (requestId: string) =>
      fresh.observe(
        { domain: 'things', event: event(requestId), clock: () => NOW, endOf: () => ({ outcome: '2xx' }) },
        async () => undefined,
      );
    const { lines } = await written(async () => {
      await once('r-1');
      await once('r-2');
    });
    expect(lines.map(({ ColdStarts, code_cache }) => [ColdStarts, code_cache])).toEqual([
      [1, 'missed'],
      [undefined, undefined],
    ]);
  });
});
