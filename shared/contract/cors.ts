import type { Route } from './route.ts';
import { methodsOf, REQUEST_HEADERS } from './traits.ts';

/**
 * Which pages may call the API (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol). A stage names their origins.
 * Pages send tokens in a header that they set themselves, so there is no mode with credentials, and a page gets only
 * what its user has given it.
 */

/** `*`, alone, for the pages of all origins. */
export const ANY_ORIGIN = '*';

const ORIGIN = /^https?:\/\/[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[1-9]\d{0,4})?$/;
const MOST_ORIGINS = 20;
/**
 * In characters. Functions read the list from a variable, and Lambda takes 4 KB of variables in all (AWS Lambda
 * quotas).
 */
const LONGEST_LIST = 3_000;

/** Describes what {@link originsOf} accepts. */
export const ORIGINS =
  `up to ${MOST_ORIGINS} origins in lower case with commas between and ${LONGEST_LIST} ` +
  `characters in all, such as https://app.example.com,http://localhost:5173, or ${ANY_ORIGIN} alone`;

/**
 * The origins of a setting, each once. An empty setting has none; a malformed one (not {@link ORIGINS}) gives
 * undefined.
 * @example originsOf('https://a.example,http://localhost:5173')?.length // 2
 */
export function originsOf(setting: string): readonly string[] | undefined {
  const origins = setting.split(',').filter((origin) => origin !== '');
  if (setting === ANY_ORIGIN) return origins;
  const isShort = origins.length <= MOST_ORIGINS && setting.length <= LONGEST_LIST;
  return isShort && origins.every((origin) => ORIGIN.test(origin)) ? [...new Set(origins)] : undefined;
}

/**
 * The origins whose pages may call a route. A route with the same response for everybody: all. A route for servers
 * only: none (a page cannot keep the secret that signs a webhook). Any other: those of the stage. Pages may log in too:
 * a person may type the secret, or have no backend.
 */
function originsFor({ auth, method }: Pick<Route, 'auth' | 'method'>, ofStage: readonly string[]) {
  if (auth === 'signature') return [];
  return auth === 'none' && method === 'GET' ? [ANY_ORIGIN] : ofStage;
}

/**
 * Response headers that pages may read, besides the few that they may always read: those of the OpenAPI document, and
 * those of refusals.
 */
export const EXPOSED_HEADERS: readonly string[] = [
  ...['ETag', 'Link', 'Location', 'Retry-After', 'X-Request-Id', 'RateLimit', 'RateLimit-Policy'],
  ...['Scan-Units', 'Idempotent-Replayed', 'Preference-Applied', 'WWW-Authenticate', 'Allow', 'Accept'],
];

/** Headers with which a page of this origin may read a response. */
export const readableBy = (origin: string): Readonly<Record<string, string>> => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(', '),
});

/**
 * Headers of a route's response to a page of this origin; undefined: the request has no origin.
 * @param ofStage the origins that the stage allows
 * @example corsHeaders({ auth: 'bearer', method: 'GET' }, [], undefined) // {}: no page may call
 */
export function corsHeaders(
  route: Pick<Route, 'auth' | 'method'>,
  ofStage: readonly string[],
  origin: string | undefined,
): Readonly<Record<string, string>> {
  const origins = originsFor(route, ofStage);
  if (origins.length === 0) return {};
  if (origins.includes(ANY_ORIGIN)) return readableBy(ANY_ORIGIN);
  // Also where the origin is not allowed or missing: a cache must not give that response to an allowed origin.
  return { Vary: 'Origin', ...(origin !== undefined && origins.includes(origin) ? readableBy(origin) : {}) };
}

/** The response to a browser that asks whether a page may send a request. The gateway sends it, without a function. */
interface Preflight {
  /** `*` alone, or at least one. */
  readonly origins: readonly [string, ...string[]];
  readonly headers: Readonly<Record<string, string>>;
}

/** Longest time that a browser keeps it: two hours in Chromium. In seconds. */
const MAX_AGE = 7_200;

/**
 * Request headers that need a preflight. One list for all routes, so that a client need not know which route takes
 * which header.
 */
const allowedHeaders = (): readonly string[] => [
  ...['Authorization', 'Content-Type', 'Content-Encoding', 'tracestate'],
  // https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
  ...['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
  ...REQUEST_HEADERS,
];

/** Methods that preflights of a path without routes allow, so that a page can read the 404. */
const METHODS = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'];

/**
 * The response to preflights of a path with these routes; without routes, of any other path.
 * @param ofStage the origins that the stage allows
 * @returns undefined where no page may call: then `OPTIONS` is a method like any other
 */
export function preflightOf(routes: readonly Route[], ofStage: readonly string[]): Preflight | undefined {
  const origins = routes.length === 0 ? ofStage : [...new Set(routes.flatMap((route) => originsFor(route, ofStage)))];
  const [first, ...others] = origins.includes(ANY_ORIGIN) ? [ANY_ORIGIN] : origins;
  if (first === undefined) return undefined;
  const methods = routes.length === 0 ? METHODS : routes.flatMap((route) => methodsOf(route)).toSorted();
  return {
    origins: [first, ...others],
    headers: {
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': allowedHeaders().join(', '),
      'Access-Control-Max-Age': String(MAX_AGE),
      ...(first === ANY_ORIGIN ? {} : { Vary: 'Origin' }),
    },
  };
}
