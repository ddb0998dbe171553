import { channel } from 'node:diagnostics_channel';
import { Resolver } from 'node:dns/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import tls, { type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sendWith } from '../../functions/events/deliveries/send.ts';
import { resolveByDns } from '../../shared/outbound/request.ts';
import { selfSigned } from '../support/certificate.ts';
import { listening } from '../support/listening.ts';

const NAME = 'hooks.acme.com';
/** A name of this machine: the only ones that tests call. */
const LOCAL = 'hooks.localhost';
const certificate = selfSigned(LOCAL);

let stack: AsyncDisposableStack;
beforeEach(() => {
  stack = new AsyncDisposableStack();
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await stack.disposeAsync();
});

async function portOf(server: TcpServer): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
  stack.defer(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return Number(new URL(await listening(server)).port);
}

/** A receiver behind {@link LOCAL}. */
const receiver = (answer: RequestListener): Promise<number> => portOf(createTlsServer(certificate, answer));

/** A receiver that says what it likes, once it is asked for something. */
const raw = (answer: (socket: TLSSocket) => void): Promise<number> =>
  portOf(
    tls.createServer(certificate, (socket) => socket.on('error', () => undefined).once('data', () => answer(socket))),
  );

/** Sends a text again and again, until somebody hangs up. */
const forever = (socket: Socket, text: string): unknown =>
  socket.write(text, (error) => void (error ?? forever(socket, text)));

/** No name server is asked. */
const unresolved = vi.fn(async () => []);

/** Sends to the port of a receiver. */
const deliver = (port: number, ca = certificate.cert) =>
  sendWith({ targets: 'loopback', resolve: unresolved, ca })({
    url: `https://${LOCAL}:${port}/hook?a=b`,
    headers: { 'webhook-id': 'one' },
    body: '{"größe":1}',
  });

/** In place of the ten seconds of a call: it ends when the test says so. */
function clockStopped(): AbortController {
  const end = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(end.signal);
  return end;
}

