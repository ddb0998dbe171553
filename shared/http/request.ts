import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Parsed, parseJson, parseWhere } from '../contract/json.ts';
import { Problem } from '../contract/problem.ts';

/** A proxy event as the pipeline reads it. */
export interface HttpRequest {
  readonly requestId: string;
  /** Network address of the client, as the gateway saw it. */
  readonly sourceAddress: string;
  /** By lower-case name; of a repeated header all values, as RFC 9110 §5.3 joins them. */
  readonly headers: ReadonlyMap<string, string>;
  /** Lower-case names of the headers that were sent more than once. */
  readonly repeated: ReadonlySet<string>;
  /** Path parameters, still percent-encoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** The bytes as sent. */
  readonly bytes: Buffer;
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
  };
}

/** All values by lower-case name: one header may come under two spellings. */
function headersOf(event: APIGatewayProxyEvent): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  for (const [name, values = []] of Object.entries(event.multiValueHeaders ?? {})) {
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), ...values]);
  }
  return headers;
}

const definedEntries = <T>(entries: Readonly<Record<string, T | undefined>> | null): Record<string, T> =>
  Object.fromEntries(Object.entries(entries ?? {}).filter((entry): entry is [string, T] => entry[1] !== undefined));

/** Deepest nesting taken: far beyond any real document, and well within what every JSON reader takes. */
const MAX_DEPTH = 256;

/**
 * The JSON value of a request body.
 * @throws Problem `unsupported-media-type`, `content-too-large` or `malformed-request`
 */
export const jsonOf = (request: Sent, maxBytes: number): unknown => parsed(request, maxBytes, parseJson);

/**
 * Like {@link jsonOf}, but exact only where that is worth it ({@link parseWhere}).
 * @throws Problem `unsupported-media-type`, `content-too-large` or `malformed-request`
 */
export const jsonWhere = (request: Sent, maxBytes: number, isWorthIt: (json: unknown) => boolean): Parsed =>
  parsed(request, maxBytes, (text) => parseWhere(text, isWorthIt));

type Sent = Pick<HttpRequest, 'headers' | 'bytes'>;

function parsed<T>(request: Sent, maxBytes: number, parse: (text: string) => T): T {
  requireJson(request.headers.get('content-type'));
  if (request.bytes.length > maxBytes) {
    throw new Problem('content-too-large', { detail: `The body may have up to ${maxBytes} bytes.` });
  }
  const text = decoded(request.bytes);
  if (text.trim() === '') throw new Problem('malformed-request', { detail: 'A JSON body is required.' });
  if (depthOf(text) > MAX_DEPTH) {
    throw new Problem('malformed-request', { detail: `The body may be nested up to ${MAX_DEPTH} levels deep.` });
  }
  try {
    return parse(text);
  } catch {
    throw new Problem('malformed-request', { detail: 'The body is not valid JSON.' });
  }
}

function requireJson(contentType: string | undefined): void {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset);
  if (type !== 'application/json' || !isUtf8) {
    throw new Problem('unsupported-media-type', { headers: { Accept: 'application/json' } });
  }
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem('malformed-request', { detail: 'The body is not valid UTF-8.' });
  }
}

/** How deep a JSON text is nested, read without parsing: a parser or a serializer may overflow its stack on such a text. */
export function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const character = json[index];
    if (inString) {
      if (character === '\\') index++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ']' || character === '}') depth--;
  }
  return deepest;
}
