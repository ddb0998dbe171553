import { issueToken, TOKEN_TIMES } from '#auth';
import type { Operations } from '#http';
import { authenticate } from './authenticate.ts';
import type { auth } from './contract.ts';
import { grantOf } from './grants.ts';
import { refusingLate } from './refusing-late.ts';

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
