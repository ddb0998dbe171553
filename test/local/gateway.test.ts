import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { contract, noContent, route } from '#contract';
import { docs } from '../../functions/docs/contract.ts';
import { resourceTree } from '../../local/gateway/resources.ts';
import { type Call, eventFor, eventOf, fakeGateway, problemOf, sendBytes } from './gateway-fixture.ts';

describe('the resource of a path', () => {
  it.each([
    ['GET', '/v1/things', '/v1/things', null],
    ['GET', '/v1/things/7', '/v1/things/{id}', { id: '7' }],
    ['POST', '/v1/things/memberships', '/v1/things/memberships', null],
    ['GET', '/v1/things/client/7/8', '/v1/things/client/{client_id}/{id}', { client_id: '7', id: '8' }],
    ['GET', '/v1/%74hings', '/v1/things', null],
    ['GET', '/v1/things/a%2Fb', '/v1/things/{id}', { id: 'a%2Fb' }],
    ['GET', '/v1/things/__proto__', '/v1/things/{id}', { id: '__proto__' }],
    ['GET', '/v1/files/a/b%20c', '/v1/files/{proxy+}', { proxy: 'a/b%20c' }],
    ['GET', '/v1/files/a//b', '/v1/files/{proxy+}', { proxy: 'a//b' }],
    ['GET', '/v1/things/7/', '/v1/things/{id}', { id: '7' }],
    ['GET', '//v1/things', '/v1/things', null],
    ['GET', 'http://api.test/v1/things?x=1', '/v1/things', null],
  ])('%s %s finds its resource', async (method, path, resource, pathParameters) => {
    const event = await eventFor(method, path);
    expect(event).toMatchObject({ resource, requestContext: { resourcePath: resource } });
    expect(event.pathParameters).toEqual(pathParameters);
  });

  it.each<[string, string, string, string?]>([
    ...['/', '//', '/v1', '/v1//things', '/v1/things//7', '/v1/things/client', '/v1/files'].map(
      (path): [string, string, string] => ['GET', path, '404 route-not-found'],
    ),
    ...['/v1/things/%', '/v1/things/%zz', '/v1/things/%ff', '/v1/things?x=%ff', '*'].map(
      (path): [string, string, string] => ['GET', path, '400 malformed-request'],
    ),
    ['DELETE', '/v1/things', '405 method-not-allowed', 'GET, HEAD, OPTIONS, POST'],
    ['GET', '/v1/things/memberships', '405 method-not-allowed', 'POST'],
    ['OPTIONS', '/v1/secret', '405 method-not-allowed', 'GET, HEAD'],
  ])('%s %s is a %s', async (method, path, problem, allow) => {
    const { send } = await fakeGateway();
    const sent = await send(method, path);
    expect([problemOf(sent), sent.headers.get('allow')]).toEqual([problem, allow]);
  });

  it('leads from the entrances to the documentation of an API that has one, below its stage', async () => {
    const { send } = await fakeGateway({ contracts: [docs], stage: 'dev' });
    for (const path of ['/dev', '/dev/', '/dev/docs', '/dev/docs/', '/dev/api/v1', '/dev/api/v1/']) {
      const { status, headers, text } = await send('GET', path);
      expect([status, headers.get('location')]).toEqual([302, '/dev/api/v1/docs']);
      expect(JSON.parse(text)).toEqual({ documentation: '/dev/api/v1/docs', openapi: '/dev/api/v1/openapi' });
    }
    expect(problemOf(await send('POST', '/dev/docs'))).toBe('404 route-not-found');
  });

  it('responds to HEAD as the function of GET does, without a body or its length; with 405 where there is no GET', async () => {
    const things = ({ httpMethod }: Call['event']) => ({ statusCode: 200, headers: { ETag: httpMethod }, body: 'a' });
    const { send } = await fakeGateway({ things });
    const { status, headers, text } = await send('HEAD', '/v1/things/7');
    expect([status, headers.get('etag'), text, headers.has('content-length')]).toEqual([200, 'HEAD', '', false]);
    const refused = await send('HEAD', '/v1/hooks');
    expect([refused.status, refused.headers.get('allow'), refused.text]).toEqual([405, 'POST', '']);
  });

  it('cannot be declared twice, nor with two names for one segment', () => {
    const one = (method: 'GET' | 'POST', path: string) =>
      contract({
        ...{ name: 'one', tag: '', description: '' },
        routes: { it: { ...route(method, '/a', { summary: '', auth: 'none', response: noContent('') }), path } },
      });
    expect(() => resourceTree([one('GET', '/a'), one('GET', '/a')])).toThrow('GET /a is declared twice');
    expect(() => resourceTree([one('GET', '/a/{id}'), one('POST', '/a/{other}')])).toThrow('is called {id} elsewhere');
  });
});

