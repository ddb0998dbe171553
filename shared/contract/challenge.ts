import { Problem } from './problem.ts';

/** `WWW-Authenticate` of the 401s that want a bearer token (RFC 6750 §3). */

/** Where no token was sent, or nothing that looks like one. The scheme alone would not do: it must have a parameter. */
export const CHALLENGE = 'Bearer realm="custodia"';

/** Where the token is why. `detail` is a sentence without quotation marks and backslashes. */
export const challengeOf = (detail: string): string =>
  `${CHALLENGE}, error="invalid_token", error_description="${detail.replace(/\.$/, '')}"`;

/** A 401 for a request without a token. */
export const noToken = (): Problem => new Problem('unauthorized', { headers: { 'WWW-Authenticate': CHALLENGE } });

/** A 401 for a token that says why it is refused. */
export const badToken = (detail: string): Problem =>
  new Problem('unauthorized', { detail, headers: { 'WWW-Authenticate': challengeOf(detail) } });

/** Context of the authorizer's policy that refuses a token: the gateway makes its 401 of it (`gateway-problems.ts`). */
export const refusalContext = (detail: string) => ({ detail, challenge: challengeOf(detail) });