describe('a delivery', () => {
  it('is posted as it is, to the name that the certificate is for, on a connection of its own', async () => {
    const seen: object[] = [];
    const port = await receiver(async (request, response) => {
      const { method, url, headers, socket } = request;
      seen.push({ method, url, ...headers, name: (socket as TLSSocket).servername, body: await text(request) });
      response.writeHead(204).end();
    });
    expect([await deliver(port), await deliver(port)]).toEqual([{ status: 204 }, { status: 204 }]);
    const [first] = seen;
    expect(first).toEqual({
      ...{ method: 'POST', url: '/hook?a=b', host: `${LOCAL}:${port}`, name: LOCAL, body: '{"größe":1}' },
      ...{ 'webhook-id': 'one', 'content-length': '13', connection: 'close', 'user-agent': 'Custodia-Webhooks' },
    });
    expect(seen).toHaveLength(2);
  });

  it.each([
    [{ 'retry-after': '120' }, 120],
    [{ 'retry-after': 'Mon, 23 Nov 2026 08:01:30 GMT', date: 'Mon, 23 Nov 2026 08:00:00 GMT' }, 90],
    [{ 'retry-after': 'Mon, 23 Nov 2026 08:01:30 GMT', date: 'Tue, 24 Nov 2026 08:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-1' }, undefined],
    [{ 'retry-after': 'Mon, 99 Foo 2026 GMT' }, undefined],
  ])('tells when to come again: %j', async (headers, retryAfterSeconds) => {
    const port = await receiver((_request, response) => void response.writeHead(503, headers).end());
    expect(await deliver(port)).toEqual({ status: 503, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
  });
});

describe('a name', () => {
  it('is resolved once, and called at the very address that was checked, with the name in the handshake', async () => {
    const own = selfSigned(NAME);
    const port = await portOf(createTlsServer(own, (_request, response) => void response.end()));
    const connect = tls.connect as (options: tls.ConnectionOptions) => TLSSocket;
    const looked: unknown[] = [];
    // The public addresses of this test lead to this machine.
    vi.spyOn(tls, 'connect').mockImplementation(((options: tls.ConnectionOptions & { host: string }) => {
      options.lookup?.(options.host, { all: true }, (_error, found) => looked.push(options.servername, found));
      return connect({
        ...options,
        lookup: (_name, _all, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
      });
    }) as never);
    const answer = ['2606:4700::1', '8.8.8.8', '2606:4700::2', '8.8.4.4', '1.1.1.1'];
    const resolve = vi.fn().mockResolvedValueOnce(answer).mockResolvedValue(['127.0.0.1']);
    const send = sendWith({ targets: 'public', resolve, ca: own.cert });
    expect(await send({ url: `https://${NAME}:${port}/`, headers: {}, body: '' })).toEqual({ status: 200 });
    const addresses = [
      { address: '8.8.8.8', family: 4 },
      { address: '8.8.4.4', family: 4 },
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ];
    expect(looked).toEqual([NAME, addresses]);
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it.each([
    [['127.0.0.1']],
    [['8.8.8.8', '169.254.169.254']],
    [['fd00:ec2::254', '8.8.8.8']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::a9fe:a9fe']],
    [['127.1']],
  ])('is not called where one address of its answer is bad: %j', async (addresses) => {
    const connect = vi.spyOn(tls, 'connect');
    const send = sendWith({ targets: 'public', resolve: async () => addresses });
    expect(await send({ url: `https://${NAME}/`, headers: {}, body: '' })).toEqual({ error: 'address-refused' });
    expect(connect).not.toHaveBeenCalled();
  });

  it('is not resolved if the URL is refused already', async () => {
    const resolve = vi.fn();
    const send = sendWith({ targets: 'public', resolve });
    for (const url of ['https://0x7f.1/', 'https://localhost/', 'http://hooks.acme.com/', 'https://[::ffff:7f00:1]/'])
      expect(await send({ url, headers: {}, body: '' })).toEqual({ error: 'address-refused' });
    expect(resolve).not.toHaveBeenCalled();
  });

  it.each([async () => [], async () => Promise.reject(new Error('ESERVFAIL'))])(
    'may have no address',
    async (resolve) => {
      const send = sendWith({ targets: 'public', resolve });
      expect(await send({ url: `https://${NAME}/`, headers: {}, body: '' })).toEqual({ error: 'name-not-resolved' });
    },
  );

  it('has the addresses that DNS knows in either family, and is given up with the call', async () => {
    vi.spyOn(Resolver.prototype, 'resolve4').mockResolvedValue(['8.8.8.8'] as never);
    vi.spyOn(Resolver.prototype, 'resolve6')
      .mockRejectedValueOnce(new Error('ENODATA'))
      .mockResolvedValue(['::1'] as never);
    const cancel = vi.spyOn(Resolver.prototype, 'cancel');
    const call = new AbortController();
    expect(await resolveByDns(NAME, call.signal)).toEqual(['8.8.8.8']);
    expect(await resolveByDns(NAME, call.signal)).toEqual(['8.8.8.8', '::1']);
    call.abort();
    expect(cancel).toHaveBeenCalled();
  });

  it('of this machine is called, also by http, in local development, and no other is', async () => {
    const port = await portOf(createServer((_request, response) => void response.end()));
    const send = sendWith({ targets: 'loopback', resolve: unresolved });
    for (const host of ['localhost', '127.0.0.1', 'a.localhost'])
      expect(await send({ url: `http://${host}:${port}/`, headers: {}, body: '' })).toEqual({ status: 200 });
    for (const url of [`https://${NAME}/`, 'https://8.8.8.8/', 'https://10.0.0.1/'])
      expect(await send({ url, headers: {}, body: '' }), url).toEqual({ error: 'address-refused' });
    expect(unresolved).not.toHaveBeenCalled();
  });
});

describe('a receiver that', () => {
  it('leads elsewhere is not followed', async () => {
    const location = 'http://169.254.169.254/latest/meta-data/';
    const port = await receiver((_request, response) => void response.writeHead(307, { location }).end());
    const connect = vi.spyOn(tls, 'connect');
    expect(await deliver(port)).toEqual({ status: 307 });
    expect(connect).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['another name', () => selfSigned('other.acme.com'), true],
    ['an authority that nobody knows', () => certificate, false],
  ])('has a certificate of %s gets nothing, whatever the environment says', async (_, made, isTrusted) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    vi.spyOn(process, 'emitWarning').mockReturnValue();
    const own = made();
    const answer = vi.fn();
    const port = await portOf(createTlsServer(own, answer));
    expect(await deliver(port, isTrusted ? own.cert : selfSigned(LOCAL).cert)).toEqual({ error: 'tls' });
    expect(answer).not.toHaveBeenCalled();
  });

  it('speaks no TLS, or is not there, has no status', async () => {
    expect(await deliver(await portOf(createServer()))).toEqual({ error: 'tls' });
    // No server takes it by chance, as it may one that was just closed.
    expect(await deliver(1)).toEqual({ error: 'connection' });
  });

  it.each([
    ['is silent', async (end: AbortController) => raw(() => end.abort())],
    [
      'shakes no hands',
      async (end: AbortController) => portOf(createTcpServer((socket) => void socket.once('data', () => end.abort()))),
    ],
  ])('%s is given up', async (_, start) => {
    const end = clockStopped();
    expect(await deliver(await start(end))).toEqual({ error: 'timeout' });
    expect(AbortSignal.timeout).toHaveBeenCalledWith(10_000);
  });

  it('has a name server that is silent is given up', async () => {
    const end = clockStopped();
    const send = sendWith({ targets: 'public', resolve: () => new Promise(() => end.abort()) });
    expect(await send({ url: `https://${NAME}/`, headers: {}, body: '' })).toEqual({ error: 'timeout' });
  });

  it('never ends its body has responded by its status', async () => {
    const end = clockStopped();
    const port = await raw((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'));
    const responded = channel('http.client.response.finish');
    const stop = () => end.abort();
    responded.subscribe(stop);
    stack.defer(() => void responded.unsubscribe(stop));
    expect(await deliver(port)).toEqual({ status: 200 });
  });

  it('sends a body without end is cut off', async () => {
    clockStopped();
    const cut = Promise.withResolvers<void>();
    const port = await raw((socket) => {
      socket.on('close', () => cut.resolve());
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      forever(socket, 'x'.repeat(16_384));
    });
    expect(await deliver(port)).toEqual({ status: 200 });
    await cut.promise;
  });

  it.each([
    [
      'headers without end',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        forever(socket, `x: ${'x'.repeat(1_024)}\r\n`);
      },
    ],
    ['preliminary responses without end', (socket: Socket) => forever(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')],
    [
      'another protocol',
      (socket: Socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ],
    ['something else', (socket: Socket) => socket.end('220 mail.acme.com ESMTP\r\n')],
    ['no status that there is', (socket: Socket) => socket.end('HTTP/1.1 099 OK\r\n\r\n')],
    ['no version that there is', (socket: Socket) => socket.end('HTTP/7.1 200 OK\r\n\r\n')],
    [
      'two lengths',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx'),
    ],
  ])('answers with %s gives no response', async (_, answer) => {
    expect(await deliver(await raw((socket) => void answer(socket)))).toEqual({ error: 'response-invalid' });
  });

  it('hangs up gives no response, or the status that it has sent before', async () => {
    expect(await deliver(await raw((socket) => socket.destroy()))).toEqual({ error: 'connection' });
    const partly = await raw((socket) => socket.end('HTTP/1.1 413 Content Too Large\r\ncontent-length: 9\r\n\r\n{'));
    expect(await deliver(partly)).toEqual({ status: 413 });
  });
});

describe('a body that the call expects', () => {
  const ask = (port: number) =>
    sendWith({ targets: 'loopback', resolve: unresolved, ca: certificate.cert })({
      ...{ url: `https://${LOCAL}:${port}/`, headers: {}, body: '{}' },
      expects: ['older', 'newer'],
    });

  it.each([
    ['newer', true],
    ['newer\n', false],
    ['', false],
    [`newer${'x'.repeat(70_000)}`, false],
  ])('is compared as a whole, and kept nowhere: %.6s', async (body, isExpected) => {
    const outcome = await ask(await receiver((_, response) => void response.end(body)));
    expect({ isExpected: false, ...outcome }).toEqual({ status: 200, isExpected });
  });

  it('is not expected if the receiver breaks off', async () => {
    const outcome = await ask(await raw((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nnewer')));
    expect(outcome).toEqual({ status: 200 });
  });
});