describe('the event', () => {
  it('has names and values as sent, and each value of a repeated one', async () => {
    const query = 'a=1&b=x+y%20z%C3%A9&a=2;empty&c={d|e}&__proto__=p';
    const headers = ['X-Some-NAME', 'one', 'X-Some-NAME', 'two', 'lower', 'l'];
    const event = await eventFor('GET', `/v1/things?${query}`, { headers });
    expect(event.headers).toMatchObject({ Host: 'api.test', 'X-Some-NAME': 'two', lower: 'l' });
    expect(event.multiValueHeaders).toMatchObject({ 'X-Some-NAME': ['one', 'two'], lower: ['l'] });
    const values = { a: '2', b: 'x y zé', empty: '', c: '{d|e}', ['__proto__']: 'p' };
    expect(event.queryStringParameters).toEqual(values);
    expect(event.multiValueQueryStringParameters).toMatchObject({ a: ['1', '2'], b: ['x y zé'] });
    expect(Object.hasOwn(event.multiValueQueryStringParameters ?? {}, '__proto__')).toBe(true);
  });

  it.each([
    ['dev', '/dev/v1/things/', '/v1/things/', '/dev/v1/things/'],
    ['dev', '/dev//v1/things', '/v1/things', '/dev//v1/things'],
    ['dev', '//dev/v1/things', '/v1/things', '/dev/v1/things'],
    [undefined, '//v1/things/', '/v1/things/', '/v1/things/'],
    [undefined, '/v1/files/%C3%A9%2Fb', '/v1/files/%C3%A9%2Fb', '/v1/files/%C3%A9%2Fb'],
  ])('of stage %s has the path of %s as called, but for slashes at its beginning', async (stage, called, ...paths) => {
    const { path, requestContext } = await eventFor('GET', called, {}, { stage });
    expect([path, requestContext.path]).toEqual(paths);
  });

  it('has no headers of the connection, nor others that API Gateway drops', async () => {
    const dropped = ['TE', 'Max-Forwards', 'Content-MD5', 'Server', 'WWW-Authenticate', 'Proxy-Authenticate'];
    const headers = [...dropped.flatMap((name) => [name, 'x']), 'Accept', 'a/b'];
    const event = await eventFor('POST', '/v1/things', { body: 'x', headers });
    const names = ['Accept', 'Host', 'X-Amzn-Trace-Id', 'X-Forwarded-For', 'X-Forwarded-Port', 'X-Forwarded-Proto'];
    expect(Object.keys(event.headers).toSorted()).toEqual(names);
  });

  it('says who called, after those whom the caller says it stands for', async () => {
    const headers = ['x-forwarded-for', '10.0.0.1', 'X-Forwarded-Proto', 'ftp'];
    const { multiValueHeaders, requestContext } = await eventFor('GET', '/v1/things', { headers });
    const forwarded = { 'X-Forwarded-For': ['10.0.0.1, 127.0.0.1'], 'X-Forwarded-Proto': ['https'] };
    expect(multiValueHeaders).toMatchObject(forwarded);
    expect(Object.keys(multiValueHeaders)).not.toContain('x-forwarded-for');
    expect(requestContext.identity.sourceIp).toBe('127.0.0.1');
  });

  it('keeps a trace that the caller has begun, else begins one, and the response names it', async () => {
    const { send } = await fakeGateway();
    const begun = 'Root=1-3152b799-8954dae64eda91bc9a23a7e8;Parent=7fa8c0f79203be72;Sampled=1';
    for (const headers of [['x-amzn-trace-id', begun], ['X-Amzn-Trace-Id', 'nothing'], []]) {
      const sent = await send('GET', '/v1/things', { headers });
      const trace = headers[1] === begun ? begun : expect.stringMatching(/^Root=1-[\da-f]{8}-[\da-f]{24}$/);
      expect(eventOf(sent).multiValueHeaders['X-Amzn-Trace-Id']).toEqual([trace]);
      expect(sent.headers.get('x-amzn-trace-id')).toBe(eventOf(sent).headers['X-Amzn-Trace-Id']);
    }
  });

  it('is of the method that X-HTTP-Method-Override names', async () => {
    const event = await eventFor('POST', '/v1/things/7', { headers: ['X-HTTP-Method-Override', 'get'] });
    expect([event.httpMethod, event.requestContext.httpMethod]).toEqual(['GET', 'GET']);
    expect(Object.keys(event.headers)).not.toContain('X-HTTP-Method-Override');
  });

  it('has a request context, and no authorizer where none was asked', async () => {
    const { send } = await fakeGateway({ stage: 'dev' });
    const before = Date.now();
    const sent = await send('GET', '/dev/v1/things/7', { headers: ['User-Agent', 'me'] });
    const { requestContext, ...event } = eventOf(sent);
    const empty = { body: null, isBase64Encoded: false, queryStringParameters: null, stageVariables: null };
    expect(event).toMatchObject({ path: '/v1/things/7', ...empty });
    expect(requestContext).toMatchObject({
      ...{ httpMethod: 'GET', path: '/dev/v1/things/7', stage: 'dev', protocol: 'HTTP/1.1' },
      identity: { sourceIp: '127.0.0.1', userAgent: 'me' },
      requestTime: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
    });
    expect(requestContext).not.toHaveProperty('authorizer');
    expect(requestContext.requestTimeEpoch).toBeGreaterThanOrEqual(before);
    expect(sent.headers.get('x-amzn-requestid')).toBe(requestContext.requestId);
    expect(sent.json.functionName).toBe('things');
  });

  it('brings the bytes of the body unchanged, whatever they are', async () => {
    const body = Buffer.concat([randomBytes(1000), Buffer.from([0xff, 0xfe, 0x00])]);
    const event = await eventFor('POST', '/v1/hooks', { body });
    expect([event.isBase64Encoded, event.body]).toEqual([true, body.toString('base64')]);
  });
});

