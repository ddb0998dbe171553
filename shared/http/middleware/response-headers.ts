import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { basePathOf, underBasePath } from '../response/links.ts';

export interface WithResponseHeaders {
  /** Headers of the response, also of a problem. Middlewares add to them. */
  responseHeaders: Record<string, string>;
}

type Event = APIGatewayProxyEvent & WithResponseHeaders;

/**
 * Adds the common headers and those of other middlewares to every response, and makes its links lead to the address that was called.
 * It encloses `problemDetails`, so that it sees problems too.
 */
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
  // A page has its own links.
  const links = [response.headers?.Link, event.responseHeaders.Link].filter((link) => link !== undefined);
  const headers = {
    'Cache-Control': 'private, no-cache',
    // The gateway compresses long responses for callers that ask for it.
    Vary: 'Accept-Encoding',
    ...response.headers,
    ...event.responseHeaders,
    ...(links.length === 0 ? {} : { Link: links.join(', ') }),
  };
  response.headers = underBasePath(headers, basePathOf(event));
}
