import { expect, it } from 'vitest';
import { annotate, logger, observe } from '#telemetry';
import { written } from '../support/lines.ts';

it('writes every line before that of the invocation, in their order, with what was known when each was logged', async () => {
  const event = { httpMethod: 'GET', resource: '/x', multiValueHeaders: {}, requestContext: { requestId: 'r-1' } };
  const invoked = { domain: 'things', event, clock: () => 0, endOf: () => ({ outcome: '2xx' }) as const };
  const { lines } = await written(() =>
    observe(invoked, async () => {
      logger.warn('first');
      annotate({ operation: 'getThing' });
      logger.error('second', { error: new Error('it broke') });
    }),
  );
  expect(lines.map(({ level, message, operation }) => [level, message, operation])).toEqual([
    ['WARN', 'first', undefined],
    ['ERROR', 'second', 'getThing'],
    ['INFO', 'request', 'getThing'],
  ]);
  expect(lines[1]).toMatchObject({ service: 'custodia', request_id: 'r-1', error: { message: 'it broke' } });
});
