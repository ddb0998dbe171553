import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { TOKEN_TIMES } from '#auth';
import type { Route } from '#contract';
import { Problem, unauthorized } from '#contract/problem';
import { actorOf, type Caller, callerOf } from '#identity';
import { Tenant } from '#table';
import { annotate } from '#telemetry';
import type { InSession } from './in-session.ts';
import type { Routed } from './routed.ts';

export interface Authenticated {
  /** Undefined where the route takes no token, or none was sent. */
  caller: Caller | undefined;
}

type Event = APIGatewayProxyEvent & Routed & InSession & Authenticated;

/**
 * Reads the caller from the authorizer's context, sets the session's origin for audit events, and begins to open the tenant's STS session.
 * @throws Problem `unauthorized`; `unavailable` where this container's clock is far behind the authorizer's
 */
export function authenticated(): MiddlewareObj<Event, APIGatewayProxyResult> {
  return {
    before: ({ event }) => {
      const { matched, request, session } = event;
      const caller = callerFor(matched.route, event, session.now);
      if (caller !== undefined) {
        const { id } = Tenant.of(caller, session);
        annotate({ integration_id: caller.integrationId, tenant: id });
        // In parallel to parsing and checking the body.
        session.tables.open(id);
      }
      event.caller = caller;
      session.audit.origin = {
        actor: actorOf(caller),
        operation: matched.operationId,
        requestId: request.requestId,
        sourceAddress: request.sourceAddress || null,
      };
    },
  };
}

/** `now` in epoch milliseconds. */
function callerFor({ auth }: Route, event: APIGatewayProxyEvent, now: number): Caller | undefined {
  if (!auth.startsWith('bearer')) return undefined;
  const caller = callerOf(event.requestContext.authorizer);
  if (caller === undefined) {
    if (auth === 'bearer-optional') return undefined;
    throw unauthorized();
  }
  // The gateway may cache the authorizer's response beyond the token's expiry.
  if (caller.expiresAt * 1000 <= now) throw unauthorized('The token has expired.');
  if (caller.expiresAt * 1000 > now + (TOKEN_TIMES.lifetime + TOKEN_TIMES.leeway) * 1000) throw slowClock();
  return caller;
}

/**
 * No token is valid for so long, so this container's clock is wrong, and would date its writes wrongly
 * (`docs/decisions/0160-clocks.md`).
 */
const slowClock = (): Problem =>
  new Problem('unavailable', {
    headers: { 'Retry-After': '2' },
    cause: new Error("this container's clock is slow: the token expires later than any token can"),
  });
