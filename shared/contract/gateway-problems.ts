import { ANY_ORIGIN, preflightOf, readableBy } from './cors.ts';
import { CHALLENGE, NO_TOKEN, PROBLEM_TYPE_PREFIX, PROBLEMS, type ProblemType, withMetadata } from './problem.ts';
import type { Route } from './route.ts';
import { MAX_BODY } from './sizes.ts';
import { methodsOf } from './traits.ts';

/**
 * The problems that API Gateway returns by itself, without a function. The stack's gateway responses and the local
 * gateway are both made from this table, so a caller cannot tell the two apart. Types and their default statuses:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
type GatewayResponseType =
  | 'ACCESS_DENIED'
  | 'API_CONFIGURATION_ERROR'
  | 'AUTHORIZER_CONFIGURATION_ERROR'
  | 'AUTHORIZER_FAILURE'
  | 'BAD_REQUEST_BODY'
  | 'BAD_REQUEST_PARAMETERS'
  | 'DEFAULT_4XX'
  | 'DEFAULT_5XX'
  | 'EXPIRED_TOKEN'
  | 'INTEGRATION_FAILURE'
  | 'INTEGRATION_TIMEOUT'
  | 'INVALID_API_KEY'
  | 'INVALID_SIGNATURE'
  | 'MISSING_AUTHENTICATION_TOKEN'
  | 'QUOTA_EXCEEDED'
  | 'REQUEST_TOO_LARGE'
  | 'RESOURCE_NOT_FOUND'
  | 'THROTTLED'
  | 'UNAUTHORIZED'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'WAF_FILTERED';

interface GatewayProblem {
  readonly type: ProblemType;
  /** Undefined: the status that API Gateway chooses. The body then has no `status`, because it is unknown here. */
  readonly status: number | undefined;
  readonly detail?: string;
  /** Additional headers in API Gateway's mapping syntax: constants in single quotes. */
  readonly headers?: Readonly<Record<string, string>>;
}

const problem = (type: ProblemType, more: Omit<GatewayProblem, 'type' | 'status'> = {}): GatewayProblem => ({
  type,
  status: PROBLEMS[type].status,
  ...more,
});

const retryAfter = (seconds: number) => ({ headers: { 'Retry-After': `'${seconds}'` } });

/** For a request without a token: without `Authorization` the gateway does not ask the authorizer. */
const unauthorized = problem('unauthorized', {
  detail: NO_TOKEN,
  headers: { 'WWW-Authenticate': `'${CHALLENGE}'` },
});

const challengeAt = (baseUrl: string) => ({ 'WWW-Authenticate': `'${withMetadata(CHALLENGE, baseUrl)}'` });

/**
 * The authorizer's policy denies the request. It does so only because of the credentials; its context says why
 * (`problem.ts`).
 */
const refused = problem('unauthorized', {
  detail: '$context.authorizer.detail',
  headers: { 'WWW-Authenticate': 'context.authorizer.challenge' },
});

/**
 * No route takes AWS signatures. API Gateway looks for one only where a path or method is not declared, so an
 * `Authorization` header that it cannot parse as a signature means that there is no such route.
 */
const noRoute = problem('route-not-found', {
  detail: 'Paths of the API begin with /api/v1, and GET /api/v1/docs describes them.',
});

/** The authorizer fails closed when it cannot look up a caller. The caller may retry. */
const notChecked = problem('unavailable', retryAfter(2));

