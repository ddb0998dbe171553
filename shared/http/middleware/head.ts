import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

/**
 * Answers `HEAD` as `GET`, with the same status and headers and without the body (RFC 9110 §9.3.2). It is the outermost middleware, so that
 * all others have seen the body.
 */
export const head = (): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> => ({
  after: dropBody,
  onError: dropBody,
});

function dropBody({ event, response }: Request<APIGatewayProxyEvent, APIGatewayProxyResult>): void {
  if (event.httpMethod === 'HEAD' && response) response.body = '';
}
