import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { failure, type GatewayFailure, headersTooLarge, notHttp, tooSlow } from './failure.ts';
import { originOf } from './hosts.ts';
import { type Incoming, type ReadBody, type RequestHead, readRequest } from './incoming.ts';
import { type GatewayOptions, type GatewaySettings, withDefaults } from './options.ts';
import { asSent, ClientGone, gatewayReply, type Reply, readBody, sendRaw, sendReply } from './reply.ts';
import { type Serve, server } from './serve.ts';

export type { FunctionHandler, GatewayOptions } from './options.ts';

export interface Gateway {
  /** `http://127.0.0.1:PORT`, followed by the stage where one was named. */
  readonly url: string;
  /**
   * Requests without a response: while the gateway runs, those under way; once it has closed, those that were dropped.
   */
  unfinished(): number;
  /** Serves a request as if it had come over a connection: what is behind the socket and its parser does the same. */
  call(request: RequestHead, body: Buffer): Promise<Reply>;
  /** Stops, after waiting for requests under way within the limits. May be called twice. */
  close(): Promise<void>;
}

/**
 * How much the parser reads of request line and headers, in bytes: more than the gateway's own limit, so that the
 * gateway refuses them.
 */
const PARSER_HEADER_BYTES = 65_536;

/**
 * Starts a REST API on this machine, in front of the functions that `loadFunction` finds.
 * @throws Error with the code `EADDRINUSE`, `EACCES` or `EADDRNOTAVAIL` when it cannot listen
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const settings = withDefaults(options);
  const underWay = new InFlight();
  const running: Running = { settings, serve: server(settings), underWay };
  const http = httpServer(running);
  http.listen(settings.port, settings.host);
  await once(http, 'listening');
  let closing: Promise<void> | undefined;
  let dropped: number | undefined;
  const close = async (): Promise<void> => {
    dropped = await closeServer(http, underWay, settings.limits.graceMs);
  };
  return {
    url: urlOf(http, settings),
    unfinished: () => dropped ?? underWay.size,
    call: async (request, body) => {
      using entered = new DisposableStack();
      return await replyTo(running, request, wholeBody(body), randomUUID(), entered);
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** What the processing of each request needs. */
interface Running {
  readonly settings: GatewaySettings;
  readonly serve: Serve;
  /** Requests that have arrived, until their response is sent and their work is done. */
  readonly underWay: InFlight;
}

function httpServer(running: Running): Server {
  const { settings } = running;
  const responding = new WeakMap<Duplex, ServerResponse>();
  const { arrivalMs } = settings.limits;
  const http = createServer(
    {
      maxHeaderSize: PARSER_HEADER_BYTES,
      // The gateway refuses a missing Host with a problem; the parser would respond without one.
      requireHostHeader: false,
      headersTimeout: arrivalMs,
      requestTimeout: arrivalMs,
      // How often Node looks for connections that are too slow.
      connectionsCheckingInterval: Math.ceil(arrivalMs / 12),
    },
    (request, response) => {
      responding.set(request.socket, response);
      // A connection that was busy when the server closed would otherwise wait for one more request.
      response.once('close', () => http.listening || http.closeIdleConnections());
      void respond(running, request, response, () => !http.listening);
    },
  );
  // Their size is bounded, so their number need not be: beyond this number Node silently drops headers.
  http.maxHeadersCount = 0;
  // An unknown expectation may be ignored (RFC 9110 §10.1.1); Node would respond with a bare 417.
  http.on('checkExpectation', (request, response) => http.emit('request', request, response));
  http.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = responding.get(socket);
    const hasResponded = response?.headersSent && !response.writableFinished;
    if (!socket.writable || hasResponded || error.code === 'ECONNRESET') {
      socket.destroy();
    } else {
      const requestId = randomUUID();
      // The client is gone.
      if (isTooSlow(error)) socket.once('finish', () => socket.destroy());
      sendRaw(socket, asSent(gatewayReply(parserFailure(error, settings), requestId, settings), requestId));
    }
  });
  return http;
}

const isTooSlow = ({ code }: NodeJS.ErrnoException): boolean => code === 'ERR_HTTP_REQUEST_TIMEOUT';

function parserFailure(error: NodeJS.ErrnoException, { limits }: GatewaySettings): GatewayFailure {
  if (error.code === 'HPE_HEADER_OVERFLOW') return headersTooLarge(limits.headerBytes);
  if (isTooSlow(error)) return tooSlow(limits.arrivalMs);
  return notHttp('The request is not valid HTTP.');
}

/** Serves a request of a connection, and ends when its response is sent or its client is gone. */
async function respond(
  running: Running,
  request: IncomingMessage,
  response: ServerResponse,
  isClosing: () => boolean,
): Promise<void> {
  using entered = new DisposableStack();
  const requestId = randomUUID();
  // A client may disconnect at any time, which is no failure.
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  try {
    const reply = await replyTo(running, request, (maxBytes) => readBody(request, maxBytes), requestId, entered);
    if (isClosing()) response.shouldKeepAlive = false;
    await sendReply(request, response, reply);
    if (!response.closed) await new Promise((resolve) => response.once('close', resolve));
  } catch (error) {
    if (!(error instanceof ClientGone)) running.settings.report(`request ${requestId} could not be answered`, error);
    response.destroy();
  }
}

/** Serves a request, which is under way from its body's arrival until `entered` is disposed. */
async function replyTo(
  { settings, serve, underWay }: Running,
  request: RequestHead,
  read: ReadBody,
  requestId: string,
  entered: DisposableStack,
): Promise<Reply> {
  const { method = '', url: target = '' } = request;
  const arrive = async (): Promise<Incoming> => {
    const incoming = await readRequest(request, read, settings);
    entered.use(underWay.enter());
    return incoming;
  };
  const { reply } = await settings.around({ requestId, method, target }, () => serve(arrive, requestId));
  return asSent(reply, requestId, method);
}

const wholeBody =
  (body: Buffer): ReadBody =>
  async (maxBytes) => {
    if (body.length > maxBytes) throw failure('REQUEST_TOO_LARGE');
    return body;
  };

function urlOf(http: Server, { stage }: GatewaySettings): string {
  const { address, port } = http.address() as AddressInfo;
  const base = originOf(address, port);
  return stage === undefined ? base : `${base}/${stage}`;
}

/** @returns how many requests were dropped */
async function closeServer(http: Server, underWay: InFlight, graceMs: number): Promise<number> {
  const closed = once(http, 'close');
  http.close();
  const { promise: graceIsOver, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, graceMs);
  // The connection of a client that has gone away closes before the work is done.
  await Promise.race([Promise.all([closed, underWay.none()]), graceIsOver]);
  clearTimeout(timer);
  const dropped = underWay.size;
  http.closeAllConnections();
  await closed;
  return dropped;
}

/** Counts things that begin and end, such as requests. */
class InFlight {
  #size = 0;
  readonly #none = new Set<() => void>();

  get size(): number {
    return this.#size;
  }

  /** Adds one, until the result is disposed. */
  enter(): Disposable {
    this.#size++;
    return { [Symbol.dispose]: () => this.#leave() };
  }

  /** Resolves as soon as there are none. */
  async none(): Promise<void> {
    if (this.#size > 0) await new Promise<void>((resolve) => this.#none.add(resolve));
  }

  #leave(): void {
    this.#size--;
    if (this.#size > 0) return;
    for (const resolve of this.#none) resolve();
    this.#none.clear();
  }
}
