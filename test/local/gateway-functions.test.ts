import type { Context } from 'aws-lambda';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fakeGateway, problemOf } from './gateway-fixture.ts';

describe('a function', () => {
  it('gets a Lambda context, without callbacks, as by Node 24', async () => {
    const { send } = await fakeGateway({
      things: (_, context: Context) => ({
        body: JSON.stringify({ ...context, keys: Object.keys(context), left: context.getRemainingTimeInMillis() }),
      }),
    });
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { json } = await send('GET', '/v1/things');
    expect(json).toMatchObject({ functionName: 'things', awsRequestId: expect.any(String), left: 29_000 });
    const gone = ['callbackWaitsForEmptyEventLoop', 'done', 'fail', 'succeed'];
    expect((json.keys as string[]).filter((key) => gone.includes(key))).toEqual([]);
  });

  it('responds with headers of one and of several values, and with bytes', async () => {
    const { send } = await fakeGateway({
      things: () => ({
        statusCode: 201,
        headers: { 'X-One': '1', 'x-two': 'c', 'X-Three': 'd', 'X-Four': true, 'Content-Type': 'text/x' },
        multiValueHeaders: { 'X-Two': ['a', 'b'], 'X-Three': ['d'] },
        body: Buffer.from('bytes').toString('base64'),
        isBase64Encoded: true,
      }),
    });
    const { status, headers, rawHeaders, text } = await send('GET', '/v1/things');
    expect([status, text]).toEqual([201, 'bytes']);
    const expected = { 'x-one': '1', 'x-two': 'a, b, c', 'x-three': 'd', 'x-four': 'true', 'content-type': 'text/x' };
    expect(Object.fromEntries(headers)).toMatchObject(expected);
    expect(rawHeaders).not.toContain('x-two');
  });

  const json = { 'content-type': 'application/json' };
  const own = {
    'Content-Length': '999',
    connection: 'close',
    Date: 'yesterday',
    Server: 'me',
    'Transfer-Encoding': 'x',
  };
  const challenge = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };
  it.each<[string, object, number, Record<string, string | undefined>]>([
    ['nothing but an object', {}, 200, { ...json, 'content-length': '0' }],
    ['a status as text', { statusCode: '201' }, 201, json],
    [
      '204, which has no body, no length, and a type',
      { statusCode: 204, body: '' },
      204,
      { ...json, 'content-length': undefined },
    ],
    [
      'a challenge, which API Gateway would rename',
      { headers: challenge },
      200,
      { 'www-authenticate': challenge['WWW-Authenticate'] },
    ],
    [
      'headers that are the gateway’s own, which are renamed',
      { headers: own, body: 'four' },
      200,
      {
        ...{ 'content-length': '4', 'transfer-encoding': undefined, 'x-amzn-remapped-content-length': '999' },
        ...{
          'x-amzn-remapped-connection': 'close',
          'x-amzn-remapped-date': 'yesterday',
          'x-amzn-remapped-server': 'me',
        },
      },
    ],
  ])('may give %s', async (_, result, status, expected) => {
    const { send } = await fakeGateway({ things: () => result });
    const sent = await send('GET', '/v1/things');
    const found = Object.fromEntries(Object.keys(expected).map((name) => [name, sent.headers.get(name)]));
    expect([sent.status, found]).toEqual([status, expected]);
  });

  const secret = new Error('secret');
  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['null', () => null],
    ['a text', () => 'fine'],
    ['a number as a header', () => ({ headers: { 'X-A': 1 } })],
    ['a number among the values of a header', () => ({ multiValueHeaders: { 'X-A': ['1', 2] } })],
    ['one value where there should be several', () => ({ multiValueHeaders: { 'X-A': '1' } })],
    ['no value of a header', () => ({ headers: { 'X-A': null } })],
    ['a strange status', () => ({ statusCode: 'fine' })],
    ['an object as body', () => ({ body: { a: 1 } })],
    ['a field that is not known', () => ({ content: '' })],
    ['a header with a line break', () => ({ headers: { 'X-A': 'a\r\nX-B: b' } })],
    ['a bigint', () => 1n],
    ['more than 6 MB', () => ({ body: 'x'.repeat(6_291_556) })],
    [
      'an error, thrown at once',
      () => {
        throw secret;
      },
    ],
    ['a rejection', () => Promise.reject(secret)],
  ])('that returns %s is a 502', async (_, things) => {
    const { send, failures } = await fakeGateway({ things });
    const sent = await send('GET', '/v1/things');
    expect([problemOf(sent), failures.length]).toEqual(['502 internal-error', 1]);
    expect(sent.text).not.toContain('secret');
  });

  it.each<[string, string, Parameters<typeof fakeGateway>[0]]>([
    ['cannot be loaded', '502 internal-error', { loadFunction: () => Promise.reject(new SyntaxError('oops')) }],
    [
      'calls something base64 that is none',
      '500 internal-error',
      { things: () => ({ body: 'èé+à)(', isBase64Encoded: true }) },
    ],
    ['takes too long', '504 unavailable', { things: () => new Promise(() => undefined), limits: { functionMs: 20 } }],
  ])('that %s is a %s', async (_, problem, options) => {
    const { send } = await fakeGateway(options);
    const sent = await send('GET', '/v1/things');
    expect([problemOf(sent), sent.headers.get('retry-after')]).toEqual([
      problem,
      sent.status === 504 ? '2' : undefined,
    ]);
  });
});
