import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { corsHeaders, originsOf } from '#contract/gateway';
import type { Routed } from './routed.ts';

type Event = APIGatewayProxyEvent & Partial<Routed>;

/** Lets pages of the allowed origins read every response, problems too: `CORS_ORIGINS`. Preflights never come here. */
export const crossOrigin = (): MiddlewareObj<Event, APIGatewayProxyResult> => ({
  after: allow,
  onError: allow,
});

function allow({ event: { matched, request }, response }: Request<Event, APIGatewayProxyResult>): void {
  if (!response || matched === undefined) return;
  const origins = originsOf(process.env.CORS_ORIGINS ?? '') ?? [];
  const headers = corsHeaders(matched.route, origins, request?.headers.get('origin'));
  const { Vary: vary } = response.headers ?? {};
  const both = vary !== undefined && headers.Vary !== undefined ? { Vary: `${vary}, ${headers.Vary}` } : {};
  response.headers = { ...response.headers, ...headers, ...both };
}
