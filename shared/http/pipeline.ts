import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { type Clock, systemClock } from '../clock.ts';
import type { Contract } from '../contract/route.ts';
import { authenticated } from './middleware/authenticated.ts';
import { authorized } from './middleware/authorized.ts';
import { inSession } from './middleware/in-session.ts';
import { jsonBody } from './middleware/json-body.ts';
import { problemDetails } from './middleware/problem-details.ts';
import { requestBudget } from './middleware/request-budget.ts';
import { requestLog } from './middleware/request-log.ts';
import { responseHeaders } from './middleware/response-headers.ts';
import { routed } from './middleware/routed.ts';
import { tenantScoped } from './middleware/tenant-scoped.ts';
import { validated } from './middleware/validated.ts';
import type { Operations } from './operation.ts';
import { unitOfWork } from './unit-of-work.ts';

export type LambdaHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** The Lambda handler of a domain: the way of every request, as it reads. Each middleware adds to the event what those after it need. */
export function pipeline<C extends Contract>(
  contract: C,
  operations: Operations<C>,
  clock: Clock = systemClock,
): LambdaHandler {
  const chain = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(responseHeaders())
    .use(problemDetails())
    .use(requestLog())
    .use(routed(contract, operations))
    .use(inSession(clock))
    .use(authenticated())
    .use(requestBudget())
    .use(authorized())
    .use(jsonBody())
    .use(validated())
    .use(tenantScoped())
    .handler(unitOfWork);
  // Lambda brings the proxy event; the rest of what the handler asks for, the middlewares add to it.
  return (event, context) => chain(event as Parameters<typeof chain>[0], context);
}
