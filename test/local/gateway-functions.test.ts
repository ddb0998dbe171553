import type { Context } from 'aws-lambda';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fakeGateway, problemOf } from './gateway-fixture.ts';

describe('a function', () => {
  it('gets a Lambda context', async () => {
    const { send } = await fakeGateway({
      things: (_, context: Context) => ({
        statusCode: 200,
        body: JSON.stringify({ ...context, remaining: context.getRemainingTimeInMillis() }),
      }),
    });
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { json } = await send('GET', '/v1/things');
    expect(json).toMatchObject({ functionName: 'things', awsRequestId: expect.any(String), remaining: 29_000 });
  });

  it('is called without a callback, as by Node 24', async () => {
    const { send } = await fakeGateway({
      things: (_, context: Context) => ({ statusCode: 200, body: JSON.stringify({ keys: Object.keys(context) }) }),
    });
    const { json } = await send('GET', '/v1/things');
    expect(json.keys).toContain('getRemainingTimeInMillis');
    for (const gone of ['callbackWaitsForEmptyEventLoop', 'done', 'fail', 'succeed']) {
      expect(json.keys).not.toContain(gone);
    }
  });

  it('answers with headers of one and of several values, and with bytes', async () => {
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
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-one': '1',
      'x-two': 'a, b, c',
      'x-three': 'd',
      'x-four': 'true',
      'content-type': 'text/x',
    });
    expect(rawHeaders).not.toContain('x-two');
  });

  it('has headers renamed that are the gateway’s own', async () => {
    const own = {
      'Content-Length': '999',
      connection: 'close',
      Date: 'yesterday',
      Server: 'me',
      'Transfer-Encoding': 'x',
    };
    const { send } = await fakeGateway({ things: () => ({ statusCode: 200, headers: own, body: 'four' }) });
    const { headers, text } = await send('GET', '/v1/things');
    expect([text, headers.get('content-length'), headers.has('transfer-encoding')]).toEqual(['four', '4', false]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-amzn-remapped-content-length': '999',
      'x-amzn-remapped-connection': 'close',
      'x-amzn-remapped-date': 'yesterday',
      'x-amzn-remapped-server': 'me',
    });
  });

  it('keeps the name of its WWW-Authenticate, which API Gateway would change', async () => {
    const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };
    const { send } = await fakeGateway({ things: () => ({ statusCode: 401, headers }) });
    const sent = await send('GET', '/v1/things');
    expect(sent.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  });

  it('need not say more than nothing', async () => {
    const { send } = await fakeGateway({ things: () => ({}) });
    const { status, headers, text } = await send('GET', '/v1/things');
    expect([status, headers.get('content-type'), text]).toEqual([200, 'application/json', '']);
  });

  it('may give its status as text', async () => {
    const { send } = await fakeGateway({ things: () => ({ statusCode: '201' }) });
    expect((await send('GET', '/v1/things')).status).toBe(201);
  });

  it('that calls something base64 that is none is a 500', async () => {
    const { send } = await fakeGateway({ things: () => ({ statusCode: 200, body: 'èé+à)(', isBase64Encoded: true }) });
    expect(problemOf(await send('GET', '/v1/things'))).toBe('500 internal-error');
  });

  it('need not name the content type, nor give a body', async () => {
    const { send } = await fakeGateway({ things: () => ({ statusCode: 200 }) });
    const { headers, text } = await send('GET', '/v1/things');
    expect([headers.get('content-type'), headers.get('content-length'), text]).toEqual(['application/json', '0', '']);
  });

  it('answers 204 without a body or its length, and with a type all the same', async () => {
    const { send } = await fakeGateway({ things: () => ({ statusCode: 204, body: '' }) });
    const { status, headers } = await send('GET', '/v1/things');
    expect([status, headers.has('content-length')]).toEqual([204, false]);
    expect(headers.get('content-type')).toBe('application/json');
  });

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['null', () => null],
    ['a text', () => 'fine'],
    ['a number as a header', () => ({ statusCode: 200, headers: { 'X-A': 1 } })],
    ['a number among the values of a header', () => ({ statusCode: 200, multiValueHeaders: { 'X-A': ['1', 2] } })],
    ['one value where there should be several', () => ({ statusCode: 200, multiValueHeaders: { 'X-A': '1' } })],
    ['no value of a header', () => ({ statusCode: 200, headers: { 'X-A': null } })],
    ['a strange status', () => ({ statusCode: 'fine' })],
    ['an object as body', () => ({ statusCode: 200, body: { a: 1 } })],
    ['a field that is not known', () => ({ statusCode: 200, content: '' })],
    ['a header with a line break', () => ({ statusCode: 200, headers: { 'X-A': 'a\r\nX-B: b' } })],
    ['a bigint', () => 1n],
    ['more than 6 MB', () => ({ statusCode: 200, body: 'x'.repeat(6_291_556) })],
    [
      'an error, thrown at once',
      () => {
        throw new Error('secret');
      },
    ],
    ['a rejection', () => Promise.reject(new Error('secret'))],
  ])('that answers %s is a 502', async (_, things) => {
    const { send, failures } = await fakeGateway({ things });
    const sent = await send('GET', '/v1/things');
    expect(problemOf(sent)).toBe('502 internal-error');
    expect(sent.text).not.toContain('secret');
    expect(failures).toHaveLength(1);
  });

  it('that cannot be loaded is a 502', async () => {
    const { send } = await fakeGateway({ loadFunction: () => Promise.reject(new SyntaxError('oops')) });
    expect(problemOf(await send('GET', '/v1/things'))).toBe('502 internal-error');
  });

  it('that takes too long is a 504', async () => {
    const { send } = await fakeGateway({ things: () => new Promise(() => undefined), limits: { functionMs: 20 } });
    const sent = await send('GET', '/v1/things');
    expect(problemOf(sent)).toBe('504 unavailable');
    expect(sent.headers.get('retry-after')).toBe('2');
  });

  it('under way may end when the gateway closes', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const called = Promise.withResolvers<void>();
    const { send, close } = await fakeGateway({
      things: () => {
        called.resolve();
        return promise;
      },
    });
    const sent = send('GET', '/v1/things');
    await called.promise;
    const closed = close();
    resolve({ statusCode: 200, body: 'done' });
    expect((await sent).text).toBe('done');
    await closed;
  });
});
