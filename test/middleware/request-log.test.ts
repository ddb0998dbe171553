import { expect, it, vi } from 'vitest';
import { Problem } from '../../shared/contract/problem.ts';
import { noContent, route } from '../../shared/contract/route.ts';
import { requestLog } from '../../shared/http/middleware/request-log.ts';
import { logger } from '../../shared/logger.ts';
import { TableUnavailable } from '../../shared/table/errors.ts';
import { ANSWER, chainEvent, routedEvent, through } from '../support/chain.ts';

const things = route('GET', '/things', { summary: 'x', auth: 'none', response: noContent('Done.') });

type Line = [message: string, about: { readonly error: Error }];

/** What is logged of an error, which goes on as it is. */
async function logged(error: unknown, event = routedEvent(things)): Promise<Line[]> {
  const log = vi.spyOn(logger, 'error').mockReturnValue(undefined);
  const thrown = await through([requestLog()], event, () => Promise.reject(error)).catch((each) => each);
  expect(thrown).toBe(error);
  return log.mock.calls as unknown as Line[];
}

it('a server error is logged as it was thrown, with its place, the operation and the request', async () => {
  const error = new TypeError('x is not a function');
  expect(error.stack).toContain('request-log.test.ts');
  const [line, ...others] = await logged(error);
  expect([line, others]).toEqual([['The service failed', { requestId: 'r-1', operation: 'anOperation', error }], []]);
  expect(line?.[1].error).toBe(error);
});

it('a table that does not answer is a server error, too', async () => {
  const error = new TableUnavailable('no answer');
  expect(await logged(error)).toEqual([['The service cannot answer now', expect.objectContaining({ error })]]);
});

it('before the route is known no operation is named', async () => {
  const error = new Error('early');
  expect(await logged(error, chainEvent())).toEqual([
    ['The service failed', { requestId: 'r-1', operation: undefined, error }],
  ]);
});

it('what is thrown and is no error is logged as one', async () => {
  expect(await logged('a text')).toEqual([
    ['The service failed', expect.objectContaining({ error: new Error('a text') })],
  ]);
});

it('what a caller did wrong is not logged', async () => {
  expect(await logged(new Problem('invalid-body'))).toEqual([]);
  expect(await logged(new Problem('too-many-requests'))).toEqual([]);
});

it('an answer is neither logged nor changed', async () => {
  const log = vi.spyOn(logger, 'error');
  expect(await through([requestLog()], routedEvent(things))).toEqual(ANSWER);
  expect(log).not.toHaveBeenCalled();
});
