import type * as z from 'zod';
import { declaredValues, referencesIn } from './constraints.ts';
import { CREATED, filterName, rangeNames, sortName } from './filter-names.ts';
import { responseTo } from './oauth.ts';
import { WORDS } from './parameters.ts';
import { PROBLEMS, Problem, type ProblemType } from './problem.ts';
import type { Body } from './record.ts';
import type { Contract, Method, Route } from './route.ts';

/** What a route's declaration implies for the headers and statuses of its responses. */

/**
 * The methods of HTTP that reach a route: where there is a `GET`, `HEAD` gets the same response (RFC 9110 §9.3.2).
 * @example methodsOf({ method: 'GET' }) // ['GET', 'HEAD']
 */
export const methodsOf = ({ method }: Pick<Route, 'method'>): readonly (Method | 'HEAD')[] =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];

/** Parameters of lists that are not filters (`parameter.ts`). */
const NO_FILTERS: ReadonlySet<string> = new Set([
  'page',
  'page_size',
  'sort',
  'after',
  'view',
  'merged',
  'group_by',
  'org_id',
]);

/**
 * The parameters by which a list of any size can be filtered: those that its route declares.
 * @example filtersOf(terminals.routes.listTerminals) // ['status', 'q']
 */
export const filtersOf = (route: Route): readonly string[] =>
  route.response.isList || route.response.counted
    ? Object.keys(route.query.shape).filter((name) => !NO_FILTERS.has(name))
    : [];

/**
 * Whether a route has filters that follow from records (`list-query.ts`): those of its list, if these are not below
 * others or in a fixed order, or those that it counts.
 */
export const isSearchable = ({ response, query, params }: Route): boolean =>
  response.counted !== undefined ||
  (response.isList === true && 'sort' in query.shape && Object.keys(params.shape).length === 0);

/** The fields by which an index sorts a list, besides the order of creation. */
export function ordersOf({ query }: Route): readonly string[] {
  const sorts = declaredValues(query.shape.sort as z.ZodType | undefined);
  return Array.isArray(sorts) ? sorts.filter((sort) => !sort.startsWith('-') && sort !== CREATED) : [];
}

/** What a list offers that storage must have been built for: its filters, and its orders (`sort=last_activity_at`). */
export const filtersAndOrdersOf = (route: Route): readonly string[] => [
  ...filtersOf(route),
  ...ordersOf(route).map(sortName),
];

/**
 * The names in {@link filtersAndOrdersOf} that an index serves, by its kind and its fields.
 * @example filtersServedBy({ kind: 'order', fields: ['due_at'] }) // ['sort=due_at', 'due_after', 'due_before']
 */
export function filtersServedBy({ kind, fields }: { kind: string; fields: readonly string[] }): readonly string[] {
  if (kind === 'words') return [WORDS];
  if (kind === 'queue') return [];
  return fields.flatMap((field) =>
    kind === 'order' ? [sortName(field), ...Object.values(rangeNames(field))] : [filterName(field)],
  );
}

const TAKES = {
  // The version that a client has read of the record that is changed or deleted (RFC 9110 §13.1.1).
  'If-Match': ({ method }: Route) => method === 'PUT' || method === 'PATCH' || method === 'DELETE',
  'If-None-Match': ({ method }: Route) => method === 'GET',
  // Every route that creates a record for an identified caller; a `PUT` that is sent again finds the record.
  'Idempotency-Key': ({ method, response, auth }: Route) =>
    method === 'POST' && response.status === 201 && auth.startsWith('bearer'),
  // The body may name fields of the record that it cannot set: `handling=lenient` ignores them (RFC 7240 §4.4).
  Prefer: ({ auth, body, batch }: Route) =>
    auth !== 'signature' && body !== undefined && (batch !== undefined || Object.keys(body.readOnlyFields).length > 0),
  traceparent: () => true,
} satisfies Record<string, (route: Route) => boolean>;

type RequestHeader = keyof typeof TAKES;

/** Headers that a request may have, depending on its route. */
export const REQUEST_HEADERS = Object.keys(TAKES);

/**
 * Whether a route takes a request header that follows from its kind.
 * @example takesHeader(clients.routes.updateClient, 'If-Match') // true
 */
export const takesHeader = (route: Route, header: RequestHeader): boolean => TAKES[header](route);

/**
 * Whether a route works on a record that its URL names, and creates no other one below it, which `idField` of its event
 * says: where others change that record at the same time, the request is refused early
 * (`packages/counted-lists/src/transaction/contention.ts`).
 */
export const changesNamedRecord = (route: Route): boolean =>
  takesHeader(route, 'If-Match') ||
  (route.method === 'POST' &&
    route.auth === 'bearer' &&
    Object.keys(route.params.shape).length > 0 &&
    !route.body?.name.endsWith('Create') &&
    route.event?.idField === undefined);

/** The route that reads a record which this route creates, if the domain has one. */
export const itemRouteOf = (contract: Contract, route: Route): Route | undefined =>
  Object.values(contract.routes).find(
    (other) =>
      other.method === 'GET' &&
      other.path.startsWith(`${route.path}/`) &&
      /^\/\{\w+\}$/.test(other.path.slice(route.path.length)),
  );

/**
 * Whether a body can name a record. A platform caller may name the organization there, also where `org_id` cannot be
 * set.
 */
const mayReferIn = ({ schema, readOnlyFields }: Body): boolean =>
  referencesIn(schema).size > 0 || 'org_id' in schema.shape || 'org_id' in readOnlyFields;

/** Problems that a route can return because of its kind, in addition to its own `errors`. */
const IMPLIED: readonly { readonly of: (route: Route) => boolean; readonly problems: readonly ProblemType[] }[] = [
  // Unknown parameters are refused, so even a route without parameters can return 400.
  { of: () => true, problems: ['invalid-parameter'] },
  { of: (route) => route.auth.startsWith('bearer'), problems: ['unauthorized', 'forbidden', 'organization-suspended'] },
  { of: (route) => route.auth === 'signature', problems: ['invalid-signature', 'organization-suspended'] },
  // A platform caller may name an organization that does not exist.
  { of: (route) => 'org_id' in route.query.shape, problems: ['not-found'] },
  { of: (route) => filtersOf(route).length > 0, problems: ['list-being-built'] },
  { of: isSearchable, problems: ['too-many-matches'] },
  { of: (route) => takesHeader(route, 'If-Match'), problems: ['precondition-failed'] },
  { of: changesNamedRecord, problems: ['contended'] },
  {
    of: (route) => route.body !== undefined,
    problems: ['malformed-request', 'content-too-large', 'unsupported-media-type'],
  },
  { of: ({ body, rpc }) => body !== undefined && rpc === undefined, problems: ['invalid-body'] },
  { of: ({ body }) => body !== undefined && mayReferIn(body), problems: ['reference-not-found'] },
  { of: (route) => takesHeader(route, 'Idempotency-Key'), problems: ['idempotency-key-reused'] },
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

/** All statuses that a route can return: those of its OpenAPI operation. */
export const statusesOf = (route: Route): number[] => [
  route.response.status,
  ...(route.upsert === undefined ? [] : [200]),
  ...(route.batch === undefined ? [] : [route.batch.partly.status]),
  ...(route.rpc === undefined ? [] : [202]),
  ...(takesHeader(route, 'If-None-Match') ? [304] : []),
  ...new Set(
    problemsOf(route).map((type) => (route.oauth ? responseTo(new Problem(type), '') : PROBLEMS[type]).status),
  ),
  // When the function does not respond in time.
  504,
];
