import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { Tenant } from '#table';
import { annotate } from '#telemetry';
import { requireActive } from './middleware/tenant.ts';
import type { Batched, BearerInput, MaybeBatched } from './operation.ts';
import { chainOf, isFailure, type LambdaHandler, observed } from './pipeline.ts';
import type { BatchRequest } from './request/http-request.ts';

/**
 * The requests of a batch, or of a message of JSON-RPC. Each passes all the middlewares that it would pass alone, from
 * the permission to the unit of work, in a session of its own, and leaves an access line of its own: with the domain
 * and the operation of its route, and its line in the batch.
 */

/** A request to a route, before any check. */
export interface BatchedRequest extends Omit<Batched, 'suspensionCheck'> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON text; null: none. */
  readonly body: string | null;
  /** Its number in the batch, counted from 1. */
  readonly line: number;
  /** In milliseconds. */
  readonly timeLeft: number;
}

/** `isFailure`: as of the pipeline. */
interface Served {
  readonly response: APIGatewayProxyResult;
  readonly isFailure: boolean;
}

/** Serves batched requests by one chain. Like a Lambda handler it turns every error into a response. */
export function batchedRequests(
  batchRequest: BatchRequest,
  { caller, session }: Pick<BearerInput, 'caller' | 'session'>,
): (request: BatchedRequest) => Promise<Served> {
  const { clock } = session;
  const chain = chainOf(({ batched }) => batched?.matched, clock);
  const suspensionCheck = suspensionChecks(Tenant.of(caller, session));
  return async (request) => {
    const { matched, timeLeft, line } = request;
    const event = eventOf(batchRequest, { ...request, suspensionCheck: suspensionCheck() });
    const context = { ...batchRequest.context, getRemainingTimeInMillis: () => timeLeft };
    let hasFailed = true;
    const serve: LambdaHandler = async (...given) => {
      annotate({ line });
      const response = await chain(...given);
      hasFailed = isFailure(response);
      return response;
    };
    const response = await observed(matched.contract.name, clock, serve)(event, context);
    return { response, isFailure: hasFailed };
  };
}

/** For so long a suspension check holds for requests that begin, in milliseconds. */
const CHECKED_FOR = 1_000;

/** Begins a suspension check where the last one is too old, or was refused. The batch began one when it came. */
function suspensionChecks(tenant: Tenant): () => Promise<void> {
  const { clock, now } = tenant.session;
  let last = { at: now, check: Promise.resolve() };
  return () => {
    if (Math.abs(clock() - last.at) < CHECKED_FOR) return last.check;
    const check = requireActive(tenant);
    last = { at: clock(), check };
    check.catch(() => {
      last = { at: Number.NEGATIVE_INFINITY, check };
    });
    return check;
  };
}

/** Headers of the batch that each of its requests has: its trace, and what it prefers. */
const HANDED_ON = ['traceparent', 'x-amzn-trace-id', 'prefer'];

/** As the gateway would pass it, with the caller and the origin of the batch. */
function eventOf({ event }: BatchRequest, batched: BatchedRequest & Batched): APIGatewayProxyEvent & MaybeBatched {
  const { matched, params, query, headers, body } = batched;
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
    batched,
  };
}

const inLists = (entries: readonly (readonly [string, string | readonly string[]])[]) =>
  entries.map(([name, value]): [string, string[]] => [name, [value].flat()]);
