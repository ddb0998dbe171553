import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { COMPRESSED_FROM, GATEWAY_PROBLEMS, gatewayResponse } from '#contract';
import { eventOf, fakeGateway, problemOf } from './gateway-fixture.ts';

/** Content codings: responses that come compressed, and compressed bodies of requests. */

const LONG = JSON.stringify({ text: 'é'.repeat(COMPRESSED_FROM) });
const responding = (response: object) => fakeGateway({ things: () => ({ statusCode: 200, ...response }) });
const PLAIN = (bytes: Buffer): Buffer => bytes;

describe('a response', () => {
  it.each([
    ['gzip', 'gzip', gunzipSync],
    ['deflate', 'deflate', inflateSync],
    ['gzip, deflate, br', 'gzip', gunzipSync],
    ['deflate, gzip', 'deflate', inflateSync],
    ['deflate;q=0.5, gzip;q=1.0', 'gzip', gunzipSync],
    ['gzip;q=1.0, identity; q=0.5, *;q=0', 'gzip', gunzipSync],
    ['br;q=1.0, gzip;q=0.8', undefined, PLAIN],
    ['identity, gzip', undefined, PLAIN],
    ['gzip;q=0', undefined, PLAIN],
    ['gzip;q=x', undefined, PLAIN],
    ['br', undefined, PLAIN],
    ['*', undefined, PLAIN],
    ['__proto__', undefined, PLAIN],
    ['', undefined, PLAIN],
    [undefined, undefined, PLAIN],
  ])('to a caller that accepts "%s" is coded with %s', async (accepted, coding, decode) => {
    const { send } = await responding({ body: LONG, headers: { ETag: '"7"' } });
    const asking = accepted === undefined ? [] : ['Accept-Encoding', accepted];
    const { headers, bytes } = await send('GET', '/v1/things', { headers: asking });
    expect(decode(bytes).toString()).toBe(LONG);
    expect([headers.get('content-encoding'), headers.get('etag')]).toEqual([coding, '"7"']);
    expect(headers.get('content-length')).toBe(String(bytes.length));
  });

  it('is compressed from its smallest size on, in bytes', async () => {
    for (const [text, isCompressed] of [
      ['x'.repeat(COMPRESSED_FROM), true],
      ['x'.repeat(COMPRESSED_FROM - 1), false],
      ['é'.repeat(COMPRESSED_FROM / 2), true],
      ['', false],
    ] as const) {
      const { send } = await responding({ body: text });
      const { headers } = await send('GET', '/v1/things', { headers: ['Accept-Encoding', 'gzip'] });
      expect(headers.has('content-encoding'), `${text.length} characters`).toBe(isCompressed);
    }
  });

  it.each<[string, object, string, (bytes: Buffer) => Buffer]>([
    ['that is an error of the function is compressed, too', { statusCode: 422 }, 'gzip', gunzipSync],
    [
      'in base64 is compressed, too',
      { body: Buffer.from(LONG).toString('base64'), isBase64Encoded: true },
      ...(['gzip', gunzipSync] as const),
    ],
    ['that the function has coded is left alone', { headers: { 'content-encoding': 'own' } }, 'own', PLAIN],
  ])('%s', async (_, response, coding, decode) => {
    const { send } = await responding({ body: LONG, ...response });
    const { headers, bytes } = await send('GET', '/v1/things', { headers: ['Accept-Encoding', 'gzip'] });
    expect([headers.get('content-encoding'), decode(bytes).toString()]).toEqual([coding, LONG]);
  });

  it('of the gateway itself is never long enough', () => {
    const sizes = Object.values(GATEWAY_PROBLEMS).map((problem) => gatewayResponse(problem, []).template.length);
    expect(Math.max(...sizes)).toBeLessThan(COMPRESSED_FROM / 2);
  });
});

describe('a compressed body of a request', () => {
  const TEXT = '{"name":"Ångström"}';

  it.each([
    ['gzip', gzipSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['identity', Buffer.from(TEXT)],
    ['', Buffer.from(TEXT)],
  ])('reaches the function decoded, and with its header: %s', async (coding, body) => {
    const { send } = await fakeGateway();
    const event = eventOf(await send('POST', '/v1/things', { headers: ['Content-Encoding', coding], body }));
    expect(Buffer.from(event.body ?? '', 'base64').toString()).toBe(TEXT);
    expect(event.headers['Content-Encoding']).toBe(coding);
  });

  it.each([
    ['br', Buffer.from(TEXT)],
    ['gzip, gzip', gzipSync(gzipSync(TEXT))],
    ['gzip', Buffer.from(TEXT)],
    ['gzip', gzipSync(TEXT).subarray(0, -9)],
    ['gzip', deflateSync(TEXT)],
    ['deflate', gzipSync(TEXT)],
    ['__proto__', Buffer.from(TEXT)],
  ])('that is not what it says, or is coded in another way, is a 415: %s', async (coding, body) => {
    const { send, failures } = await fakeGateway();
    const sent = await send('POST', '/v1/things', { headers: ['Content-Encoding', coding], body });
    expect([problemOf(sent), sent.headers.get('accept-encoding')]).toEqual([
      '415 unsupported-media-type',
      'gzip, deflate, identity',
    ]);
    expect(failures).toEqual([]);
  });

  it('may not be larger than another one, and is not decoded further', async () => {
    const { send } = await fakeGateway({ limits: { bodyBytes: 1_000 } });
    const headers = ['Content-Encoding', 'gzip'];
    const post = (length: number) => send('POST', '/v1/things', { headers, body: gzipSync('x'.repeat(length)) });
    expect(eventOf(await post(1_000)).body).toBe(Buffer.from('x'.repeat(1_000)).toString('base64'));
    expect(problemOf(await post(1_001))).toBe('413 content-too-large');
  });

  it('that is empty is none, whatever its coding', async () => {
    const { send } = await fakeGateway();
    expect(eventOf(await send('GET', '/v1/things', { headers: ['Content-Encoding', 'br'] })).body).toBeNull();
  });
});
