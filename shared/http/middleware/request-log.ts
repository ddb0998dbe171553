import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { annotate, logger } from '#telemetry';
import { problemOf } from '../problems.ts';

/**
 * Logs server errors with their original stack. Client errors are not logged: the type of every problem is in the access line
 * (`observed` in `pipeline.ts`).
 */
export function requestLog(): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  return {
    onError: ({ error }) => {
      const problem = problemOf(error);
      annotate({ problem: problem.type });
      if (problem.status < 500) return;
      logger.error(problem.message, { error: error instanceof Error ? error : new Error(String(error)) });
    },
  };
}
