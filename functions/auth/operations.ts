import { setTimeout as sleep } from 'node:timers/promises';
import { issueToken, TOKEN_TIMES } from '#auth';
import type { OpenInput, Operations } from '#http';
import { authenticate } from './authenticate.ts';
import type { auth } from './contract.ts';
import { grantOf } from './grants.ts';

/**
 * Least time of a refused login since its request began, in milliseconds: otherwise a known app code could be
 * recognized by the time of the response. The refusal of a known code is recorded, and a container that knows the code
 * reads in one round trip, even where the caller has to wait (429).
 */
const REFUSAL_TIME = 200;

const restOf = (time: number, { now, clock }: OpenInput['session']): number =>
  Math.min(Math.max(now + time - clock(), 0), time);

/** No cache keeps a token (RFC 6749 §5.1). */
const NOT_KEPT = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

export const authOperations: Operations<typeof auth> = {
  login: (input) =>
    refusingLate(input, async () => ({
      body: {
        access_token: await issueToken(authenticate(input.body, input), input.session.now),
        token_type: 'bearer',
        expires_in: TOKEN_TIMES.lifetime,
      },
      headers: { 'Cache-Control': 'no-store' },
    })),

  requestToken: (input) =>
    refusingLate(input, async () => ({ body: await grantOf(input.body.grant_type)(input), headers: NOT_KEPT })),
};

async function refusingLate<T>({ session }: Pick<OpenInput, 'session'>, answer: () => Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    await sleep(restOf(REFUSAL_TIME, session));
    throw error;
  }
}
