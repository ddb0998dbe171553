import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { actorOf } from '#identity';
import { Tenant } from '#table';
import { isDenial, recordRefusal } from '../refusals.ts';
import type { Authenticated } from './authenticated.ts';
import type { InSession } from './in-session.ts';
import type { Routed } from './routed.ts';

type Event = Routed & InSession & Authenticated;

/**
 * Leaves an audit event when a caller is refused a privileged operation: it lacks permissions, or its token has ended and the gateway
 * still accepts it. Sampled like refused logins (`docs/decisions/0075-audit-events.md`).
 */
export function escalations(): MiddlewareObj<Event, APIGatewayProxyResult> {
  return {
    onError: async ({ event, error }) => {
      const { caller, matched, session }: Partial<Event> = event;
      if (caller === undefined || !matched?.route.privileged || session === undefined || !isDenial(error)) return;
      const integration = { tenant: Tenant.of(caller, session).id, integration_id: caller.integrationId };
      const attempt = { actor: actorOf(caller), operation: matched.operationId };
      await recordRefusal(session, integration, 'escalation_refused', attempt);
    },
  };
}
