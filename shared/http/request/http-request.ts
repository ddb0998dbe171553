import type { APIGatewayProxyEvent, Context } from 'aws-lambda';

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
}

/** A request that carries others: they come from its caller, within its time. */
export interface Carrier {
  readonly event: APIGatewayProxyEvent;
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
  };
}

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
