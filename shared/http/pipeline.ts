import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Contract } from '#contract';
import { annotations, increment, observe, STATUS_CLASSES } from '#telemetry';
import { type Clock, systemClock } from '../clock.ts';
import { authenticated, authorized, escalations, requestBudget, type VerifyCaller } from './middleware/caller.ts';
import { jsonBody, validated } from './middleware/input.ts';
import { crossOrigin, head, problemDetails, requestLog, responseHeaders } from './middleware/responses.ts';
import { type FindRoute, inSession, routed, routesOf } from './middleware/routing.ts';
import { notSuspended, tenantScoped } from './middleware/tenant.ts';
import type { Operations } from './operation.ts';
import { runOperation } from './run-operation.ts';

export type LambdaHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/**
 * The Lambda handler of a domain.
 * @param verify finds out who calls its routes that verify their callers
 * @example export const handler = pipeline(clients, clientOperations);
 */
export const pipeline = <C extends Contract>(
  contract: C,
  operations: Operations<C>,
  clock: Clock = systemClock,
  verify?: VerifyCaller,
): LambdaHandler => observed(contract.name, clock, chainOf(routesOf(contract, operations), clock, verify));

/** Requests pass the middlewares from top to bottom; each adds to the event what later ones need. */
export function chainOf(find: FindRoute, clock: Clock, verify?: VerifyCaller): LambdaHandler {
  const chain = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(head())
    .use(crossOrigin())
    .use(responseHeaders())
    .use(problemDetails())
    .use(requestLog())
    .use(routed(find))
    .use(inSession(clock))
    .use(escalations())
    .use(authenticated(verify))
    .use(requestBudget())
    .use(authorized())
    .use(jsonBody())
    .use(validated())
    .use(tenantScoped())
    .use(notSuspended())
    .handler(runOperation);
  // Lambda passes the proxy event; the middlewares add everything else that the handler needs.
  return (event, context) => chain(event as Parameters<typeof chain>[0], context);
}

/**
 * Writes the access line of every request of a domain. It encloses the chain of middlewares and is not one of them:
 * middlewares run one after another, so what they call could not find its request.
 */
export const observed =
  (domain: string, clock: Clock, handler: LambdaHandler): LambdaHandler =>
  (event, context) =>
    observe({ domain, clock, event, endOf }, async () => {
      const response = await handler(event, context);
      // A batch counts as one failed request, however many of its own have failed.
      if (isFailure(response) && annotations().line === undefined) increment('RequestsFailed');
      return response;
    });

/** Whether the response to the request that is being served counts as a failure of the service. */
export const isFailure = ({ statusCode }: APIGatewayProxyResult): boolean =>
  statusCode >= 500 && annotations().contended === undefined;

/** The gateway turns an error of a function into a status of 500 or more. */
function endOf(settled: PromiseSettledResult<APIGatewayProxyResult>) {
  const status = settled.status === 'fulfilled' ? settled.value.statusCode : undefined;
  const outcome = STATUS_CLASSES.find((each) => each.startsWith(String(status).slice(0, 1))) ?? ('5xx' as const);
  return { outcome, status };
}
