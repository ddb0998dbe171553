import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { Tenant } from '#table';
import type { MaybeCarried } from '../request/carried.ts';
import { isProbablySuspended, requireActive } from '../suspension.ts';
import type { Authenticated } from './authenticated.ts';
import type { InSession } from './in-session.ts';
import type { Routed } from './routed.ts';

export interface SuspensionChecked {
  /** Rejects with Problem `organization-suspended`. Awaited by the handler, in parallel to the operation. */
  suspensionCheck: Promise<void>;
}

type Event = Routed & InSession & Authenticated & SuspensionChecked & MaybeCarried;

/**
 * Begins the suspension check, which a carried request has from its carrier. Platform and anonymous callers are not
 * checked.
 * @throws Problem `organization-suspended` for a caller whose last request was refused for the same reason, or whose request carries others: their effects
 *   could not be taken back
 */
export function notSuspended(): MiddlewareObj<Event, APIGatewayProxyResult> {
  return {
    before: async ({ event }) => {
      const tenant = event.caller && Tenant.of(event.caller, event.session);
      event.suspensionCheck = event.carried?.suspensionCheck ?? (tenant && requireActive(tenant)) ?? Promise.resolve();
      event.suspensionCheck.catch(() => undefined);
      const isWaitedFor =
        event.matched.route.carries !== undefined || (tenant !== undefined && isProbablySuspended(tenant));
      if (isWaitedFor) await event.suspensionCheck;
    },
    // Lambda stops a function once it has responded: no call of AWS may be under way then.
    onError: async ({ event }) => {
      await Promise.allSettled([event.suspensionCheck]);
    },
  };
}
