import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { isFirstKeyOn } from '../../shared/auth/first-key.ts';
import { InvalidToken } from '../../shared/auth/tokens.ts';
import { systemClock } from '../../shared/clock.ts';
import { logger } from '../../shared/logger.ts';
import { environmentSession } from '../../shared/table/session.ts';
import { annotate } from '../../shared/telemetry/invocation.ts';
import type { DECISIONS } from '../../shared/telemetry/metrics.ts';
import { observe } from '../../shared/telemetry/observe.ts';
import { type Authorized, authorize } from './authorize.ts';
import { bearerOf } from './bearer.ts';
import { keepAnswer, keptAnswer } from './kept-answers.ts';
import { allowAnonymous, allowStage } from './policy.ts';

/**
 * The Lambda authorizer of the REST API. It fails closed: when it throws, the gateway refuses the request.
 */

/** How long the lookup of a caller may take, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** @throws Error `Unauthorized`, which the gateway answers as 401, or any other, which it answers as 500 */
export const handler = (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> =>
  observe({ domain: 'authorizer', clock: systemClock, event, endOf }, () => decide(event));

async function decide(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const presented = bearerOf(event);
  if (presented === 'none' && mayBeAnonymous(event)) return allowAnonymous(event.methodArn);
  if (typeof presented === 'string') throw refused(presented);
  try {
    const { context, tenant } = await authorized(presented.token, event);
    annotate({ integration_id: context.integration_id, tenant });
    return allowStage(event.methodArn, context.integration_id, context);
  } catch (error) {
    if (error instanceof InvalidToken) throw refused(error.reason);
    logger.error('a token could not be checked', { error: error as Error });
    // Without a cause, for Lambda logs what a function throws, unfiltered.
    throw new Error('The authorizer failed');
  }
}

/** Of the route that the gateway asks about each time, what is known of the token from a moment ago; of all others what is true now. */
async function authorized(token: string, event: APIGatewayRequestAuthorizerEvent): Promise<Authorized> {
  const session = environmentSession(TIMEOUT_MS);
  const kept = mayBeAnonymous(event) ? keptAnswer(token, session.now) : undefined;
  if (kept !== undefined) return kept;
  const found = await authorize(token, session);
  if (isFirstKeyOn()) keepAnswer(token, found, session.now);
  return found;
}

/** The only route that a stage may open to anonymous callers: see `functions/integrations/first-key.ts`. The gateway does not cache this. */
const mayBeAnonymous = ({ httpMethod, resource }: APIGatewayRequestAuthorizerEvent): boolean =>
  isFirstKeyOn() && httpMethod === 'POST' && resource === '/api/v1/integrations';

/** API Gateway answers 401 for exactly this message. */
const UNAUTHORIZED = 'Unauthorized';

function refused(reason: string): Error {
  annotate({ reason });
  return new Error(UNAUTHORIZED);
}

/** A refusal is an error to Lambda alone. */
function endOf(settled: PromiseSettledResult<unknown>): { readonly outcome: (typeof DECISIONS)[number] } {
  if (settled.status === 'fulfilled') return { outcome: 'allowed' };
  const isRefusal = settled.reason instanceof Error && settled.reason.message === UNAUTHORIZED;
  return { outcome: isRefusal ? 'refused' : 'failed' };
}
