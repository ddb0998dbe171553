import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Contract } from '#contract';
import { type Clock, systemClock } from '../clock.ts';
import { authenticated } from './middleware/authenticated.ts';
import { authorized } from './middleware/authorized.ts';
import { crossOrigin } from './middleware/cross-origin.ts';
import { escalations } from './middleware/escalations.ts';
import { head } from './middleware/head.ts';
import { inSession } from './middleware/in-session.ts';
import { jsonBody } from './middleware/json-body.ts';
import { notSuspended } from './middleware/not-suspended.ts';
import { problemDetails } from './middleware/problem-details.ts';
import { requestBudget } from './middleware/request-budget.ts';
import { requestLog } from './middleware/request-log.ts';
import { responseHeaders } from './middleware/response-headers.ts';
import { routed } from './middleware/routed.ts';
import { tenantScoped } from './middleware/tenant-scoped.ts';
import { validated } from './middleware/validated.ts';
import { type LambdaHandler, observed } from './observed.ts';
import type { Operations } from './operation.ts';
import { unitOfWork } from './unit-of-work.ts';

/** The Lambda handler of a domain. Requests pass the middlewares from top to bottom; each adds to the event what later ones need. */
export function pipeline<C extends Contract>(
  contract: C,
  operations: Operations<C>,
  clock: Clock = systemClock,
): LambdaHandler {
  const chain = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(head())
    .use(crossOrigin())
    .use(responseHeaders())
    .use(problemDetails())
    .use(requestLog())
    .use(routed(contract, operations))
    .use(inSession(clock))
    .use(escalations())
    .use(authenticated())
    .use(requestBudget())
    .use(authorized())
    .use(jsonBody())
    .use(validated())
    .use(tenantScoped())
    .use(notSuspended())
    .handler(unitOfWork);
  // Lambda passes the proxy event; the middlewares add everything else that the handler needs.
  return observed(contract.name, clock, (event, context) => chain(event as Parameters<typeof chain>[0], context));
}
