import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { type Contract, oauth, PROBLEM_TYPE_PREFIX, problemsOf, type Route, takesHeader } from '#contract';
import { resourceTree, splitPath } from '../../local/gateway/resources.ts';
import type { ProblemType } from '../../shared/contract/problem.ts';
import { statusesOf } from '../../shared/contract/traits.ts';

export interface Responded {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or the text where it is none. */
  readonly body: unknown;
}

/** The response is not one that the contract declares. */
export class NotConforming extends Error {
  override readonly name = 'NotConforming';

  constructor({ method, path, status, body }: Responded, why: string) {
    super(
      `${method} ${path} answered ${status}, which does not conform: ${why}\n${JSON.stringify(body)?.slice(0, 2000)}`,
    );
  }
}

/** The gateway's responses on any route, to requests that no contract declares. */
export const GATEWAY_STATUSES: readonly number[] = [400, 413, 414, 415, 431];
const GATEWAY_PROBLEMS: readonly ProblemType[] = ['malformed-request', 'content-too-large', 'unsupported-media-type'];

/** Returns a check of responses against the contracts, which throws NotConforming. */
export function conformance(contracts: readonly Contract[]): (replied: Responded) => void {
  const findResource = resourceTree(contracts);
  return (replied) => {
    const why = complaintOf(routeOf(findResource, replied), replied);
    if (why !== undefined) throw new NotConforming(replied, why);
  };
}

/** The route; or the status for a missing route. */
function routeOf(findResource: ReturnType<typeof resourceTree>, { method, path }: Responded): Route | 404 | 405 {
  const segments = splitPath(path.split(/[?#]/)[0] ?? '');
  const match = findResource(segments.map((raw) => ({ raw, decoded: decoded(raw) })));
  if (match === undefined || match.resource.methods.size === 0) return 404;
  return match.resource.methods.get(method.toUpperCase())?.route ?? 405;
}

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

function complaintOf(route: Route | 404 | 405, replied: Responded): string | undefined {
  const { method, status, headers, body } = replied;
  if (method === 'OPTIONS' && status === 204 && headers.has('access-control-allow-methods')) return undefined;
  if (headers.get('x-request-id') === null) return 'it has no X-Request-Id';
  if (headers.get('x-content-type-options') !== 'nosniff') return 'it has no X-Content-Type-Options: nosniff';
  if (headers.get('cache-control') === null) return 'it has no Cache-Control';
  const documented = typeof route === 'number' ? [route] : statusesOf(route);
  if (!documented.includes(status) && !GATEWAY_STATUSES.includes(status)) {
    return `the statuses here are ${documented.join(', ')}`;
  }
  if (isOfMessage(route, replied)) return messageComplaint(route, replied);
  if (method === 'HEAD') return body === '' ? undefined : 'it has a body';
  if (status >= 400) return problemComplaint(route, replied);
  return typeof route === 'number' ? 'there is no such route' : successComplaint(route, replied);
}

/** Whether it responds to a message of JSON-RPC, and not to the request that had it. */
const isOfMessage = (route: Route | 404 | 405, { status, headers }: Responded): route is Route =>
  typeof route !== 'number' &&
  route.rpc !== undefined &&
  (status === 202 || headers.get('content-type') === 'application/json');

function messageComplaint(route: Route, { status, body }: Responded): string | undefined {
  if (status === 202) return body === '' ? undefined : 'it has a body';
  const { error } = route.response.schema?.safeParse(body) ?? {};
  return error && z.prettifyError(error);
}

/** The headers about the caller's budget. */
const BUDGET: Readonly<Record<string, RegExp>> = {
  'RateLimit-Policy': /^"(default|tenant)";q=\d+;w=60$/,
  RateLimit: /^"(default|tenant)";r=\d+;t=\d+$/,
};

const successComplaint = (route: Route, replied: Responded): string | undefined =>
  budgetComplaint(route, replied) ?? recordComplaint(route, replied);

function budgetComplaint(route: Route, { headers }: Responded): string | undefined {
  // Where a token is optional, there may be no caller to charge.
  if (route.auth === 'none' || route.auth === 'bearer-optional') return undefined;
  const wrong = Object.entries(BUDGET).find(([name, pattern]) => !pattern.test(headers.get(name) ?? ''))?.[0];
  return wrong === undefined ? undefined : `its ${wrong} is ${headers.get(wrong)}`;
}

function recordComplaint(route: Route, { status, headers, body }: Responded): string | undefined {
  const { schema, media } = route.response;
  const isNdjson = headers.get('content-type') === NDJSON && route.batch !== undefined;
  if (schema !== undefined && takesHeader(route, 'If-None-Match') && headers.get('etag') === null)
    return 'it has no ETag';
  if (status === 304 || schema === undefined) return body === '' ? undefined : 'it has a body';
  const types = isNdjson
    ? [NDJSON]
    : media === undefined
      ? ['application/json']
      : Object.keys(media).map((type) => `${type}; charset=utf-8`);
  if (!types.includes(headers.get('content-type') ?? '')) return `its type is ${headers.get('content-type')}`;
  const whole = isNdjson ? { results: linesOf(body), counts: {} } : body;
  const parsed = schema.safeParse(whole);
  if (!parsed.success) return z.prettifyError(parsed.error);
  // The response must already contain the schema's defaults and normal forms.
  return isDeepStrictEqual(parsed.data, whole) ? undefined : `its schema would give ${JSON.stringify(parsed.data)}`;
}

const NDJSON = 'application/x-ndjson';

/** A single line was parsed as JSON. */
const linesOf = (body: unknown): unknown[] =>
  typeof body === 'string' ? body.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])) : [body];

