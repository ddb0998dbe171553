import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { annotate } from '#telemetry';
import { type Clock, systemClock } from '../clock.ts';
import { chainOf, isFailure, type LambdaHandler, observed } from './pipeline.ts';
import type { Carrier } from './request/http-request.ts';
import type { MatchedRoute } from './routes/route-table.ts';

/**
 * Requests that another request carries. Each passes all the middlewares that it would pass alone, from the permission to the unit of work, in a
 * session of its own, and leaves an access line of its own: with the domain and the operation of its route, and its line.
 */

/** A request to a route, before any check. */
export interface CarriedRequest {
  readonly matched: MatchedRoute;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON text; null: none. */
  readonly body: string | null;
  /** Its number among those that are carried, counted from 1. */
  readonly line: number;
  /** In milliseconds. */
  readonly timeLeft: number;
}

/** Serves a carried request. Like a Lambda handler it turns every error into a response. `isFailure`: as of the pipeline. */
export async function serveCarried(
  carrier: Carrier,
  request: CarriedRequest,
  clock: Clock = systemClock,
): Promise<{ readonly response: APIGatewayProxyResult; readonly isFailure: boolean }> {
  const { matched, timeLeft, line } = request;
  const chain = chainOf(() => matched, clock);
  const context = { ...carrier.context, getRemainingTimeInMillis: () => timeLeft };
  let hasFailed = true;
  const serve: LambdaHandler = async (...given) => {
    annotate({ line });
    const response = await chain(...given);
    hasFailed = isFailure(response);
    return response;
  };
  const response = await observed(matched.contract.name, clock, serve)(eventOf(carrier, request), context);
  return { response, isFailure: hasFailed };
}

/** Headers of the request that carries others which are theirs: its trace, and what it prefers. */
const HANDED_ON = ['traceparent', 'x-amzn-trace-id', 'prefer'];

/** As the gateway would pass it, with the caller and the origin of the request that carries it. */
function eventOf({ event }: Carrier, { matched, params, query, headers, body }: CarriedRequest): APIGatewayProxyEvent {
  const { requestContext, stageVariables, path } = event;
  const own = Object.entries({ ...headers, 'Content-Type': 'application/json' });
  const handedOn = Object.entries(event.multiValueHeaders ?? {}).filter(([name]) =>
    HANDED_ON.includes(name.toLowerCase()),
  );
  return {
    requestContext,
    stageVariables,
    path,
    httpMethod: matched.route.method,
    resource: matched.route.path,
    pathParameters: params,
    headers: {},
    multiValueHeaders: Object.fromEntries([...handedOn, ...inLists(own)]),
    queryStringParameters: null,
    multiValueQueryStringParameters: Object.fromEntries(inLists(Object.entries(query))),
    body,
    isBase64Encoded: false,
  };
}

const inLists = (entries: readonly (readonly [string, string])[]) =>
  entries.map(([name, value]): [string, string[]] => [name, [value]]);
