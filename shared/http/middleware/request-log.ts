import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { logger } from '../../logger.ts';
import { problemOf } from '../problems.ts';
import type { Routed } from './routed.ts';

/** Logs server errors with their original stack. Client errors are not logged. */
export function requestLog(): MiddlewareObj<APIGatewayProxyEvent & Partial<Routed>, APIGatewayProxyResult> {
  return {
    onError: ({ event, error }) => {
      const problem = problemOf(error);
      if (problem.status < 500) return;
      logger.error(problem.message, {
        requestId: event.requestContext.requestId,
        operation: event.matched?.operationId,
        error: error instanceof Error ? error : new Error(String(error)),
      });
    },
  };
}
