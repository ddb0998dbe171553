import type { Context } from 'aws-lambda';

/** The used part of Lambda's context: the remaining milliseconds. */
export const lambdaContext = (remaining = 10_000): Context =>
  ({ getRemainingTimeInMillis: () => remaining }) as Context;
