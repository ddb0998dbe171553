import { PROBLEMS, type ProblemType } from './problem.ts';
import type { Contract, Method, Route } from './route.ts';

/** What a route's declaration implies for the headers and statuses of its responses. */

/** The methods of HTTP that reach a route: where there is a `GET`, `HEAD` gets the same response (RFC 9110 §9.3.2). */
export const methodsOf = ({ method }: Pick<Route, 'method'>): readonly (Method | 'HEAD')[] =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];

/** Whether a route takes `Idempotency-Key`: every one that creates a record for an identified caller. */
export const takesIdempotencyKey = (route: Route): boolean =>
  route.method === 'POST' && route.response.status === 201 && route.auth.startsWith('bearer');

/** Whether requests are charged to the budget of their caller. */
export const isCharged = ({ auth }: Route): boolean => auth !== 'none';

/** Returns `{ data }`, with or without pages, and a `Link` to the rest (spec §4). */
export const isList = ({ response }: Route): boolean => response.isList === true;

/** Parameters of lists that are not filters (`parameter.ts`). */
const NO_FILTERS: ReadonlySet<string> = new Set(['page', 'page_size', 'sort', 'after', 'org_id']);

/** The parameters by which a list can be filtered: those that are offered. */
export const filtersOf = (route: Route): readonly string[] =>
  isList(route) ? Object.keys(route.query.shape).filter((name) => !NO_FILTERS.has(name)) : [];

/** A client may send the entity tag of what it has read in `If-None-Match`. */
export const isConditionalRead = (route: Route): boolean => route.method === 'GET';

/** Changes or deletes one record, so that a client may send the version that it has read in `If-Match` (RFC 9110 §13.1.1). */
export const isConditionalWrite = (route: Route): boolean => route.method === 'PATCH' || route.method === 'DELETE';

/** Its body may name fields of the record that it cannot set, and `Prefer: handling=lenient` ignores them (RFC 7240 §4.4). */
export const hasReadOnlyFields = ({ auth, body }: Route): boolean =>
  auth !== 'signature' && body !== undefined && Object.keys(body.readOnlyFields).length > 0;

/** The route that reads a record which this route creates, if the domain has one. */
export const itemRouteOf = (contract: Contract, route: Route): Route | undefined =>
  Object.values(contract.routes).find(
    (other) =>
      other.method === 'GET' &&
      other.path.startsWith(`${route.path}/`) &&
      /^\/\{\w+\}$/.test(other.path.slice(route.path.length)),
  );

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

/** The problems that every route of this kind can return. */
export const impliedProblems = (route: Route): ProblemType[] =>
  IMPLIED.flatMap(({ of, problems }) => (of(route) ? problems : []));

/** All problems that a route can return, each once, by status. */
export function problemsOf(route: Route): ProblemType[] {
  const given = new Set<ProblemType>([...route.errors, ...impliedProblems(route)]);
  return (Object.keys(PROBLEMS) as ProblemType[]).filter((type) => given.has(type));
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
