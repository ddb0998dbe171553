/**
 * Problem details (RFC 9457): every error that the service returns, by its stable type.
 * The gateway's own errors have the same types (`gateway-problems.ts`).
 */
export const PROBLEMS = {
  'malformed-request': { status: 400, title: 'The request cannot be parsed' },
  'invalid-parameter': { status: 400, title: 'A path, query or header parameter is invalid' },
  'too-many-matches': { status: 400, title: 'Only small lists are filtered or sorted by this' },
  unauthorized: { status: 401, title: 'A valid bearer token is required' },
  'invalid-credentials': { status: 401, title: 'The app code or the secret is wrong' },
  'invalid-signature': { status: 401, title: 'The signature is missing or wrong' },
  forbidden: { status: 403, title: 'The caller may not do this' },
  'organization-suspended': { status: 403, title: 'The organization of the caller is suspended' },
  'not-found': { status: 404, title: 'No such record' },
  'route-not-found': { status: 404, title: 'No such path' },
  'method-not-allowed': { status: 405, title: 'The path does not have this method' },
  contended: { status: 409, title: 'Others are changing the same record' },
  conflict: { status: 409, title: 'The request conflicts with the state of a record' },
  'already-exists': { status: 409, title: 'A record with this value already exists' },
  'still-in-use': { status: 409, title: 'Other records still need this one' },
  'event-already-processed': { status: 409, title: 'An event with this id was already processed' },
  'event-id-reused': { status: 409, title: 'An event with this id and another body was already processed' },
  // No 5xx: an index that is not built yet is no reason to roll back a deployment (`docs/adding-a-filter.md`).
  'list-being-built': { status: 409, title: 'The list cannot be filtered by this yet' },
  gone: { status: 410, title: 'What the request created does not exist any more' },
  'cursor-expired': { status: 410, title: 'What follows this cursor is not all kept' },
  'precondition-failed': { status: 412, title: 'The record has changed since it was read' },
  'content-too-large': { status: 413, title: 'The request or the record is too large' },
  'unsupported-media-type': { status: 415, title: 'The body must be application/json' },
  'invalid-body': { status: 422, title: 'The body does not fit its schema' },
  'reference-not-found': { status: 422, title: 'The body refers to a record that does not exist' },
  'idempotency-key-reused': { status: 422, title: 'The idempotency key was used with another request' },
  'too-many-requests': { status: 429, title: 'Too many requests' },
  'internal-error': { status: 500, title: 'The service failed' },
  'not-attempted': { status: 503, title: 'The operation was not begun' },
  unavailable: { status: 503, title: 'The service cannot answer now' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

export type ProblemType = keyof typeof PROBLEMS;

/** What an endpoint of OAuth calls a problem, where its type does not tell (`oauth.ts`). */
export const OAUTH_ERRORS = ['unsupported_grant_type', 'invalid_scope'] as const;

/** Prefix of the `type` of every problem: an absolute URI that is an identifier only (RFC 9457 §3.1.1). */
export const PROBLEM_TYPE_PREFIX = 'urn:problem-type:custodia:';

/** An error in one part of the request. */
export interface FieldError {
  /** The part of the request that `pointer` points into. */
  readonly in: 'body' | 'query' | 'path' | 'header';
  /** JSON Pointer in its fragment form (RFC 6901 §6): `#/client_id`. */
  readonly pointer: string;
  readonly detail: string;
}

interface ProblemOptions {
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly oauthError?: (typeof OAUTH_ERRORS)[number];
  /** Further members of the problem details (RFC 9457 §3.2). */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An error that is reported to the caller. Any other error is returned as `internal-error`, without its message. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly type: ProblemType;
  readonly status: number;
  readonly detail: string | undefined;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;
  readonly oauthError: ProblemOptions['oauthError'] | undefined;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(type: ProblemType, options: ProblemOptions = {}) {
    super(options.detail ?? PROBLEMS[type].title, { cause: options.cause });
    this.type = type;
    this.status = PROBLEMS[type].status;
    this.detail = options.detail;
    this.errors = options.errors ?? [];
    this.oauthError = options.oauthError;
    this.members = options.members ?? {};
    this.headers = { ...(type === 'invalid-credentials' ? { 'WWW-Authenticate': CHALLENGE } : {}), ...options.headers };
  }

  /** The problem details object, as it is sent. */
  detailsFor(requestId: string) {
    return {
      type: `${PROBLEM_TYPE_PREFIX}${this.type}`,
      title: PROBLEMS[this.type].title,
      status: this.status,
      ...(this.detail === undefined ? {} : { detail: this.detail }),
      request_id: requestId,
      ...(this.errors.length === 0 ? {} : { errors: this.errors.slice(0, MAX_FIELD_ERRORS) }),
      ...this.members,
    };
  }
}

/**
 * Most field errors of a response. More do not help, and a body full of unknown fields would make the response larger
 * than Lambda allows.
 */
export const MAX_FIELD_ERRORS = 100;

/** Longer keys are cut in pointers: no field of this API is half as long. In UTF-16 code units. */
const MAX_KEY = 200;

/** JSON Pointer in fragment form (RFC 6901 §6) to a path of keys: `['a/b', 0]` is `#/a~1b/0`. */
export const pointer = (path: readonly PropertyKey[]): string =>
  `#${path.map((key) => `/${encodeURIComponent(escaped(String(key).slice(0, MAX_KEY).toWellFormed()))}`).join('')}`;

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * A 422 about one field of the body.
 * @example throw invalidField('slug', 'is reserved');
 */
export const invalidField = (field: string, detail: string): Problem =>
  new Problem('invalid-body', { errors: [{ in: 'body', pointer: pointer([field]), detail }] });

/**
 * `WWW-Authenticate` of the 401s that want a bearer token (RFC 6750 §3), for a request without a token, or with
 * something that does not look like one. The scheme alone is not enough: it must have a parameter.
 */
export const CHALLENGE = 'Bearer realm="custodia"';

/**
 * A challenge with the address of the resource's metadata (RFC 9728 §5.1), from which clients of OAuth find out where
 * they get a token. Other schemes than `Bearer` are left as they are.
 * Clients of MCP would ignore the token that they were given, and ask for an authorization endpoint: they get none.
 * @param baseUrl the address of the service, as it was called; undefined: unknown, and left out
 * @param resource the path of the route; undefined: unknown
 */
export const withMetadata = (challenge: string, baseUrl: string | undefined, resource?: string): string =>
  baseUrl && challenge.startsWith('Bearer ') && resource !== '/api/v1/mcp'
    ? `${challenge}, resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`
    : challenge;

/**
 * What to send instead. Without quotation marks and backslashes: templates of the gateway put it into JSON text as it
 * is.
 */
const HOW_TO_AUTHENTICATE =
  'Send the header Authorization: Bearer <access_token>. POST /api/v1/auth/login returns the access token for an ' +
  'app code and its secret.';

/** For a request without a token, whatever it has instead: the gateway says it without seeing the request. */
export const NO_TOKEN =
  `${HOW_TO_AUTHENTICATE} No other header, such as X-Api-Key, takes its place, and the ` +
  'secret itself does not either.';

/** The same for a token that is refused. `detail` is a sentence without quotation marks and backslashes. */
const challengeOf = (detail: string): string =>
  `${CHALLENGE}, error="invalid_token", error_description="${detail.replace(/\.$/, '')}"`;

/**
 * A 401 that says why a token is refused, and what to send; without `reason`, one for a request without a token.
 * @example throw unauthorized('The token has expired.');
 */
export function unauthorized(reason?: string): Problem {
  const { detail, challenge } =
    reason === undefined ? { detail: NO_TOKEN, challenge: CHALLENGE } : refusalContext(reason);
  return new Problem('unauthorized', { detail, headers: { 'WWW-Authenticate': challenge } });
}

/**
 * Context of the authorizer's policy that refuses credentials. The gateway makes its 401 from it
 * (`gateway-problems.ts`).
 */
export const refusalContext = (reason: string, { isTokenSent = true } = {}) => ({
  detail: `${reason} ${HOW_TO_AUTHENTICATE}`,
  challenge: isTokenSent ? challengeOf(reason) : CHALLENGE,
});
