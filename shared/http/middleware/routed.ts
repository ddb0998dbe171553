import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Contract } from '#contract';
import { deprecationHeaders } from '#contract/derived';
import { Problem } from '#contract/problem';
import { annotate } from '#telemetry';
import type { Operations } from '../operation.ts';
import { assertFiltersServed } from '../pages.ts';
import { type HttpRequest, requestOf } from '../request/http-request.ts';
import { BUILT_AT_START, PRECOMPILED_METADATA } from '../routes/precompiled-metadata.ts';
import { buildBodies, usePrecompiledMetadata } from '../routes/route-metadata.ts';
import { type MatchedRoute, routeTable } from '../routes/route-table.ts';
import type { WithResponseHeaders } from './response-headers.ts';

export interface Routed {
  matched: MatchedRoute;
  request: HttpRequest;
}

/**
 * Finds the route of the request. Every response of a deprecated route says so, problems too.
 * @throws Problem `route-not-found`
 */
export function routed<C extends Contract>(
  contract: C,
  operations: Operations<C>,
): MiddlewareObj<APIGatewayProxyEvent & WithResponseHeaders & Routed, APIGatewayProxyResult> {
  usePrecompiledMetadata(contract.routes, PRECOMPILED_METADATA);
  buildBodies(contract.routes, BUILT_AT_START);
  assertFiltersServed(contract, operations);
  const routes = routeTable(contract, operations);
  return {
    before: ({ event }) => {
      const matched = routes.get(`${event.httpMethod} ${event.resource}`);
      if (matched === undefined) throw new Problem('route-not-found');
      annotate({ operation: matched.operationId });
      event.matched = matched;
      event.request = requestOf(event);
      const headers = deprecationHeaders(matched.route, Object.keys(event.request.query));
      event.responseHeaders = { ...event.responseHeaders, ...headers };
    },
  };
}
