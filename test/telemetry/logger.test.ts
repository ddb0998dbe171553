import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { written } from '../support/lines.ts';

/** Its writer is loaded when there is a line to write. */

beforeEach(() => vi.resetModules());
afterEach(() => vi.doUnmock('../../shared/telemetry/log-writer.ts'));

/** What is written when an invocation is over that does this. */
async function linesOf(work: (logger: typeof import('../../shared/telemetry/logger.ts')['logger']) => void) {
  const { logger } = await import('../../shared/telemetry/logger.ts');
  const { observe } = await import('../../shared/telemetry/observe.ts');
  const event = { httpMethod: 'GET', resource: '/x', multiValueHeaders: {}, requestContext: { requestId: 'r-1' } };
  const invoked = { domain: 'things', event, clock: () => 0, endOf: () => ({ outcome: '2xx' }) as const };
  return (await written(() => observe(invoked, async () => work(logger)))).lines;
}

it('has written every line when the invocation is over, in their order, with what was known when each was logged', async () => {
  const { annotate } = await import('../../shared/telemetry/invocation.ts');
  const lines = await linesOf((logger) => {
    logger.warn('first');
    annotate({ operation: 'getThing' });
    logger.error('second', { error: new Error('it broke') });
  });
  expect(lines.map(({ level, message, operation }) => [level, message, operation])).toEqual([
    ['WARN', 'first', undefined],
    ['ERROR', 'second', 'getThing'],
    ['INFO', 'request', 'getThing'],
  ]);
  expect(lines[1]).toMatchObject({ service: 'custodia', request_id: 'r-1', error: { message: 'it broke' } });
});

it('writes a line without its error when the writer cannot be loaded, and serves on', async () => {
  vi.doMock('../../shared/telemetry/log-writer.ts', () => {
    throw new Error('no such file');
  });
  const lines = await linesOf((logger) => logger.error('it failed', { error: new Error('of a secret') }));
  expect(lines).toEqual([
    { level: 'ERROR', message: 'it failed', request_id: 'r-1', method: 'GET', route: '/x' },
    expect.objectContaining({ message: 'request', outcome: '2xx' }),
  ]);
});
