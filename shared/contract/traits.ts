import type { Contract, Method, Route } from './route.ts';

/** What a route's declaration implies for the headers and statuses of its responses. */

/** The methods of HTTP that reach a route: where there is a `GET`, `HEAD` gets the same response (RFC 9110 §9.3.2). */
export const methodsOf = ({ method }: Pick<Route, 'method'>): readonly (Method | 'HEAD')[] =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];

/** Returns `{ data }`, with or without pages, and a `Link` to the rest (spec §4). */
export const isList = ({ response }: Route): boolean => response.isList === true;

/** Parameters of lists that are not filters (`parameters.ts`). */
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
