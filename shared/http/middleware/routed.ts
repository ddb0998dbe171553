import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Contract } from '#contract';
import { Problem } from '#contract/problem';
import { annotate } from '#telemetry';
import type { Operations } from '../operation.ts';
import { assertFiltersServed } from '../pages.ts';
import type { MaybeCarried } from '../request/carried.ts';
import { type HttpRequest, requestOf } from '../request/http-request.ts';
import { BUILT_AT_START, PRECOMPILED_METADATA } from '../routes/precompiled-metadata.ts';
import { buildBodies, usePrecompiledMetadata } from '../routes/route-metadata.ts';
import { type MatchedRoute, routeTable } from '../routes/route-table.ts';

export interface Routed {
  matched: MatchedRoute;
  request: HttpRequest;
}

/** Finds the route of a request. */
export type FindRoute = (event: APIGatewayProxyEvent & MaybeCarried) => MatchedRoute | undefined;

/** Finds the routes of a domain. */
export function routesOf<C extends Contract>(contract: C, operations: Operations<C>): FindRoute {
  usePrecompiledMetadata(contract.routes, PRECOMPILED_METADATA);
  buildBodies(contract.routes, BUILT_AT_START);
  assertFiltersServed(contract, operations);
  const routes = routeTable(contract, operations);
  return ({ httpMethod, resource }) => routes.get(`${httpMethod} ${resource}`);
}

/**
 * Finds the route of the request.
 * @throws Problem `route-not-found`
 */
export function routed(find: FindRoute): MiddlewareObj<APIGatewayProxyEvent & Routed, APIGatewayProxyResult> {
  return {
    before: ({ event }) => {
      const matched = find(event);
      if (matched === undefined) throw new Problem('route-not-found');
      annotate({ operation: matched.operationId });
      event.matched = matched;
      event.request = requestOf(event);
    },
  };
}
