import type { Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { corsHeaders, oauth, originsOf, type Problem, withMetadata } from '#contract';
import { annotate, increment, logger } from '#telemetry';
import { isContention, problemOf } from '../problems.ts';
import { basePathOf, baseUrlOf } from '../request/http-request.ts';
import { underBasePath } from '../response.ts';
import type { Middleware, Routed } from './routing.ts';

/** The outermost middlewares: what every response has, also that of an error. */

type Passing<E = unknown> = Request<APIGatewayProxyEvent & E, APIGatewayProxyResult>;

/**
 * Responds to `HEAD` as to `GET`, without the body (RFC 9110 §9.3.2). Outermost, so that all others have seen the body.
 */
export const head = (): Middleware => ({ after: dropBody, onError: dropBody });

function dropBody({ event, response }: Passing): void {
  if (event.httpMethod === 'HEAD' && response) response.body = '';
}

/** Lets pages of the allowed origins read every response, problems too: `CORS_ORIGINS`. Preflights never come here. */
export const crossOrigin = (): Middleware<Partial<Routed>> => ({ after: allowOrigin, onError: allowOrigin });

function allowOrigin({ event: { matched, request }, response }: Passing<Partial<Routed>>): void {
  if (!response || matched === undefined) return;
  const origins = originsOf(process.env.CORS_ORIGINS ?? '') ?? [];
  const headers = corsHeaders(matched.route, origins, request?.headers.get('origin'));
  const { Vary: vary } = response.headers ?? {};
  const both = vary !== undefined && headers.Vary !== undefined ? { Vary: `${vary}, ${headers.Vary}` } : {};
  response.headers = { ...response.headers, ...headers, ...both };
}

export interface WithResponseHeaders {
  /** Headers of the response, also of a problem. Middlewares add to them. */
  responseHeaders: Record<string, string>;
}

/**
 * Adds the common headers and those of other middlewares to every response, and makes its links lead to the address
 * that was called. It encloses `problemDetails`, so that it sees problems too.
 */
export const responseHeaders = (): Middleware<WithResponseHeaders> => ({
  before: ({ event }) => {
    event.responseHeaders = {
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': event.requestContext.requestId,
    };
  },
  after: addHeaders,
  onError: addHeaders,
});

function addHeaders({ event, response }: Passing<WithResponseHeaders>): void {
  if (!response) return;
  // A page has its own links.
  const links = [response.headers?.Link, event.responseHeaders.Link].filter((link) => link !== undefined);
  const headers: NonNullable<APIGatewayProxyResult['headers']> = {
    'Cache-Control': 'private, no-cache',
    // The gateway compresses long responses for callers that ask for it.
    Vary: 'Accept-Encoding',
    ...response.headers,
    ...event.responseHeaders,
    ...(links.length === 0 ? {} : { Link: links.join(', ') }),
  };
  const { 'WWW-Authenticate': challenge } = headers;
  if (challenge !== undefined)
    headers['WWW-Authenticate'] = withMetadata(String(challenge), baseUrlOf(event), event.resource);
  response.headers = underBasePath(headers, basePathOf(event));
}

/** Returns every error as problem details (RFC 9457), or in the form of OAuth where the route is of OAuth. */
export const problemDetails = (): Middleware<Partial<Routed>> => ({
  onError: (request) => {
    const { matched, requestContext } = request.event;
    const problem = problemOf(request.error, request.event);
    const form = matched?.route.oauth ? oauth.responseTo : detailsOf;
    const { status, headers, body } = form(problem, requestContext.requestId);
    request.response = {
      statusCode: status,
      headers: { 'Cache-Control': 'no-store', ...headers },
      body: JSON.stringify(body),
    };
  },
});

const detailsOf = (problem: Problem, requestId: string) => ({
  status: problem.status,
  headers: { ...problem.headers, 'Content-Type': 'application/problem+json' },
  body: problem.detailsFor(requestId),
});

/**
 * Logs server errors with their original stack. Client errors and contention are not logged: the access line has the
 * type of every problem (`observed` in `pipeline.ts`).
 */
export const requestLog = (): Middleware => ({
  onError: ({ error }) => {
    const problem = problemOf(error);
    annotate({ problem: problem.type });
    if (isContention(error)) {
      annotate({ contended: true });
      increment('RequestsContended');
    } else if (problem.status >= 500) {
      logger.error(problem.message, { error: error instanceof Error ? error : new Error(String(error)) });
    }
  },
});
