import { InvalidToken, verifyToken } from '#auth';
import { Problem, refusalContext, unauthorized } from '#contract';
import type { pipeline } from '#http';
import { type Caller, callerBySignature, callerOf } from '#identity';
import { authenticate } from '../auth/authenticate.ts';
import { secretIn } from '../auth/client.ts';
import { refusingLate } from '../auth/refusing-late.ts';
import { authorizeIntegration, TOKEN_REFUSALS } from '../authorizer/authorize.ts';
import { bearerOf } from '../authorizer/bearer.ts';
import { SEND_ALERTS } from './contract.ts';

type VerifyCaller = NonNullable<Parameters<typeof pipeline>[3]>;

/**
 * Finds out who sends alerts: an integration of an organization, by its token, or by app code and secret (Basic) where
 * sending alerts is all that it may do. No authorizer does: its response would be cached for all routes.
 * @throws Problem
 */
export const callerOfAlerts: VerifyCaller = async (input) => {
  const caller = /^basic /i.test(input.request.headers.get('authorization') ?? '')
    ? await refusingLate(input, () => callerWithSecret(input))
    : await callerWithToken(input);
  if (caller.orgId !== null) return caller;
  throw new Problem('forbidden', { detail: 'Alerts are sent by an integration of an organization.' });
};

async function callerWithSecret(input: Parameters<VerifyCaller>[0]): Promise<Caller> {
  const found = await authenticate(secretIn(input.request), input);
  if (found.permissions?.length !== 1 || found.permissions[0] !== SEND_ALERTS) {
    const detail = `Only integrations whose permissions are exactly ${SEND_ALERTS} may use Basic here; others a token.`;
    throw new Problem('forbidden', { detail });
  }
  return callerBySignature(found);
}

async function callerWithToken({ session, request }: Parameters<VerifyCaller>[0]): Promise<Caller> {
  const presented = bearerOf({ headers: Object.fromEntries(request.headers), multiValueHeaders: null });
  if (presented === 'none' || presented === 'several') throw unauthorized();
  if ('reason' in presented) throw noToken(presented.detail);
  try {
    const verified = await verifyToken(presented.token, session.now);
    if ('userId' in verified) throw new Problem('forbidden', { detail: 'Only integrations send alerts.' });
    const caller = callerOf((await authorizeIntegration(verified, session)).context);
    if (caller !== undefined) return caller;
  } catch (error) {
    if (!(error instanceof InvalidToken)) throw error;
    if (error.reason !== 'early') throw unauthorized(TOKEN_REFUSALS[error.reason]);
  }
  throw unauthorized();
}

/** As the authorizer refuses what is no token. */
function noToken(reason: string): Problem {
  const { detail, challenge } = refusalContext(reason, { isTokenSent: false });
  return new Problem('unauthorized', { detail, headers: { 'WWW-Authenticate': challenge } });
}
