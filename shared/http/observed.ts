import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { type EndedInvocation, observe, STATUS_CLASSES } from '#telemetry';
import type { Clock } from '../clock.ts';

export type LambdaHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/**
 * Writes the access line of every request of a domain. It encloses the chain of middlewares and is not one of them: middlewares run one after
 * another, so what they call could not find its request.
 */
export const observed =
  (domain: string, clock: Clock, handler: LambdaHandler): LambdaHandler =>
  (event, context) =>
    observe({ domain, clock, event, endOf }, () => handler(event, context));

/** The gateway turns an error of a function into a status of 500 or more. */
function endOf(settled: PromiseSettledResult<APIGatewayProxyResult>): Pick<EndedInvocation, 'outcome' | 'status'> {
  const status = settled.status === 'fulfilled' ? settled.value.statusCode : undefined;
  const outcome = STATUS_CLASSES.find((each) => each.startsWith(String(status).slice(0, 1))) ?? '5xx';
  return { outcome, status };
}
