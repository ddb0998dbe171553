import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { type Contract, Problem } from '#contract';
import { RequestSession } from '#table';
import { annotate } from '#telemetry';
import type { Clock } from '../../clock.ts';
import { type MatchedRoute, type MaybeBatched, type Operations, routeTable } from '../operation.ts';
import { assertFiltersServed } from '../pages.ts';
import { BUILT_AT_START, PRECOMPILED_METADATA } from '../precompiled-metadata.ts';
import { type HttpRequest, requestOf } from '../request/http-request.ts';
import { buildBodies, usePrecompiledMetadata } from '../route-metadata.ts';

/** Finds a request's route, and opens its session with the table. */

/** A middleware that needs this of the event, or adds it. */
export type Middleware<E = unknown> = MiddlewareObj<APIGatewayProxyEvent & E, APIGatewayProxyResult>;

export interface Routed {
  matched: MatchedRoute;
  request: HttpRequest;
}

/** Finds the route of a request. */
export type FindRoute = (event: APIGatewayProxyEvent & MaybeBatched) => MatchedRoute | undefined;

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
export const routed = (find: FindRoute): Middleware<Routed> => ({
  before: ({ event }) => {
    const matched = find(event);
    if (matched === undefined) throw new Problem('route-not-found');
    annotate({ operation: matched.operationId });
    event.matched = matched;
    event.request = requestOf(event);
  },
});

/** The time for the response before Lambda's timeout, and the longest time of an operation, in milliseconds. */
const RESPONSE_TIME = 1_500;
export const LONGEST = 18_000;

export interface InSession {
  session: RequestSession;
}

/** Opens the request's session with the table: its clock, its deadline and its unit of work. */
export function inSession(clock: Clock): Middleware<InSession & MaybeBatched> {
  const settle = async ({ event: { session } }: { readonly event: Partial<InSession> }): Promise<void> =>
    session?.tables.settleSessions(session.now);
  return {
    before: ({ event, context }) => {
      const timeLeft = Math.min(context.getRemainingTimeInMillis() - RESPONSE_TIME, LONGEST);
      event.session = RequestSession.ofEnvironment(timeLeft, clock);
      event.session.batch = event.batched?.batch;
    },
    after: settle,
    onError: settle,
  };
}
