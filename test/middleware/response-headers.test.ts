import type { APIGatewayProxyResult } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { problemDetails } from '../../shared/http/middleware/problem-details.ts';
import { responseHeaders } from '../../shared/http/middleware/response-headers.ts';
import { chainEvent, through } from '../support/chain.ts';

const COMMON = {
  'Cache-Control': 'private, no-cache',
  Vary: 'Accept-Encoding',
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': 'r-1',
};

const headersOf = async (headers: APIGatewayProxyResult['headers'], statusCode = 200) =>
  (
    await through([responseHeaders()], chainEvent(), async () => ({
      statusCode,
      body: '',
      ...(headers && { headers }),
    }))
  ).headers;

describe('every answer', () => {
  it.each([200, 204, 304])('of status %i has the common headers', async (status) => {
    expect(await headersOf(undefined, status)).toEqual(COMMON);
  });

  it('keeps its own, and says itself how long it may be kept', async () => {
    const own = { ETag: '"1"', 'Cache-Control': 'public, max-age=300' };
    expect(await headersOf(own)).toEqual({ ...COMMON, ...own });
  });

  it('has the id of its own request, also when it was first given to another', async () => {
    expect(await headersOf({ 'X-Request-Id': 'r-0', 'Idempotent-Replayed': 'true' })).toEqual({
      ...COMMON,
      'Idempotent-Replayed': 'true',
    });
  });

  it('has what was left for it on the way', async () => {
    const event = chainEvent();
    const { headers } = await through([responseHeaders()], event, async ({ responseHeaders }) => {
      responseHeaders.RateLimit = '"default";r=1;t=1';
      return { statusCode: 200, body: '' };
    });
    expect(headers).toEqual({ ...COMMON, RateLimit: '"default";r=1;t=1' });
  });
});

describe('an error', () => {
  const failing = async (): Promise<never> => {
    throw new Error('it failed');
  };

  it('has them where a middleware further in has answered it, which is asked first', async () => {
    const { statusCode, headers } = await through([responseHeaders(), problemDetails()], chainEvent(), failing);
    expect([statusCode, headers]).toEqual([
      500,
      { ...COMMON, 'Cache-Control': 'no-store', 'Content-Type': 'application/problem+json' },
    ]);
    const insideOut = await through([problemDetails(), responseHeaders()], chainEvent(), failing);
    expect(insideOut.headers).not.toHaveProperty('X-Request-Id');
  });

  it('is not answered here', async () => {
    await expect(through([responseHeaders()], chainEvent(), failing)).rejects.toThrow('it failed');
  });
});
