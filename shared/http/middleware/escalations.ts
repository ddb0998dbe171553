import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { recordEscalation } from '#auth';
import type { Authenticated } from './authenticated.ts';
import type { InSession } from './in-session.ts';
import type { Routed } from './routed.ts';

type Event = Routed & InSession & Authenticated;

/** Leaves an audit event when a caller is refused a privileged operation. */
export function escalations(): MiddlewareObj<Event, APIGatewayProxyResult> {
  return {
    onError: async ({ event, error }) => {
      const { caller, matched, session }: Partial<Event> = event;
      if (caller === undefined || matched === undefined || session === undefined) return;
      await recordEscalation(session, caller, matched, error);
    },
  };
}
