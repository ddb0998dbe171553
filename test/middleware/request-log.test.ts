import { expect, it, vi } from 'vitest';
import { Problem } from '../../shared/contract/problem.ts';
import { noContent, route } from '../../shared/contract/route.ts';
import { requestLog } from '../../shared/http/middleware/request-log.ts';
import { logger } from '../../shared/logger.ts';
import { TableUnavailable } from '../../shared/table/errors.ts';
import { Invocation, within } from '../../shared/telemetry/invocation.ts';
import { RESPONSE, routedEvent, through } from '../support/chain.ts';

const things = route('GET', '/things', { summary: 'x', auth: 'none', response: noContent('Done.') });

type Line = [message: string, about: { readonly error: Error }];

/** What is logged of an error, which goes on as it is, and the problem for the access line. */
async function logged(error: unknown): Promise<{ readonly lines: Line[]; readonly problem: string | undefined }> {
  const log = vi.spyOn(logger, 'error').mockReturnValue(undefined);
  const invocation = new Invocation({});
  const rejected = () => Promise.reject(error);
  const sent = within(invocation, () => through([requestLog()], routedEvent(things), rejected));
  expect(await sent.catch((each: unknown) => each)).toBe(error);
  return { lines: log.mock.calls as unknown as Line[], problem: invocation.annotations.problem };
}

it('a server error is logged as it was thrown, with its place', async () => {
  const error = new TypeError('x is not a function');
  expect(error.stack).toContain('request-log.test.ts');
  const { lines, problem } = await logged(error);
  expect([lines, problem]).toEqual([[['The service failed', { error }]], 'internal-error']);
  expect(lines[0]?.[1].error).toBe(error);
});

it('a table that does not answer is a server error, too', async () => {
  const error = new TableUnavailable('no answer');
  const lines = [['The service cannot answer now', { error }]];
  expect(await logged(error)).toEqual({ lines, problem: 'unavailable' });
});

it('what is thrown and is no error is logged as one', async () => {
  expect((await logged('a text')).lines).toEqual([['The service failed', { error: new Error('a text') }]]);
});

it('what a caller did wrong is not logged, but its type is kept for the access line', async () => {
  for (const type of ['invalid-body', 'too-many-requests'] as const)
    expect(await logged(new Problem(type))).toEqual({ lines: [], problem: type });
});

it('an answer is neither logged nor changed', async () => {
  const log = vi.spyOn(logger, 'error');
  const invocation = new Invocation({});
  expect(await within(invocation, () => through([requestLog()], routedEvent(things)))).toEqual(RESPONSE);
  expect(log).not.toHaveBeenCalled();
  expect(invocation.annotations.problem).toBeUndefined();
});
