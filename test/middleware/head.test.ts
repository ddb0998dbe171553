import type { APIGatewayProxyResult } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../shared/contract/problem.ts';
import { head } from '../../shared/http/middleware/head.ts';
import { problemDetails } from '../../shared/http/middleware/problem-details.ts';
import { chainEvent, through } from '../support/chain.ts';

const PAGE: APIGatewayProxyResult = { statusCode: 200, headers: { ETag: '"1"' }, body: '{"name":"Bistro"}' };

const responseTo = (httpMethod: string, handler = async () => ({ ...PAGE })): Promise<APIGatewayProxyResult> =>
  through([head(), problemDetails()], chainEvent({ httpMethod }), handler);

describe('an answer', () => {
  it('to HEAD is that to GET without its body', async () => {
    expect(await responseTo('GET')).toEqual(PAGE);
    expect(await responseTo('HEAD')).toEqual({ ...PAGE, body: '' });
  });

  it('to HEAD has no body when it is a problem either', async () => {
    const failing = () => Promise.reject(new Problem('not-found'));
    const { statusCode, headers, body } = await responseTo('HEAD', failing);
    expect([statusCode, headers?.['Content-Type'], body]).toEqual([404, 'application/problem+json', '']);
    expect((await responseTo('GET', failing)).body).toContain('not-found');
  });
});
