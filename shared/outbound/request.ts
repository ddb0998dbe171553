import { Resolver } from 'node:dns/promises';
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { RequestOptions as HttpsOptions } from 'node:https';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import { isLocal, isLocalName, isPublic, type Target, type Targets, targetOf } from './target.ts';

export interface OutboundOptions {
  readonly targets: Targets;
  /** For everything from the name's resolution to the end of the response, in milliseconds. */
  readonly timeout: number;
  /** By default by DNS. */
  readonly resolve?: Resolve;
  /** Certificates of authorities to trust in place of Node's. */
  readonly ca?: string;
}

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether the body of the response is wanted. */
  readonly readsBody: boolean;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Absent where it is not wanted, was cut off or has more than 64 KB. */
  readonly body?: string;
}

/** Why there is no status. */
export type OutboundError =
  /** The name has no address. */
  | 'name-not-resolved'
  /** One of its addresses is not public, or the URL may not be called. */
  | 'address-refused'
  /** It was refused, or ended before the response. */
  | 'connection'
  /** No handshake, or a certificate that is not valid for the name. */
  | 'tls'
  /** No response in time. */
  | 'timeout'
  /** What came is no HTTP response, or has too many headers. */
  | 'response-invalid';

type Outcome = OutboundResponse | { readonly error: OutboundError };

/** Makes one call. */
type SendOutbound = (request: OutboundRequest) => Promise<Outcome>;

/** Most bytes of a response's body. A server that sends more is cut off. */
const MOST_BODY = 64 * 1024;
/** Most bytes of a response's headers. */
const MOST_HEADERS = 16 * 1024;
/** Responses of 1xx before the real one. */
const MOST_INFORMATION = 5;
/** Before the next address is tried, in milliseconds. */
const CONNECT_TIMEOUT = 2_000;
/** Most addresses that are tried for one call. */
const MOST_TRIED = 4;

/**
 * Calls addresses that callers chose: a name is resolved once, each of its addresses is checked, and one of these is
 * connected to; no redirect is followed; no proxy of the environment is used; no connection is kept. The status is the
 * outcome, whatever becomes of the body after it (`docs/decisions/0201`).
 */
export function outbound({ targets, timeout, resolve = resolveByDns, ca }: OutboundOptions): SendOutbound {
  return async (request) => {
    const target = targetOf(request.url, targets);
    if (typeof target === 'string') return { error: 'address-refused' };
    const signal = AbortSignal.timeout(timeout);
    const addresses = await Promise.race([
      addressesOf(target, { targets, resolve, signal }).catch(() => 'name-not-resolved' as const),
      aborted(signal).then(() => 'timeout' as const),
    ]);
    if (typeof addresses === 'string') return { error: signal.aborted ? 'timeout' : addresses };
    return send(request, target, { addresses, signal, ca });
  };
}

/** All addresses of a name; none where it has none. Ends when the signal does. */
type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * The addresses to connect to. The name is resolved here and nowhere else, so that what was checked is what is called.
 * One bad address among good ones refuses them all: nobody has it there by accident.
 */
async function addressesOf(
  { host }: Target,
  { targets, resolve, signal }: { readonly targets: Targets; readonly resolve: Resolve; readonly signal: AbortSignal },
): Promise<readonly string[] | Extract<OutboundError, 'name-not-resolved' | 'address-refused'>> {
  // An address that was copied or made up is accepted on a developer's machine, and never called from there.
  if (targets === 'loopback' && !isLocal(host)) return 'address-refused';
  const addresses = isIP(host) === 0 ? await namedAddresses(host, resolve, signal) : [host];
  if (addresses.length === 0) return 'name-not-resolved';
  if (targets === 'public' && !addresses.every(isPublic)) return 'address-refused';
  // Lambda's own network has IPv4 alone.
  return addresses.toSorted((one, other) => isIP(one) - isIP(other)).slice(0, MOST_TRIED);
}

