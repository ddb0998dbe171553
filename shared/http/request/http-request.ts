import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { freeFormOf, maxBodyOf, Problem, type Route } from '#contract';
import { mistakeIn, type Parsed, parseJson, parseWhere } from '#json';
import { baseUrlAt } from '../../base-url.ts';
import { sizeInWords } from '../../words.ts';

/** The HTTP request of a proxy event. */
export interface HttpRequest {
  readonly requestId: string;
  /** Network address of the client, as the gateway saw it. */
  readonly sourceAddress: string;
  /** By lower-case name; the values of a repeated header are joined (RFC 9110 §5.3). */
  readonly headers: ReadonlyMap<string, string>;
  /** Lower-case names of headers that were sent more than once. */
  readonly repeated: ReadonlySet<string>;
  /** Path parameters, still percent-encoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** The bytes as sent. */
  readonly bytes: Buffer;
  /** The address in front of `/api/v1`, as the caller called it: `https://api.example.com`. */
  readonly baseUrl: string;
}

/** The request of a batch, as its own requests need it: they come from its caller, within its time. */
export interface BatchRequest {
  readonly event: APIGatewayProxyEvent;
  readonly request: HttpRequest;
  readonly context: Context;
  /** Whether the body came as NDJSON, and the response is to be NDJSON. */
  readonly isNdjson: boolean;
  /** Whether its caller wants to see whole records (RFC 7240 §4.2). */
  readonly wantsRecords: boolean;
}

export function requestOf(event: APIGatewayProxyEvent): HttpRequest {
  const headers = headersOf(event);
  return {
    requestId: event.requestContext.requestId,
    sourceAddress: event.requestContext.identity?.sourceIp ?? '',
    headers: new Map(Array.from(headers, ([name, values]) => [name, values.join(', ')])),
    repeated: new Set(Array.from(headers.keys()).filter((name) => (headers.get(name)?.length ?? 0) > 1)),
    params: definedEntries(event.pathParameters),
    query: definedEntries(event.multiValueQueryStringParameters),
    bytes: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
    // Few operations ask for it.
    get baseUrl() {
      return baseUrlOf(event);
    },
  };
}

/**
 * The part of the called path before the route's own: `/prod` at the address that API Gateway gives a stage, nothing at
 * the root of a custom domain. `requestContext.path` is the path as the caller wrote it, at either address.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-input-format
 */
export function basePathOf({ resource, requestContext }: APIGatewayProxyEvent): string {
  const called = segmentsOf(requestContext.path);
  return called
    .slice(0, Math.max(0, called.length - segmentsOf(resource).length))
    .map((segment) => `/${segment}`)
    .join('');
}

const segmentsOf = (path = ''): string[] => path.split('/').filter((segment) => segment !== '');

export const baseUrlOf = (event: APIGatewayProxyEvent): string =>
  baseUrlAt(event.requestContext.domainName, basePathOf(event));

/** All values by lower-case name: a header may be sent in two spellings. */
function headersOf(event: APIGatewayProxyEvent): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  for (const [name, values = []] of Object.entries(event.multiValueHeaders ?? {})) {
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), ...values]);
  }
  return headers;
}

const definedEntries = <T>(entries: Readonly<Record<string, T | undefined>> | null): Record<string, T> =>
  Object.fromEntries(Object.entries(entries ?? {}).filter((entry): entry is [string, T] => entry[1] !== undefined));

/** Most preferences that are read. */
const MOST = 100;

/**
 * The value of a preference in `Prefer`, in lower case. The first counts where it is named twice (RFC 7240 §2).
 * @returns undefined where it is not named, or has no value
 */
export const preferenceOf = ({ headers }: Pick<HttpRequest, 'headers'>, name: string): string | undefined =>
  (headers.get('prefer') ?? '')
    .split(',', MOST)
    .map(nameAndValue)
    .find(([named]) => named === name)?.[1];

/** Without the preference's own parameters. */
function nameAndValue(preference: string): readonly [string, string | undefined] {
  const [name = '', value] = (preference.split(';', 1)[0] ?? '').toLowerCase().split('=', 2);
  return [name.trim(), value?.trim().replace(/^"(.*)"$/, '$1')];
}

/** Checks a JSON body as text before it is parsed, and parses it. */

/** The deepest accepted nesting: far beyond real documents, and within the limits of every JSON parser. */
const MAX_DEPTH = 256;

/**
 * The deepest nesting of a batch: a request that is too deep is refused alone, as its own route refuses
 * it.
 */
const MAX_DEPTH_OF_BATCH = 2 * MAX_DEPTH;

type Sent = Pick<HttpRequest, 'headers' | 'bytes'>;

const JSON_TYPE = 'application/json';
/** JSON values in lines: https://github.com/ndjson/ndjson-spec. */
const NDJSON_TYPE = 'application/x-ndjson';
const FORM_TYPE = 'application/x-www-form-urlencoded';

interface Taken {
  readonly maxBytes: number;
  readonly maxDepth: number;
  readonly types: readonly string[];
}

