import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { allow, fakeGateway, problemOf } from './gateway-fixture.ts';

const DONE = { statusCode: 200, body: 'done' };

const waitUntil = (isTrue: () => boolean) => vi.waitUntil(isTrue, { timeout: PATIENCE });

/** A function that responds on request. */
function held() {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const things = vi.fn(() => promise);
  return { things, calls: (count: number) => waitUntil(() => things.mock.calls.length === count), resolve };
}

describe('more requests than the gateway serves at the same time', () => {
  it('are served one after the other', async () => {
    let [running, most] = [0, 0];
    const things = vi.fn(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return DONE;
    });
    // However slow the machine is.
    const { send } = await fakeGateway({ things, limits: { inFlight: 1, waitMs: PATIENCE } });
    const responses = await Promise.all(Array.from(Array(60), () => send('POST', '/v1/things', { body: '{}' })));
    expect([new Set(responses.map(({ status }) => status)), most]).toEqual([new Set([200]), 1]);
  });

  it('are refused at once with a problem where they would wait too long, are no failure, and succeed later', async () => {
    const { things, calls, resolve } = held();
    const { send, failures } = await fakeGateway({ things, limits: { inFlight: 3, waitMs: 0 } });
    const taken = Array.from(Array(3), () => send('GET', '/v1/things'));
    await calls(3);
    const refused = await Promise.all(Array.from(Array(400), () => send('POST', '/v1/things', { body: '{}' })));
    expect(new Set(refused.map(problemOf))).toEqual(new Set(['503 unavailable']));
    expect(new Set(refused.map(({ headers }) => headers.get('retry-after')))).toEqual(new Set(['1']));
    resolve(DONE);
    expect((await Promise.all(taken)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await send('GET', '/v1/things')).status).toBe(200);
    expect(things).toHaveBeenCalledTimes(4);
    expect(failures).toEqual([]);
  });

  it('are counted with the time of their authorizer, and without bodies that are still to come', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const authorize = vi.fn(() => promise);
    const { url, send } = await fakeGateway({ authorize, limits: { inFlight: 1, waitMs: 0 } });
    await opened(url, 'POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc');
    const first = send('GET', '/v1/secret', { headers: ['Authorization', 'Bearer t'] });
    await waitUntil(() => authorize.mock.calls.length === 1);
    expect((await send('GET', '/v1/things')).status).toBe(503);
    expect((await send('GET', '/v1/nowhere')).status).toBe(404);
    resolve(allow());
    expect((await first).status).toBe(200);
  });
});

describe('a gateway that closes', () => {
  it('closes each connection with its response, also of a request that comes on an open one, and drops none', async () => {
    const { things, calls, resolve } = held();
    const { url, close, unfinished } = await fakeGateway({ things });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const [first, second] = [get(url, agent), get(url, agent)];
    await calls(1);
    expect(unfinished()).toBe(1);
    const closed = close();
    resolve(DONE);
    const response = await first;
    expect([response.headers.connection, await text(response)]).toEqual(['close', 'done']);
    await expect(second).rejects.toThrow('ECONNREFUSED');
    await closed;
    expect(unfinished()).toBe(0);
  });

  it('reports the requests that it drops after its grace period, also of a client that has gone away', async () => {
    const { things, calls } = held();
    const { url, send, close, unfinished } = await fakeGateway({ things, limits: { graceMs: 1 } });
    const dropped = expect(send('GET', '/v1/things')).rejects.toThrow('hang up');
    const gone = await opened(url, 'GET /v1/things HTTP/1.1\r\nHost: a\r\n\r\n');
    await calls(2);
    gone.destroy();
    await opened(url, 'POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc');
    await close();
    await dropped;
    expect(unfinished()).toBe(2);
  });
});

describe('what does not arrive in its time', () => {
  it.each([
    ['a request line', ''],
    ['headers', 'GET /v1/things HTTP/1.1\r\nHost: a\r\n'],
    ['a body', 'POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc'],
    ['a chunked body', 'POST /v1/things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'],
  ])('%s gets a problem, and the connection is closed from both sides', async (_, bytes) => {
    const { url, things, failures } = await slowGateway();
    const socket = await opened(url, bytes);
    expect(await text(socket)).toMatch(
      /^HTTP\/1\.1 408 [\s\S]*\r\nConnection: close\r\n[\s\S]*"detail":"The request did not arrive within 0\.5 s\."/,
    );
    // The client has not closed its side: the server no longer waits for that.
    await waitUntil(() => {
      socket.write('x');
      return socket.destroyed;
    });
    expect(things).not.toHaveBeenCalled();
    expect(failures).toEqual([]);
  });

  it('is not a request whose response takes long', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const { url, send } = await slowGateway(() => promise);
    const sent = send('GET', '/v1/things');
    // Whoever came later was closed before.
    await text(await opened(url, ''));
    resolve(DONE);
    expect((await sent).status).toBe(200);
  });
});

/** Its time is longer than a busy machine needs to read what was sent at once. */
async function slowGateway(reply: () => unknown = () => DONE) {
  const things = vi.fn(reply);
  return { ...(await fakeGateway({ things, limits: { arrivalMs: 500 } })), things };
}

/** A connection on which these bytes were written, and which stays open on the side of the client. */
async function opened(url: string, bytes: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

const get = (url: string, agent: Agent): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    httpRequest(`${url}/v1/things`, { agent }, resolve).once('error', reject).end();
  });
