import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { RequestSession } from '#table';
import type { Clock } from '../../clock.ts';
import type { MaybeCarried } from '../request/carried.ts';

/** Time reserved for the response before the Lambda's timeout, and the longest time for an operation. In milliseconds. */
const RESPONSE_TIME = 1_500;
export const LONGEST = 18_000;

export interface InSession {
  session: RequestSession;
}

/** Opens the request's session with the table: its clock, its deadline and its unit of work. */
export function inSession(clock: Clock): MiddlewareObj<InSession & MaybeCarried, APIGatewayProxyResult> {
  return {
    before: ({ event, context }) => {
      event.session = RequestSession.ofEnvironment(
        Math.min(context.getRemainingTimeInMillis() - RESPONSE_TIME, LONGEST),
        clock,
      );
      event.session.batch = event.carried?.batch;
    },
    after: settle,
    onError: settle,
  };
}

async function settle({ event }: Request<InSession, APIGatewayProxyResult>): Promise<void> {
  const { session }: Partial<InSession> = event;
  if (session !== undefined) await session.tables.settleSessions(session.now);
}
