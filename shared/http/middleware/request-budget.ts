import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { RequestBudget } from '../budget/request-budget.ts';
import type { Authenticated } from './authenticated.ts';
import type { InSession } from './in-session.ts';
import type { WithResponseHeaders } from './response-headers.ts';
import type { Routed } from './routed.ts';

export interface Budgeted {
  budget: RequestBudget;
}

type Event = APIGatewayProxyEvent & WithResponseHeaders & Routed & InSession & Authenticated & Budgeted;

/**
 * Charges the request and its work to its caller's budget. Only the operation of a webhook knows its sender, and charges it. Every response after
 * the charge, problems too, has the `RateLimit` headers.
 * @throws Problem `too-many-requests`
 */
export function requestBudget(): MiddlewareObj<Event, APIGatewayProxyResult> {
  return {
    before: ({ event }) => {
      event.budget = new RequestBudget(event.session);
      const { cutsOff = false } = event.matched.route;
      if (event.caller !== undefined) event.budget.charge(event.caller, 'own-and-tenant', cutsOff);
    },
    after: flush,
    onError: flush,
  };
}

/** Charges the work, and waits for the budget's writes: Lambda may freeze the container after the response. */
async function flush({ event }: Request<Event, APIGatewayProxyResult>): Promise<void> {
  const { budget }: Partial<Budgeted> = event;
  if (budget === undefined) return;
  budget.chargeWork();
  Object.assign(event.responseHeaders, budget.headers);
  await budget.flushed;
}
