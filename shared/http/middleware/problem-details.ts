import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { problemOf } from '../problems.ts';
import type { Routed } from './routed.ts';

/** Returns every error as problem details (RFC 9457). */
export function problemDetails(): MiddlewareObj<APIGatewayProxyEvent & Partial<Routed>, APIGatewayProxyResult> {
  return {
    onError: (request) => {
      const problem = problemOf(request.error, request.event);
      request.response = {
        statusCode: problem.status,
        headers: { 'Cache-Control': 'no-store', ...problem.headers, 'Content-Type': 'application/problem+json' },
        body: JSON.stringify(problem.detailsFor(request.event.requestContext.requestId)),
      };
    },
  };
}
