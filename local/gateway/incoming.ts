import { decodedBody } from './content-coding.ts';
import { headersTooLarge, noStage, notHttp } from './failure.ts';
import { assertOurs } from './hosts.ts';
import type { GatewaySettings } from './options.ts';
import type { Pair } from './reply.ts';
import { type Segment, splitPath } from './resources.ts';

/** A request that the gateway has read, within its limits. */
export interface Incoming {
  readonly method: string;
  /** As sent, without the query; slashes at its beginning are one. */
  readonly path: string;
  readonly segments: readonly Segment[];
  /** Names and values decoded, in the order sent. */
  readonly query: readonly Pair[];
  /** Names as sent, without the headers of the connection. */
  readonly headers: readonly Pair[];
  readonly body: Buffer;
  readonly sourceIp: string;
  readonly httpVersion: string;
}

/** The part of a request before its body, as Node's HTTP parser gives it. */
export interface RequestHead {
  readonly method?: string | undefined;
  /** The request target, mostly path and query. */
  readonly url?: string | undefined;
  /** Names and values in turn, as sent. */
  readonly rawHeaders: readonly string[];
  readonly httpVersion: string;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Reads a body of at most so many bytes. @throws GatewayFailure 413 @throws ClientGone */
export type ReadBody = (maxBytes: number) => Promise<Buffer>;

/**
 * Reads a request.
 * @throws GatewayFailure 400, 403, 413 or 431
 * @throws ClientGone when the client goes away before its body is complete
 */
export async function readRequest(
  request: RequestHead,
  readBody: ReadBody,
  { limits, allowedHosts }: Pick<GatewaySettings, 'limits' | 'allowedHosts'>,
): Promise<Incoming> {
  const { method = '', url = '' } = request;
  const headers = pairsOf(request.rawHeaders);
  assertHeadersFit(`${method} ${url}`, headers, limits.headerBytes);
  const hosts = valuesOf(headers, 'host');
  if (hosts.length > 1) throw notHttp('The header Host is there more than once.');
  if (hosts.length === 0 && request.httpVersion === '1.1') throw notHttp('The header Host is missing.');
  const { authority, ...target } = targetOf(url);
  assertOurs([...hosts, ...authority], allowedHosts);
  return {
    ...target,
    method: valuesOf(headers, METHOD_OVERRIDE)[0]?.toUpperCase() ?? method,
    headers: headers.filter(([name]) => !DROPPED_HEADERS.has(name.toLowerCase())),
    body: await decodedBody(await readBody(limits.bodyBytes), headers, limits.bodyBytes),
    sourceIp: (request.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, ''),
    httpVersion: request.httpVersion,
  };
}

/** The method of a request with this header is the one that the header names. */
const METHOD_OVERRIDE = 'x-http-method-override';

/**
 * Headers that functions do not see: those of the connection (RFC 9110 §7.6.1), and those that API Gateway drops.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html#api-gateway-known-issues-rest-apis
 */
const DROPPED_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-md5',
  'expect',
  'keep-alive',
  'max-forwards',
  'proxy-authenticate',
  'proxy-connection',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
  METHOD_OVERRIDE,
]);

const valuesOf = (headers: readonly Pair[], name: string): string[] =>
  headers.filter(([sent]) => sent.toLowerCase() === name).map(([, value]) => value);

const pairsOf = (raw: readonly string[]): Pair[] =>
  raw.flatMap((name, index): Pair[] => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []));

function assertHeadersFit(requestLine: string, headers: readonly Pair[], maxBytes: number): void {
  const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length, requestLine.length);
  if (bytes > maxBytes) throw headersTooLarge(maxBytes);
}

interface Target extends Pick<Incoming, 'path' | 'segments' | 'query'> {
  /**
   * The authority of a request line with the whole address, as proxies get it (RFC 9112 §3.2.2); empty where it has
   * only the path.
   */
  readonly authority: readonly string[];
}

function targetOf(url: string): Target {
  const [absolute = '', ...authority] = /^https?:\/\/([^/?]*)/i.exec(url) ?? [];
  const target = url.slice(absolute.length);
  if (!/^\/[\x21-\x7e]*$/.test(target)) throw notHttp('The request target is not a path.');
  const [path = '', ...query] = target.split('?');
  return { ...placeOf(path), query: queryOf(query.join('?')), authority };
}

/** @throws GatewayFailure 400 */
const placeOf = (path: string): Pick<Incoming, 'path' | 'segments'> => ({
  path: path.replace(/^\/*/, '/'),
  segments: splitPath(path).map((raw) => ({ raw, decoded: decoded(raw, 'path') })),
});

const queryOf = (query: string): Pair[] =>
  query
    // API Gateway splits at semicolons too.
    .split(/[&;]/)
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', ...value] = part.replaceAll('+', ' ').split('=');
      return [decoded(name, 'query'), decoded(value.join('='), 'query')];
    });

function decoded(text: string, part: 'path' | 'query'): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notHttp(`The ${part} has a "%" that begins no valid UTF-8 text.`);
  }
}

/**
 * At API Gateway's own address the first segment of a path is the stage, and the rest is the resource's path. At a
 * custom domain there is no such segment.
 * @param stage undefined: as at a custom domain
 * @throws GatewayFailure 403 for a path of any other stage, as AWS does
 */
export function withinStage(called: Incoming, stage: string | undefined): Incoming {
  if (stage === undefined) return called;
  if (called.segments[0]?.raw !== stage) throw noStage();
  return { ...called, ...placeOf(called.path.slice(`/${stage}`.length)) };
}
