import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { ANY_ORIGIN, originsFor, originsOf, readableBy } from '#contract/gateway';
import type { Routed } from './routed.ts';

type Event = APIGatewayProxyEvent & Partial<Routed>;

/** Lets pages of the allowed origins read every response, problems too: `CORS_ORIGINS`. Preflights never come here. */
export const crossOrigin = (): MiddlewareObj<Event, APIGatewayProxyResult> => ({
  after: allow,
  onError: allow,
});

function allow({ event: { matched, request }, response }: Request<Event, APIGatewayProxyResult>): void {
  if (!response || matched === undefined) return;
  const origins = originsFor(matched.route, originsOf(process.env.CORS_ORIGINS ?? '') ?? []);
  if (origins.length === 0) return;
  const anyone = origins.includes(ANY_ORIGIN);
  const origin = anyone ? ANY_ORIGIN : origins.find((each) => each === request?.headers.get('origin'));
  const { Vary: vary } = response.headers ?? {};
  response.headers = {
    ...response.headers,
    // Also where the origin is not allowed or missing: a cache must not give that response to an allowed origin.
    ...(anyone ? {} : { Vary: vary === undefined ? 'Origin' : `${vary}, Origin` }),
    ...(origin === undefined ? {} : readableBy(origin)),
  };
}