const problemSchema = z.strictObject({
  type: z.string().startsWith(PROBLEM_TYPE_PREFIX),
  title: z.string().min(1),
  status: z.int().optional(),
  detail: z.string().min(1).optional(),
  request_id: z.string().min(1),
  errors: z
    .array(
      z.strictObject({
        in: z.enum(['body', 'query', 'path', 'header']),
        pointer: z.string().startsWith('#'),
        detail: z.string().min(1),
      }),
    )
    .min(1)
    .optional(),
});

/** Headers that a status requires (RFC 9110 §15.5.2, §15.5.6; RFC 6585 §4). */
const REQUIRED_HEADERS: Readonly<Record<number, string>> = {
  401: 'WWW-Authenticate',
  405: 'Allow',
  429: 'Retry-After',
  503: 'Retry-After',
};

/** RFC 6749 §5.2. */
const oauthErrorSchema = z.strictObject({
  error: z.enum(oauth.ERRORS),
  error_description: z.string().regex(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/),
  request_id: z.string().min(1),
});

function oauthComplaint({ status, headers, body }: Responded): string | undefined {
  const parsed = oauthErrorSchema.safeParse(body);
  if (!parsed.success) return z.prettifyError(parsed.error);
  if (parsed.data.request_id !== headers.get('x-request-id')) return 'request_id and X-Request-Id differ';
  if (headers.get('cache-control') !== 'no-store') return 'caches may keep it';
  return requiredHeader(status, headers);
}

function requiredHeader(status: number, headers: Headers): string | undefined {
  const required = REQUIRED_HEADERS[status];
  return required !== undefined && headers.get(required) === null ? `it has no ${required}` : undefined;
}

/** Where alerts are sent a problem also says what was done about those that were taken. */
const schemaFor = (route: Route | 404 | 405) =>
  typeof route !== 'number' && route.verifiesCaller
    ? problemSchema.extend({ alerts: z.array(z.unknown()).optional() })
    : problemSchema;

function problemComplaint(route: Route | 404 | 405, replied: Responded): string | undefined {
  const { status, headers, body } = replied;
  const isOAuth = typeof route !== 'number' && route.oauth === true;
  if (isOAuth && headers.get('content-type') === 'application/json') return oauthComplaint(replied);
  if (headers.get('content-type') !== 'application/problem+json') return `its type is ${headers.get('content-type')}`;
  const parsed = schemaFor(route).safeParse(body);
  if (!parsed.success) return z.prettifyError(parsed.error);
  const problem = parsed.data;
  // A path that is too long gets the gateway's default response, which does not know its status (`gateway-problems.ts`).
  if (problem.status !== (status === 414 ? undefined : status)) return `its body says ${problem.status}`;
  if (problem.request_id !== headers.get('x-request-id')) return 'request_id and X-Request-Id differ';
  const missing = requiredHeader(status, headers);
  if (missing !== undefined) return missing;
  if (problem.type.endsWith(':list-being-built') && headers.get('Retry-After') === null) return 'it has no Retry-After';
  const types: readonly string[] = typeof route === 'number' ? NO_ROUTE : [...problemsOf(route), ...GATEWAY_PROBLEMS];
  const type = problem.type.slice(PROBLEM_TYPE_PREFIX.length);
  return types.includes(type) ? undefined : `the problems here are ${types.join(', ')}`;
}

const NO_ROUTE: readonly ProblemType[] = ['route-not-found', 'method-not-allowed', ...GATEWAY_PROBLEMS];
