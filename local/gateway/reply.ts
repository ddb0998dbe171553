import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type entranceOf, gatewayResponse, type undeclared } from '#contract';
import { failure, type GatewayFailure } from './failure.ts';
import type { GatewaySettings } from './options.ts';

/** A response, ready to be sent. */
export interface Reply {
  readonly status: number;
  readonly headers: readonly Pair[];
  readonly body: Buffer;
}

type Preflight = NonNullable<ReturnType<typeof undeclared>['preflight']>;

/** The gateway response of a failure: its template and headers with the variables filled in, as API Gateway does. */
export function gatewayReply(
  { problem, status, authorizer }: GatewayFailure,
  requestId: string,
  { corsOrigins }: Pick<GatewaySettings, 'corsOrigins'>,
): Reply {
  const variableOf = (variable: string): string =>
    variable === 'requestId' ? requestId : (authorizer[variable.replace('authorizer.', '')] ?? '');
  const response = gatewayResponse(problem, corsOrigins);
  const headers = Object.entries(response.headers).map(
    ([name, expression]): Pair => [
      name,
      expression.startsWith("'") ? expression.slice(1, -1) : variableOf(expression.replace('context.', '')),
    ],
  );
  const body = response.template.replaceAll(/\$context\.([\w.]+)/g, (_, variable) => variableOf(variable));
  return { status, headers, body: Buffer.from(body) };
}

/**
 * The response to a preflight. An origin that is not allowed gets the first allowed one, as in the stack
 * (`infra/api-body/undeclared.ts`).
 */
export function preflightReply({ origins, headers }: Preflight, origin: string | undefined, requestId: string): Reply {
  const allowed = origins.find((each) => each === origin) ?? origins[0];
  const all = { 'Access-Control-Allow-Origin': allowed, ...headers, 'X-Request-Id': requestId };
  return { status: 204, headers: Object.entries(all), body: Buffer.alloc(0) };
}

/** The redirect to the documentation, below the stage's name where there is one, as in the stack. */
export function redirectReply(
  entrance: ReturnType<typeof entranceOf>,
  stage: string | undefined,
  requestId: string,
): Reply {
  const base = stage === undefined ? '' : `/${stage}`;
  return {
    status: entrance.status,
    headers: [
      ['Location', `${base}${entrance.location}`],
      ['Content-Type', 'application/json'],
      ['Cache-Control', 'no-store'],
      ['X-Request-Id', requestId],
    ],
    body: Buffer.from(entrance.body(base)),
  };
}

/** Statuses without a body and without its length (RFC 9110 §8.6). */
const isBodiless = (status: number): boolean => status === 204 || status === 304;

/**
 * A reply as it is sent: with the headers of the request's id and the body's length, and no body where there may be
 * none.
 */
export function asSent({ status, headers, body }: Reply, requestId: string, method?: string): Reply {
  const withId: Pair[] = [...headers, ['x-amzn-RequestId', requestId]];
  // A response to HEAD would have the length of the one to GET (RFC 9110 §9.3.2), which is not known here.
  if (isBodiless(status) || method === 'HEAD') return { status, headers: withId, body: Buffer.alloc(0) };
  return { status, headers: [...withId, ['Content-Length', String(body.length)]], body };
}

/**
 * Sends a reply. When the request's body was not read to its end, the connection closes after the client had time to
 * read.
 */
export async function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Reply,
): Promise<void> {
  if (request.complete) {
    response.writeHead(status, headers.flat()).end(body);
    return;
  }
  response.writeHead(status, [...headers, ['Connection', 'close']].flat()).write(body);
  await discardBody(request);
  response.end();
}

/** Sends a reply on a connection whose request could not even be parsed, and closes it. */
export function sendRaw(socket: Duplex, { status, headers, body }: Reply): void {
  const lines = [...headers, ['Connection', 'close'] as const].map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines].join('\r\n');
  socket.end(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]));
}

/** A header or a parameter of a query. */
export type Pair = readonly [name: string, value: string];

/** The client closed the connection before its request was complete: there is nobody to respond to. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/**
 * The whole body. No more than `maxBytes` is kept of a body that is too large.
 * @throws GatewayFailure 413
 * @throws ClientGone
 */
export const readBody = (request: IncomingMessage, maxBytes: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (hasNone(request)) return resolve(Buffer.alloc(0));
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return reject(failure('REQUEST_TOO_LARGE'));
    const chunks: Buffer[] = [];
    let size = 0;
    const keep = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxBytes) return void chunks.push(chunk);
      request.off('data', keep).pause();
      reject(failure('REQUEST_TOO_LARGE'));
    };
    request.on('data', keep);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', () => reject(new ClientGone()));
    // Creating an error takes time for its stack, and this event comes after every request.
    request.once('close', () => request.readableEnded || reject(new ClientGone()));
  });

/** A request that names neither a length nor an encoding has no body (RFC 9112 §6.3). */
const hasNone = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;

/** The longest time and the largest part in which an unread body is still received, in milliseconds and bytes. */
const DISCARD = { forMs: 5_000, bytes: 33_554_432 } as const;

/**
 * Receives and discards the rest of a body, up to a bound. A connection closed while the client still writes is reset,
 * and the client then loses the response that came before.
 */
export const discardBody = (request: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    if (request.complete || request.destroyed) return resolve();
    const timer = setTimeout(resolve, DISCARD.forMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > DISCARD.bytes) done();
    });
    request.once('close', done).once('end', done).resume();
  });