describe('limits', () => {
  it('refuses a body that is too large, declared or not, and closes the connection', async () => {
    const { send, url } = await fakeGateway({ limits: { bodyBytes: 1000 } });
    expect((await send('POST', '/v1/things', { body: 'x'.repeat(1000) })).status).toBe(200);
    const declared = await send('POST', '/v1/things', { body: 'x'.repeat(1001) });
    expect([problemOf(declared), declared.headers.get('connection')]).toEqual(['413 content-too-large', 'close']);
    const chunk = `100\r\n${'x'.repeat(256)}\r\n`;
    const head = 'POST /v1/things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await sendBytes(url, `${head}${chunk.repeat(5)}0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 .*content-too-large/s);
  });

  it('refuses ten megabytes and one byte, and a body that makes an event larger than Lambda takes', async () => {
    const { send } = await fakeGateway();
    for (const length of [10_485_761, 5_000_000]) {
      const sent = await send('POST', '/v1/things', { body: Buffer.alloc(length) });
      const detail = 'No body may have over 1048576 bytes.';
      expect([problemOf(sent), sent.json.detail]).toEqual(['413 content-too-large', detail]);
    }
  });

  it('refuses headers over 10,240 bytes in all, also such as the parser stops at', async () => {
    const { send, url } = await fakeGateway();
    const problem = async (length: number) =>
      problemOf(await send('GET', '/v1/things', { headers: ['X-Long', 'x'.repeat(length)] }));
    expect(await problem(10_240)).toBe('431 content-too-large');
    expect(await problem(10_000)).toMatch(/^200 /);
    const flood = `GET /v1/things HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`;
    expect(await sendBytes(url, flood)).toMatch(/^HTTP\/1\.1 431 .*application\/problem\+json.*"status":431/s);
  });

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a header without a colon', 'GET /v1/things HTTP/1.1\r\nHost a\r\n\r\n'],
    ['two lengths', 'POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['bytes that no URL has', 'GET /v1/things/\xe9 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['a bad chunk', 'POST /v1/things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ])('responds to %s with 400', async (_, bytes) => {
    const { url } = await fakeGateway();
    expect(await sendBytes(url, bytes)).toMatch(/^HTTP\/1\.1 400 .*application\/problem\+json.*malformed-request/s);
  });

  it('asks a client to go on that waits before it sends its body', async () => {
    const { url } = await fakeGateway();
    const head = 'POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nConnection: close\r\n';
    const response = await sendBytes(url, `${head}Expect: 100-continue\r\n\r\nx`);
    expect(response).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });

  it('survives clients that go away', async () => {
    const { send, url, failures } = await fakeGateway();
    const { port } = new URL(url);
    for (const bytes of ['POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc', 'GET /v1/th', '']) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes, () => socket.resetAndDestroy()));
        socket.once('close', () => resolve());
      });
    }
    expect([(await send('GET', '/v1/things')).status, failures]).toEqual([200, []]);
  });
});
