import type { Table } from '@custodia/counted-lists';
import middy, { type MiddlewareObj, type Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { contract, Problem, type Route } from '#contract';
import { type MatchedRoute, respond } from '#http';
import { localConnection } from '#local-dynamodb';
import { RequestSession, tableOf } from '#table';
import { type Clock, systemClock } from '../../shared/clock.ts';
import type { Authenticated, Budgeted } from '../../shared/http/middleware/caller.ts';
import type { Validated, WithJson } from '../../shared/http/middleware/input.ts';
import type { WithResponseHeaders } from '../../shared/http/middleware/responses.ts';
import type { InSession, Routed } from '../../shared/http/middleware/routing.ts';
import type { SuspensionChecked, TenantScoped } from '../../shared/http/middleware/tenant.ts';
import { requestOf } from '../../shared/http/request/http-request.ts';
import { lambdaContext } from './lambda-context.ts';

/**
 * A middleware alone: an event goes through a chain of it and a handler.
 *
 *     const event = routedEvent(route, { caller });
 *     await through([authorized()], event);
 *     expect((await refusal([authorized()], event)).type).toBe('forbidden');
 */

/** An event with all that the middlewares add to it. */
export type ChainEvent = APIGatewayProxyEvent &
  WithResponseHeaders &
  Routed &
  InSession &
  Authenticated &
  Budgeted &
  WithJson &
  Validated &
  TenantScoped &
  SuspensionChecked;

type Middlewares = MiddlewareObj<ChainEvent, APIGatewayProxyResult>[];
type Handler = (event: ChainEvent) => Promise<APIGatewayProxyResult>;

/** A proxy event with some members; the rest is empty or missing. */
export const chainEvent = (given: Partial<ChainEvent> = {}): ChainEvent =>
  ({
    httpMethod: 'GET',
    resource: '/',
    path: '/',
    headers: {},
    multiValueHeaders: {},
    pathParameters: null,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    stageVariables: null,
    body: null,
    isBase64Encoded: false,
    requestContext: { requestId: 'r-1' } as APIGatewayProxyEvent['requestContext'],
    ...given,
  }) as ChainEvent;

/** The same, with its route. */
export function routedEvent(route: Route, given: Partial<ChainEvent> = {}): ChainEvent {
  const event = chainEvent(given);
  return { ...event, matched: matchedRoute(route), request: requestOf(event) };
}

const matchedRoute = (route: Route): MatchedRoute => ({
  operationId: 'anOperation',
  contract: contract({ name: 'things', tag: 'Things', description: 'Of a test.', routes: { anOperation: route } }),
  route,
  operation: async () => respond.empty,
  itemPath: undefined,
});

/** The default response of the handler. */
export const RESPONSE: APIGatewayProxyResult = { statusCode: 200, body: '{}' };

/**
 * Sends an event through these middlewares, the outermost first, to a handler. @throws an error that none of them
 * handles
 */
export async function through(
  middlewares: Middlewares,
  event: ChainEvent,
  handler: Handler = async () => ({ ...RESPONSE }),
  context: Context = lambdaContext(),
): Promise<APIGatewayProxyResult> {
  const chain = middy<ChainEvent, APIGatewayProxyResult>().use(middlewares).handler(handler);
  return chain(event, context);
}

/** The problem with which these middlewares refuse an event, so that no handler sees it. */
export async function refusal(middlewares: Middlewares, event: ChainEvent): Promise<Problem> {
  const reached = new Error('the handler was reached');
  const thrown = await through(middlewares, event, () => Promise.reject(reached)).catch((error: unknown) => error);
  if (thrown instanceof Problem) return thrown;
  throw thrown;
}

/** The arguments of a middleware's parts, for a test that cannot wait for a chain. */
export const middyRequest = (event: ChainEvent): Request<ChainEvent, APIGatewayProxyResult> => ({
  event,
  context: lambdaContext(),
  response: undefined,
  error: undefined,
  internal: {},
});

/** A session of a test that needs its clock, or a table. By default the table does not respond. */
export const aSession = (clock: Clock = systemClock, table: Table = nowhere): RequestSession =>
  new RequestSession(table, clock, clock() + 10_000);

const nowhere = tableOf('nowhere', {
  endpoint: 'http://127.0.0.1:1',
  ...localConnection(),
});
