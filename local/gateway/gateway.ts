import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ClientGone } from './body.ts';
import { headersTooLarge, notHttp } from './failure.ts';
import { takeIn } from './incoming.ts';
import { type GatewayOptions, type GatewaySettings, withDefaults } from './options.ts';
import { gatewayReply, sendRaw, sendReply } from './reply.ts';
import { type Serve, server } from './serve.ts';

export type { FunctionHandler, GatewayOptions } from './options.ts';

export interface Gateway {
  /** `http://127.0.0.1:PORT`, with the stage behind it where one was named. */
  readonly url: string;
  /** Lets requests under way end, for three seconds at most. May be called twice. */
  close(): Promise<void>;
}

/** How long requests under way may take when the gateway closes, in milliseconds. */
const CLOSE_GRACE_MS = 3_000;

/** What the parser reads of request line and headers: enough that the gateway's own, smaller limit answers. In bytes. */
const PARSER_HEADER_BYTES = 65_536;

/**
 * Starts a REST API on this machine, in front of the functions that `loadFunction` finds.
 * @throws Error with the code `EADDRINUSE`, `EACCES` or `EADDRNOTAVAIL` when it cannot listen
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const settings = withDefaults(options);
  const http = httpServer(settings, server(settings));
  http.listen(settings.port, settings.host);
  await once(http, 'listening');
  let closing: Promise<void> | undefined;
  return {
    url: urlOf(http, settings),
    close: () => {
      closing ??= closeServer(http);
      return closing;
    },
  };
}

function httpServer(settings: GatewaySettings, serve: Serve): Server {
  const answering = new WeakMap<Duplex, ServerResponse>();
  const http = createServer(
    // A missing Host is ours to refuse, with a problem; the parser would answer in its own words.
    { maxHeaderSize: PARSER_HEADER_BYTES, requireHostHeader: false },
    (request, response) => {
      answering.set(request.socket, response);
      // A connection that was busy when the server closed would otherwise wait for one more request.
      response.once('close', () => http.listening || http.closeIdleConnections());
      void respond(settings, serve, request, response);
    },
  );
  // Their size is bounded, so their number need not be: past this number Node drops headers without a word.
  http.maxHeadersCount = 0;
  // An expectation that nobody knows may be passed over (RFC 9110 §10.1.1); Node would answer it with a bare 417.
  http.on('checkExpectation', (request, response) => http.emit('request', request, response));
  http.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = answering.get(socket);
    const isAnswered = response?.headersSent && !response.writableFinished;
    if (!socket.writable || isAnswered || error.code === 'ECONNRESET') {
      socket.destroy();
    } else {
      const requestId = randomUUID();
      sendRaw(socket, gatewayReply(parserFailure(error, settings), requestId, settings), requestId);
    }
  });
  return http;
}

const parserFailure = ({ code }: NodeJS.ErrnoException, { limits }: GatewaySettings) =>
  code === 'HPE_HEADER_OVERFLOW' ? headersTooLarge(limits.headerBytes) : notHttp('The request is not valid HTTP.');

async function respond(
  settings: GatewaySettings,
  serve: Serve,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const requestId = randomUUID();
  // A client may disconnect at any time, which is no failure.
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  try {
    const { method = '', url: target = '' } = request;
    const { reply } = await settings.around({ requestId, method, target }, () =>
      serve(() => takeIn(request, settings.limits, settings.allowedHosts), requestId),
    );
    await sendReply(request, response, reply, requestId);
  } catch (error) {
    if (!(error instanceof ClientGone)) settings.report(`request ${requestId} could not be answered`, error);
    response.destroy();
  }
}

function urlOf(http: Server, { stage }: GatewaySettings): string {
  const { address, port, family } = http.address() as AddressInfo;
  const base = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  return stage === undefined ? base : `${base}/${stage}`;
}

async function closeServer(http: Server): Promise<void> {
  const closed = once(http, 'close');
  http.close();
  const timer = setTimeout(() => http.closeAllConnections(), CLOSE_GRACE_MS);
  await closed;
  clearTimeout(timer);
}
