import { describe, expect, it } from 'vitest';
import { Problem } from '../../shared/contract/problem.ts';
import { problemDetails } from '../../shared/http/middleware/problem-details.ts';
import { ListNotBuilt, NotUnique, StaleRead, TableUnavailable, TooManyMatches } from '../../shared/table/errors.ts';
import { chainEvent, RESPONSE, through } from '../support/chain.ts';

const responseTo = (error: unknown) => through([problemDetails()], chainEvent(), () => Promise.reject(error));

describe('an error', () => {
  it('that is a problem is answered as it is', async () => {
    const errors = [{ in: 'body', pointer: '#/name', detail: 'is required' }] as const;
    const headers = { 'Retry-After': '3' };
    const { body, ...response } = await responseTo(
      new Problem('conflict', { detail: 'It is taken.', errors, headers }),
    );
    expect(response).toEqual({
      statusCode: 409,
      headers: { 'Cache-Control': 'no-store', 'Content-Type': 'application/problem+json', 'Retry-After': '3' },
    });
    expect(JSON.parse(body)).toEqual({
      type: 'urn:problem-type:custodia:conflict',
      title: 'The request conflicts with the state of a record',
      status: 409,
      detail: 'It is taken.',
      request_id: 'r-1',
      errors,
    });
  });

  it.each<[name: string, error: unknown, status: number, type: string, retryAfter?: string]>([
    ['of the storage', new NotUnique('slug'), 409, 'already-exists'],
    ['that passes', new TableUnavailable('no answer'), 503, 'unavailable', '2'],
    ['of a record that changes all the time', new StaleRead('changed'), 503, 'unavailable', '2'],
    ['of a list that is to be built', new ListNotBuilt('ORG#1#CLIENT', ['status']), 409, 'list-being-built', '3600'],
    ['of too many matches', new TooManyMatches(2_000), 400, 'invalid-parameter'],
    ['that nobody expects', new TypeError('x is not a function'), 500, 'internal-error'],
    ['that is none', 'a text', 500, 'internal-error'],
  ])('%s is told in the words of the API', async (_, error, status, type, retryAfter) => {
    const { statusCode, headers, body } = await responseTo(error);
    expect([statusCode, JSON.parse(body)]).toEqual([
      status,
      expect.objectContaining({ type: `urn:problem-type:custodia:${type}`, status }),
    ]);
    expect(headers?.['Retry-After']).toBe(retryAfter);
    expect(body).not.toContain('ORG#');
  });

  it('of too many matches points at the parameter, and says how many are too many', async () => {
    expect(JSON.parse((await responseTo(new TooManyMatches(2_000))).body ?? '')).toMatchObject({
      detail: 'More than 2000 records begin like this. Ask with more characters.',
      errors: [{ in: 'query', pointer: '#/q' }],
    });
  });

  it('tells nothing of the inside', async () => {
    const { body } = await responseTo(new TypeError('ORG#1#CLIENT is not a function'));
    expect(JSON.parse(body)).toEqual({
      type: 'urn:problem-type:custodia:internal-error',
      title: 'The service failed',
      status: 500,
      request_id: 'r-1',
    });
  });
});

it('an answer is left alone', async () => {
  expect(await through([problemDetails()], chainEvent())).toEqual(RESPONSE);
});
