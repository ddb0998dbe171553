import type { Contract, Route } from '../contract/route.ts';
import { itemPathOf } from '../contract/traits.ts';
import type { AnyOperation, Operations } from './operation.ts';
import { assertFiltersServed } from './pages.ts';

/** A route of a contract, and what answers it. */
export interface MatchedRoute {
  readonly operationId: string;
  readonly contract: Contract;
  readonly route: Route;
  readonly operation: AnyOperation;
  /** Path of the route that reads a record created here, if the domain has one. */
  readonly itemPath: string | undefined;
}

export type RouteTable = ReadonlyMap<string, MatchedRoute>;

/**
 * The routes of a domain by method and path. API Gateway names the resource that matched, so that one is found by its name.
 * @throws TypeError where the contract has a route and nothing answers it, or a filter and nothing serves it
 */
export function routeTable<C extends Contract>(contract: C, operations: Operations<C>): RouteTable {
  // What an operation is given is made by its own route's schemas, which the compiler cannot follow through a table of all routes.
  const byId = operations as unknown as Readonly<Record<string, AnyOperation>>;
  assertFiltersServed(contract, byId);
  return new Map(
    Object.entries(contract.routes).map(([operationId, route]) => {
      const operation = byId[operationId];
      if (operation === undefined) throw new TypeError(`${contract.name} has no operation ${operationId}`);
      const itemPath = itemPathOf(contract, route);
      return [`${route.method} ${route.path}`, { operationId, contract, route, operation, itemPath }];
    }),
  );
}
