import type { Contract, Route } from '#contract';
import { itemRouteOf, methodsOf } from '#contract/derived';
import type { AnyOperation, Operations } from '../operation.ts';

/** A route of a contract with its operation. */
export interface MatchedRoute {
  readonly operationId: string;
  readonly contract: Contract;
  readonly route: Route;
  readonly operation: AnyOperation;
  /** Path of the route that reads a record created here, if the domain has one. */
  readonly itemPath: string | undefined;
}

type RouteTable = ReadonlyMap<string, MatchedRoute>;

/**
 * The routes of a domain by method and path, as API Gateway names the matched resource.
 * @throws TypeError for a route without an operation
 */
export function routeTable<C extends Contract>(contract: C, operations: Operations<C>): RouteTable {
  // Each operation is called with input of its own route's schemas, which the compiler cannot check across a table of all routes.
  const byId = operations as unknown as Readonly<Record<string, AnyOperation>>;
  return new Map(
    Object.entries(contract.routes).flatMap(([operationId, route]) => {
      const operation = byId[operationId];
      if (operation === undefined) throw new TypeError(`${contract.name} has no operation ${operationId}`);
      const itemPath = itemRouteOf(contract, route)?.path;
      const matched: MatchedRoute = { operationId, contract, route, operation, itemPath };
      return methodsOf(route).map((method) => [`${method} ${route.path}`, matched] as const);
    }),
  );
}
