import { OAUTH_ERRORS, PROBLEMS, type Problem, type ProblemType } from './problem.ts';

/**
 * The errors of OAuth (RFC 6749 §5.2), in which an endpoint of OAuth gives problems: clients that others wrote know no
 * other form.
 */

const BY_TYPE = {
  'invalid-credentials': 'invalid_client',
  'organization-suspended': 'unauthorized_client',
  'too-many-requests': 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
  'internal-error': 'server_error',
} as const satisfies { readonly [type in ProblemType]?: string };

const STANDARD = 'invalid_request';

/** Every `error` that an endpoint of OAuth returns. */
export const ERRORS = [...new Set([STANDARD, ...Object.values(BY_TYPE), ...OAUTH_ERRORS])];

/** RFC 6749 §5.2 knows 400 and 401. What HTTP and the load say keeps its own status, for `Retry-After`. */
const AS_400: readonly number[] = [403, 422];

/** The status of problems of a type, and their `error`. */
const errorOf = (type: ProblemType) => ({
  status: AS_400.includes(PROBLEMS[type].status) ? 400 : PROBLEMS[type].status,
  error: Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type as keyof typeof BY_TYPE] : STANDARD,
});

/** The response to a request that ended with a problem (RFC 6749 §5.2), with the id of that request. */
export function responseTo(problem: Problem, requestId: string) {
  const { status, error: standard } = errorOf(problem.type);
  const { oauthError: error = standard, headers } = problem;
  return {
    status,
    headers: { ...headers, ...(status === 401 ? CHALLENGE : {}), 'Content-Type': 'application/json' },
    body: { error, error_description: described(problem), request_id: requestId },
  };
}

/** Where a client does not prove who it is (RFC 7617 §2). */
const CHALLENGE = { 'WWW-Authenticate': 'Basic realm="custodia"' };

/** As RFC 6749 §5.2 allows it: printable ASCII without quotation marks and backslashes. */
function described({ type, detail, errors }: Problem): string {
  const fields = errors.map((error) => `${error.pointer.slice(2) || 'the body'} ${error.detail}`).join('; ');
  const text = fields || detail || PROBLEMS[type].title;
  return text
    .replaceAll(/[‘’"`]/g, "'")
    .replaceAll(/[^\x20-\x5b\x5d-\x7e]/g, '?')
    .slice(0, MOST_CHARACTERS);
}

const MOST_CHARACTERS = 1_000;
