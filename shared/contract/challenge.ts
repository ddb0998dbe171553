import { Problem } from './problem.ts';

/** `WWW-Authenticate` of the 401s that want a bearer token (RFC 6750 §3). */

/** For a request without a token, or with something that does not look like one. The scheme alone is not enough: it must have a parameter. */
export const CHALLENGE = 'Bearer realm="custodia"';

/** For a token that is refused. `detail` is a sentence without quotation marks and backslashes. */
export const challengeOf = (detail: string): string =>
  `${CHALLENGE}, error="invalid_token", error_description="${detail.replace(/\.$/, '')}"`;

/** A 401 for a request without a token. */
export const noToken = (): Problem => new Problem('unauthorized', { headers: { 'WWW-Authenticate': CHALLENGE } });

/** A 401 that says why the token is refused. */
export const badToken = (detail: string): Problem =>
  new Problem('unauthorized', { detail, headers: { 'WWW-Authenticate': challengeOf(detail) } });

/** Context of the authorizer's policy that refuses a token. The gateway makes its 401 from it (`gateway-problems.ts`). */
export const refusalContext = (detail: string) => ({ detail, challenge: challengeOf(detail) });
