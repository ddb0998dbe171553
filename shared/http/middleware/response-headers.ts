import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

export interface WithResponseHeaders {
  /** What every answer to this request has, problems too: middlewares add to it. */
  responseHeaders: Record<string, string>;
}

type Event = APIGatewayProxyEvent & WithResponseHeaders;

/** Gives every answer its common headers, and those that other middlewares have left. The outermost of all: it sees problems, too. */
export function responseHeaders(): MiddlewareObj<Event, APIGatewayProxyResult> {
  return {
    before: ({ event }) => {
      event.responseHeaders = {
        'X-Content-Type-Options': 'nosniff',
        'X-Request-Id': event.requestContext.requestId,
      };
    },
    after: addHeaders,
    onError: addHeaders,
  };
}

function addHeaders({ event, response }: Request<Event, APIGatewayProxyResult>): void {
  if (!response) return;
  response.headers = { 'Cache-Control': 'private, no-cache', ...response.headers, ...event.responseHeaders };
}
