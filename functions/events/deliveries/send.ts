import { Resolver } from 'node:dns/promises';
import type { IncomingMessage, RequestOptions } from 'node:http';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import { isSame } from '../endpoints/proof.ts';
import { isLocal, isLocalName, isPublic, type Target, type Targets, targetOf } from '../endpoints/target.ts';
import type { Call, Outcome, Send, SendError } from './ports.ts';

interface SendOptions {
  readonly targets: Targets;
  /** By default by DNS. */
  readonly resolve?: Resolve;
  /** Certificates of authorities to trust in place of Node's. */
  readonly ca?: string;
}

/** For everything from the name's resolution to the end of the response, in milliseconds. */
const TIMEOUT = 10_000;
/** Most bytes of a response's body, which is only compared. A receiver that sends more is cut off. */
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
 * Sends deliveries to addresses that callers chose: a name is resolved once, each of its addresses is checked, and one
 * of these is connected to; no redirect is followed; no proxy of the environment is used; no connection is kept. The
 * status is the outcome, whatever becomes of the body after it (`docs/decisions/0201`).
 */
export function sendWith({ targets, resolve = resolveByDns, ca }: SendOptions): Send {
  return async (call) => {
    const target = targetOf(call.url, targets);
    if (typeof target === 'string') return { error: 'address-refused' };
    const signal = AbortSignal.timeout(TIMEOUT);
    const addresses = await Promise.race([
      addressesOf(target, { targets, resolve, signal }).catch(() => 'name-not-resolved' as const),
      aborted(signal).then(() => 'timeout' as const),
    ]);
    if (typeof addresses === 'string') return { error: signal.aborted ? 'timeout' : addresses };
    return post(call, target, { addresses, signal, ca });
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
): Promise<readonly string[] | Extract<SendError, 'name-not-resolved' | 'address-refused'>> {
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

function post({ headers, body, expects }: Call, { url, host }: Target, connection: Connection): Promise<Outcome> {
  const encrypted = url.protocol === 'https:';
  const { signal } = connection;
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const request = (encrypted ? https : http).request(url, {
    method: 'POST',
    headers: { 'user-agent': 'Custodia-Webhooks', ...headers },
    maxHeaderSize: MOST_HEADERS,
    signal,
    ...connecting(connection),
    // An agent for this call alone: Node's own may keep connections, and use a proxy that the environment names.
    ...(encrypted ? { agent: new https.Agent(), ...checking(host, connection) } : { agent: new http.Agent() }),
  });
  let stage: SendError = 'connection';
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
    outcome = Number(response.statusCode) < 200 ? { error: 'response-invalid' } : outcomeOf(response);
    discard(response, expects && ((text) => (outcome = withExpectation(outcome, expects, text))));
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
const checking = (host: string, { ca }: Connection): https.RequestOptions => ({
  servername: isIP(host) === 0 ? host : '',
  rejectUnauthorized: true,
  ...(ca !== undefined && { ca }),
});

class InvalidResponse extends Error {}

const errorOf = (error: NodeJS.ErrnoException, stage: SendError): SendError =>
  error instanceof InvalidResponse || error.code?.startsWith('HPE_') ? 'response-invalid' : stage;

/**
 * Reads the body up to a bound and throws it away, so that a receiver can send a short one to its end.
 * @param compare is given a body that has come as a whole
 */
function discard(response: IncomingMessage, compare?: (body: string) => void): void {
  let bytes = 0;
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_BODY) response.destroy();
    else if (compare !== undefined) chunks.push(chunk);
  });
  response.on('end', () => compare?.(Buffer.concat(chunks).toString()));
  // What breaks after the status changes nothing.
  response.on('error', () => undefined);
}

/** The outcome of a response that was not cut off. No body leaves this function. */
function withExpectation(outcome: Outcome | undefined, expects: readonly string[], body: string): Outcome | undefined {
  return outcome && 'status' in outcome
    ? { ...outcome, isExpected: expects.some((expected) => isSame(expected, body)) }
    : outcome;
}

function outcomeOf({ statusCode = 0, headers }: IncomingMessage): Outcome {
  const seconds = retryAfter(headers);
  return { status: statusCode, ...(seconds !== undefined && { retryAfterSeconds: seconds }) };
}

/** Seconds of `Retry-After` (RFC 9110 §10.2.3). A date counts from the response's own, whatever time it is here. */
function retryAfter({ 'retry-after': text = '', date = '' }: IncomingMessage['headers']): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (!/^[A-Z][a-z]{2}, .* GMT$/.test(text)) return undefined;
  const seconds = Math.ceil((Date.parse(text) - Date.parse(date)) / 1000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', resolve, { once: true });
  });