export const GATEWAY_PROBLEMS: Readonly<Record<GatewayResponseType, GatewayProblem>> = {
  ACCESS_DENIED: refused,
  API_CONFIGURATION_ERROR: problem('internal-error'),
  AUTHORIZER_CONFIGURATION_ERROR: notChecked,
  AUTHORIZER_FAILURE: notChecked,
  BAD_REQUEST_BODY: problem('malformed-request'),
  BAD_REQUEST_PARAMETERS: problem('invalid-parameter'),
  DEFAULT_4XX: { type: 'malformed-request', status: undefined },
  DEFAULT_5XX: { type: 'internal-error', status: undefined },
  EXPIRED_TOKEN: noRoute,
  INTEGRATION_FAILURE: { type: 'unavailable', status: 504, ...retryAfter(2) },
  INTEGRATION_TIMEOUT: { type: 'unavailable', status: 504, ...retryAfter(2) },
  INVALID_API_KEY: problem('forbidden'),
  INVALID_SIGNATURE: noRoute,
  MISSING_AUTHENTICATION_TOKEN: noRoute,
  QUOTA_EXCEEDED: problem('too-many-requests', retryAfter(3600)),
  REQUEST_TOO_LARGE: problem('content-too-large', { detail: `No body may have over ${MAX_BODY} bytes.` }),
  RESOURCE_NOT_FOUND: noRoute,
  THROTTLED: problem('too-many-requests', retryAfter(1)),
  UNAUTHORIZED: unauthorized,
  // Also for a body whose content coding API Gateway does not know, or which is not coded as it says (RFC 9110
  // §15.5.16).
  UNSUPPORTED_MEDIA_TYPE: problem('unsupported-media-type', {
    detail: 'A body may be compressed with gzip or deflate, and has to be what Content-Encoding says.',
    headers: { Accept: "'application/json'", 'Accept-Encoding': "'gzip, deflate, identity'" },
  }),
  WAF_FILTERED: problem('forbidden'),
};

/**
 * A declared path without this method. API Gateway has no response type for it: the stack serves it with a mock
 * integration.
 */
export function methodNotAllowed(allowed: readonly string[]): GatewayProblem {
  const methods = allowed.toSorted().join(', ');
  return problem('method-not-allowed', {
    detail: `This path takes ${methods}.`,
    headers: { Allow: `'${methods}'` },
  });
}

/**
 * How a gateway responds to methods that none of a path's routes has; without routes, to an unknown path: to `OPTIONS`
 * with the preflight, where pages may call, to all others with the problem.
 * @example undeclared([], []).problem.type // route-not-found
 */
export function undeclared(routes: readonly Route[], corsOrigins: readonly string[]) {
  const preflight = preflightOf(routes, corsOrigins);
  const methods = [...routes.flatMap(methodsOf), ...(preflight === undefined ? [] : ['OPTIONS'])];
  const problem = routes.length === 0 ? GATEWAY_PROBLEMS.RESOURCE_NOT_FOUND : methodNotAllowed(methods);
  return { problem, preflight };
}

const PROBLEM_CONTENT_TYPE = 'application/problem+json';

const REQUEST_ID = '$context.requestId';

/**
 * The response with a problem: its headers in API Gateway's mapping syntax, which are constants in single quotes or
 * `context.` variables, and its body as a mapping template.
 * @param corsOrigins those that the stage allows
 * @param baseUrl the address of the service, where it is known beforehand: mappings cannot put one together
 */
export const gatewayResponse = (problem: GatewayProblem, corsOrigins: readonly string[], baseUrl?: string) => ({
  headers: { ...headersOf(problem, corsOrigins), ...(problem === unauthorized && baseUrl ? challengeAt(baseUrl) : {}) },
  template: templateOf(problem),
});

const headersOf = ({ headers }: GatewayProblem, corsOrigins: readonly string[]): Readonly<Record<string, string>> => ({
  'Content-Type': `'${PROBLEM_CONTENT_TYPE}'`,
  'Cache-Control': "'no-store'",
  'X-Content-Type-Options': "'nosniff'",
  'X-Request-Id': REQUEST_ID.slice(1),
  ...readableByAll(corsOrigins),
  ...headers,
});

/**
 * The gateway cannot compare origins in its own responses. They are the same for everybody, so all pages may read them
 * if the stage allows any page.
 */
const readableByAll = (corsOrigins: readonly string[]) =>
  corsOrigins.length === 0
    ? {}
    : Object.fromEntries(Object.entries(readableBy(ANY_ORIGIN)).map(([name, value]) => [name, `'${value}'`]));

/** Problem details (RFC 9457) with variables of `$context`. */
const templateOf = ({ type, status, detail }: GatewayProblem): string =>
  JSON.stringify({
    type: `${PROBLEM_TYPE_PREFIX}${type}`,
    title: PROBLEMS[type].title,
    status,
    detail,
    request_id: REQUEST_ID,
  });
