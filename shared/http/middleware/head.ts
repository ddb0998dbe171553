import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

/**
 * Answers `HEAD` as `GET`, with the same status and headers and without the body (RFC 9110 §9.3.2). The outermost middleware, so that
 * whatever depends on the body has seen it.
 */
export const head = (): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> => ({
  after: dropBody,
  onError: dropBody,
});

function dropBody({ event, response }: Request<APIGatewayProxyEvent, APIGatewayProxyResult>): void {
  if (event.httpMethod === 'HEAD' && response) response.body = '';
}
