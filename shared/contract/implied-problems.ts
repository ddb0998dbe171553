import { PROBLEMS, type ProblemType } from './problem.ts';
import { type Route, takesIdempotencyKey } from './route.ts';
import { filtersOf, isConditionalRead, isConditionalWrite } from './traits.ts';

/** Problems that a route can return because of its kind, in addition to its own `errors`. */
const IMPLIED: readonly { readonly of: (route: Route) => boolean; readonly problems: readonly ProblemType[] }[] = [
  // Unknown parameters are refused, so even a route without parameters can return 400.
  { of: () => true, problems: ['invalid-parameter'] },
  { of: (route) => route.auth.startsWith('bearer'), problems: ['unauthorized', 'forbidden', 'organization-suspended'] },
  { of: (route) => route.auth === 'signature', problems: ['invalid-signature', 'organization-suspended'] },
  // A platform caller may name an organization that does not exist.
  { of: (route) => 'org_id' in route.query.shape, problems: ['not-found'] },
  { of: (route) => filtersOf(route).length > 0, problems: ['list-being-built'] },
  { of: isConditionalWrite, problems: ['precondition-failed'] },
  {
    of: (route) => route.body !== undefined,
    problems: ['malformed-request', 'content-too-large', 'unsupported-media-type', 'invalid-body'],
  },
  { of: takesIdempotencyKey, problems: ['idempotency-key-reused'] },
  { of: () => true, problems: ['too-many-requests', 'internal-error', 'unavailable'] },
];

const ORDER = Object.keys(PROBLEMS) as readonly ProblemType[];

/** The problems that every route of this kind can return. */
export const impliedProblems = (route: Route): ProblemType[] =>
  IMPLIED.flatMap(({ of, problems }) => (of(route) ? problems : []));

/** All problems that a route can return, each once, by status. */
export function problemsOf(route: Route): ProblemType[] {
  const given = new Set<ProblemType>([...route.errors, ...impliedProblems(route)]);
  return ORDER.filter((type) => given.has(type));
}

/** Whether the problem's response says with `Retry-After` when to try again. */
export const hasRetryAfter = (type: ProblemType): boolean =>
  type === 'list-being-built' || type === 'too-many-requests' || type === 'unavailable';

/** The gateway's status for `unavailable`, when the function does not respond in time. */
export const GATEWAY_TIMEOUT = 504;

/** All statuses that a route can return: those of its OpenAPI operation. */
export const statusesOf = (route: Route): number[] => [
  route.response.status,
  ...(isConditionalRead(route) ? [304] : []),
  ...new Set(problemsOf(route).map((type) => PROBLEMS[type].status)),
  GATEWAY_TIMEOUT,
];