/** DNS is not asked for names of this machine (RFC 6761 §6.3). */
const namedAddresses = async (name: string, resolve: Resolve, signal: AbortSignal): Promise<readonly string[]> =>
  isLocalName(name) ? ['127.0.0.1', '::1'] : resolve(name, signal);

/**
 * Asks DNS, and neither a file of hosts nor domains to search. Unlike `getaddrinfo`, it blocks no thread while a name
 * server keeps it waiting, and can be cancelled.
 */
export const resolveByDns: Resolve = async (name, signal) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
};

interface Connection {
  readonly addresses: readonly string[];
  readonly signal: AbortSignal;
  readonly ca: string | undefined;
}

function send(
  { method, headers, body, readsBody }: OutboundRequest,
  { url, host }: Target,
  connection: Connection,
): Promise<Outcome> {
  const encrypted = url.protocol === 'https:';
  const { signal } = connection;
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const request = (encrypted ? httpsRequest : httpRequest)(url, {
    method,
    headers,
    maxHeaderSize: MOST_HEADERS,
    signal,
    ...connecting(connection),
    // An agent for this call alone: Node's own may keep connections, and use a proxy that the environment names.
    ...(encrypted ? { agent: new HttpsAgent(), ...checking(host, connection) } : { agent: new HttpAgent() }),
  });
  let stage: OutboundError = 'connection';
  let outcome: Outcome | undefined;
  request.on('socket', (socket) => {
    // The request hears of errors too, but for those after a switch of protocols.
    socket.on('error', () => undefined);
    if (encrypted) socket.once('connect', () => (stage = 'tls'));
    socket.once('secureConnect', () => (stage = 'connection'));
  });
  let information = 0;
  request.on('information', () => {
    information += 1;
    if (information === MOST_INFORMATION + 1) request.destroy(new InvalidResponse());
  });
  request.on('upgrade', (_response, socket) => {
    outcome = { error: 'response-invalid' };
    socket.destroy();
  });
  request.on('response', (response) => {
    const { statusCode: status = 0, headers } = response;
    if (status < 200) outcome = { error: 'response-invalid' };
    else outcome = { status, headers };
    read(response, readsBody && status >= 200 ? (text) => (outcome = { status, headers, body: text }) : undefined);
  });
  request.on('error', (error) => (outcome ??= { error: signal.aborted ? 'timeout' : errorOf(error, stage) }));
  request.on('close', () => resolve(outcome ?? { error: signal.aborted ? 'timeout' : stage }));
  request.end(body);
  return promise;
}

/** To one of these addresses, without another look-up of the name. */
const connecting = ({ addresses }: Connection): RequestOptions & Partial<TcpNetConnectOpts> => ({
  lookup: ((_name, _options, found) =>
    found(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    )) satisfies LookupFunction,
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: CONNECT_TIMEOUT,
});

/** The certificate is checked whatever the environment says. An address is no server name (RFC 6066 §3). */
const checking = (host: string, { ca }: Connection): HttpsOptions => ({
  servername: isIP(host) === 0 ? host : '',
  rejectUnauthorized: true,
  ...(ca !== undefined && { ca }),
});

class InvalidResponse extends Error {}

const errorOf = (error: NodeJS.ErrnoException, stage: OutboundError): OutboundError =>
  error instanceof InvalidResponse || error.code?.startsWith('HPE_') ? 'response-invalid' : stage;

/**
 * Reads the body up to a bound, so that a server can send a short one to its end.
 * @param keep is given a body that has come as a whole; without it the body is thrown away
 */
function read(response: IncomingMessage, keep?: (body: string) => void): void {
  let bytes = 0;
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_BODY) response.destroy();
    else if (keep !== undefined) chunks.push(chunk);
  });
  response.on('end', () => keep?.(Buffer.concat(chunks).toString()));
  // What breaks after the status changes nothing.
  response.on('error', () => undefined);
}

const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', resolve, { once: true });
  });