const ONLY_JSON = { maxDepth: MAX_DEPTH, types: [JSON_TYPE] } as const;

const OF_OAUTH = { maxDepth: MAX_DEPTH, types: [FORM_TYPE, JSON_TYPE] } as const;

const OF_BATCH = { maxDepth: MAX_DEPTH_OF_BATCH, types: [JSON_TYPE, NDJSON_TYPE] } as const;

/**
 * The text of the body of a request to this route, after checks of its media type, size, UTF-8 and depth.
 * @throws Problem `unsupported-media-type`, `content-too-large` or `malformed-request`
 */
export const bodyTextOf = (route: Route, request: Sent): string =>
  jsonTextOf(request, {
    maxBytes: maxBodyOf(route),
    ...(route.batch !== undefined ? OF_BATCH : route.oauth ? OF_OAUTH : ONLY_JSON),
  });

/**
 * Parses the body of a request to this route. Numbers are kept as they were written where the body has no more values
 * than it may hold. Each request of a batch may hold as many; its own route refuses more.
 * @throws SyntaxError
 */
export const parsedBody = ({ body, batch }: Route, text: string): Parsed =>
  parseWhere(text, (json) => batch !== undefined || (body && freeFormOf(body)?.isBounded(json)) === true);

function jsonTextOf(request: Sent, { maxBytes, maxDepth, types }: Taken): string {
  requireType(request, types);
  requireDecoded(request);
  if (request.bytes.length > maxBytes) {
    throw new Problem('content-too-large', { detail: `The body may have up to ${sizeInWords(maxBytes)}.` });
  }
  const text = decoded(request.bytes);
  if (text.trim() === '') {
    const what = types.includes(FORM_TYPE) ? 'A body' : 'A JSON body';
    throw new Problem('malformed-request', { detail: `${what} is required.` });
  }
  if (depthOf(text) > maxDepth) {
    throw new Problem('malformed-request', { detail: `The body may be nested up to ${maxDepth} levels deep.` });
  }
  return text;
}

/**
 * The value of a JSON body, its numbers as they were written.
 * @throws Problem `unsupported-media-type`, `content-too-large` or `malformed-request`
 */
export const jsonOf = (request: Sent, maxBytes: number): unknown =>
  jsonIn(jsonTextOf(request, { maxBytes, ...ONLY_JSON }));

/** @throws Problem `malformed-request` */
export function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw invalidJson(text);
  }
}

/**
 * The problem of a text that could not be parsed: where, and what is there. `before` is the number of lines before it.
 */
export function invalidJson(text: string, before = 0): Problem {
  const mistake = mistakeIn(text);
  const place =
    mistake &&
    `line ${before + mistake.line}, column ${mistake.column} has ${mistake.found} in place of ${mistake.expected}`;
  return new Problem('malformed-request', { detail: `The body is not valid JSON${place ? `: ${place}` : ''}.` });
}

/** Whether a request declares its body as NDJSON. */
export const isNdjson = ({ headers }: Pick<Sent, 'headers'>): boolean => partsOf(headers)[0] === NDJSON_TYPE;

/** Whether a request declares its body as a form. */
export const isForm = ({ headers }: Pick<Sent, 'headers'>): boolean => partsOf(headers)[0] === FORM_TYPE;

const partsOf = (headers: Sent['headers']): string[] =>
  (headers.get('content-type') ?? '').split(';').map((part) => part.trim().toLowerCase());

function requireType({ headers }: Sent, types: readonly string[]): void {
  const [type = '', ...parameters] = partsOf(headers);
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset);
  if (!types.includes(type) || !isUtf8) {
    throw new Problem('unsupported-media-type', {
      detail: `Content-Type must be ${types.join(' or ')}, in UTF-8. With curl, -d alone declares a form.`,
      headers: { Accept: types.join(', ') },
    });
  }
}

/** The gateway has decoded these, and leaves the header as it was sent (`docs/decisions/0134`). */
const DECODED = /^(gzip|deflate|identity)?$/i;

/**
 * Checks that the body is no longer compressed. The gateway refuses what it cannot decode; this check is for callers
 * that compress a body and do not say so.
 */
function requireDecoded({ headers, bytes }: Sent): void {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (DECODED.test(headers.get('content-encoding') ?? '') && !isGzip) return;
  throw new Problem('unsupported-media-type', {
    detail: 'The body is compressed in a way that its Content-Encoding does not say, or that is not known here.',
    headers: { 'Accept-Encoding': 'gzip, deflate, identity' },
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decoded(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Problem('malformed-request', { detail: 'The body is not valid UTF-8.' });
  }
}

/**
 * Nesting depth of a JSON text, found without parsing: a parser or serializer may overflow its stack on deep nesting.
 */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < json.length; index++) {
    const character = json[index];
    if (character === '"') index = endOfString(json, index);
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ']' || character === '}') depth--;
  }
  return deepest;
}

/** The index of the quotation mark that ends the string which begins at `start`; beyond the text where none does. */
function endOfString(json: string, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
  return index;
}
