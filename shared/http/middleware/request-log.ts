import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { annotate, increment, logger } from '#telemetry';
import { isContention, problemOf } from '../problems.ts';

/**
 * Logs server errors with their original stack. Client errors and contention are not logged: the type of every problem is in the access line
 * (`observed` in `pipeline.ts`).
 */
export function requestLog(): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  return {
    onError: ({ error }) => {
      const problem = problemOf(error);
      annotate({ problem: problem.type });
      if (isContention(error)) {
        annotate({ contended: true });
        increment('RequestsContended');
        return;
      }
      if (problem.status < 500) return;
      logger.error(problem.message, { error: error instanceof Error ? error : new Error(String(error)) });
    },
  };
}
