import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { InvalidToken } from '#auth';
import { refusalContext, withMetadata } from '#contract';
import { RequestSession } from '#table';
import { annotate, type DECISIONS, logger, observe } from '#telemetry';
import { baseUrlAt } from '../../shared/base-url.ts';
import { systemClock } from '../../shared/clock.ts';
import { isFirstKeyOn } from '../integrations/first-key.ts';
import { type Authorized, authorize, TOKEN_REFUSALS } from './authorize.ts';
import { bearerOf, type NoToken } from './bearer.ts';
import { keepResponse, keptResponse } from './kept-responses.ts';
import { allowAnonymous, allowStage, denyStage, isDenied } from './policy.ts';

/**
 * The Lambda authorizer of the REST API. It fails closed: when it throws, the gateway refuses the request.
 */

/** How long the lookup of a caller may take, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * Allows, or denies with the reason. The gateway caches both, so only reasons that stay true lead to a denial.
 * @throws Error `Unauthorized`, which the gateway turns into a 401, or any other, which it turns into a 500
 */
export const handler = (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> =>
  observe({ domain: 'authorizer', clock: systemClock, event, endOf }, () => decide(event));

async function decide(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const presented = bearerOf(event);
  if (presented === 'none' && mayBeAnonymous(event)) return allowAnonymous(event.methodArn);
  // Not denied, because a denial is cached: the one of two headers by which it would be cached may be a valid token.
  if (presented === 'none' || presented === 'several') throw refused(presented);
  if ('reason' in presented) return deniedAsNoToken(event, presented);
  try {
    const { context, holder, tenant } = await authorized(presented.token, event);
    annotate({ [isOfUser(context) ? 'user_id' : 'integration_id']: holder, tenant });
    return allowStage(event.methodArn, holder, context);
  } catch (error) {
    if (error instanceof InvalidToken) return denied(event, error.reason);
    logger.error('a token could not be checked', { error: error as Error });
    // Without a cause, because Lambda logs thrown errors unfiltered.
    throw new Error('The authorizer failed');
  }
}

const isOfUser = (context: Authorized['context']): boolean => 'user_id' in context;

/**
 * The state of the token: from the container's cache for the route that the gateway does not cache, read now for all
 * others.
 */
async function authorized(token: string, event: APIGatewayRequestAuthorizerEvent): Promise<Authorized> {
  const session = RequestSession.ofEnvironment(TIMEOUT_MS);
  const kept = mayBeAnonymous(event) ? keptResponse(token, session.now) : undefined;
  if (kept !== undefined) return kept;
  const found = await authorize(token, session);
  if (isFirstKeyOn()) keepResponse(token, found, session.now);
  return found;
}

/** The only route that a stage may open to anonymous callers (`functions/integrations/first-key.ts`). */
const mayBeAnonymous = ({ httpMethod, resource }: APIGatewayRequestAuthorizerEvent): boolean =>
  isFirstKeyOn() && httpMethod === 'POST' && resource === '/api/v1/integrations';

/** API Gateway returns 401 for exactly this message. */
const UNAUTHORIZED = 'Unauthorized';

function denied(event: APIGatewayRequestAuthorizerEvent, reason: InvalidToken['reason']): APIGatewayAuthorizerResult {
  if (reason === 'early') throw refused(reason);
  annotate({ reason });
  return deniedWith(event, refusalContext(TOKEN_REFUSALS[reason]));
}

/** Without an error code, as for a request that has no credentials of the right kind (RFC 6750 §3.1). */
function deniedAsNoToken(
  event: APIGatewayRequestAuthorizerEvent,
  { reason, detail }: NoToken,
): APIGatewayAuthorizerResult {
  annotate({ reason });
  return deniedWith(event, refusalContext(detail, { isTokenSent: false }));
}

/** The gateway caches it, with the address by which this caller came first. */
const deniedWith = (
  event: APIGatewayRequestAuthorizerEvent,
  { detail, challenge }: ReturnType<typeof refusalContext>,
) => denyStage(event.methodArn, { detail, challenge: withMetadata(challenge, baseUrlOf(event), event.resource) });

/**
 * The address of the service, as `requestOf` of `#http` knows it: only `requestContext.path` has the name of the stage,
 * where the address has one. AWS promises neither to authorizers (its own example has no domain name).
 */
function baseUrlOf({ path, requestContext }: APIGatewayRequestAuthorizerEvent): string | undefined {
  const { domainName, path: called }: Partial<typeof requestContext> = requestContext;
  return domainName && called && baseUrlAt(domainName, called.slice(0, called.length - path.length));
}

function refused(reason: string): Error {
  annotate({ reason });
  return new Error(UNAUTHORIZED);
}

/** Lambda counts a refusal as an error; this service does not. */
function endOf(settled: PromiseSettledResult<APIGatewayAuthorizerResult>): {
  readonly outcome: (typeof DECISIONS)[number];
} {
  if (settled.status === 'fulfilled') return { outcome: isDenied(settled.value) ? 'refused' : 'allowed' };
  const isRefusal = settled.reason instanceof Error && settled.reason.message === UNAUTHORIZED;
  return { outcome: isRefusal ? 'refused' : 'failed' };
}
