import { environmentSigner } from '../../shared/auth/environment.ts';
import { isSecretOf } from '../../shared/auth/integration-secrets.ts';
import { issueToken, TOKEN_LIFETIME } from '../../shared/auth/tokens.ts';
import { Problem } from '../../shared/contract/problem.ts';
import type { Operations } from '../../shared/http/operation.ts';
import { readCredentials } from '../../shared/table/credentials.ts';
import { PLATFORM } from '../../shared/table/keys.ts';
import type { auth } from './contract.ts';

export const authOperations: Operations<typeof auth> = {
  login: async ({ body, session }) => {
    const credentials = await readCredentials(session.table, body.app_code);
    // Compared in any case, so that a failure costs the same whatever was wrong; only then is asked whether there is anybody.
    const matches = isSecretOf(credentials?.secrets ?? [], body.secret, session.now);
    if (credentials === undefined || !matches || credentials.status !== 'active') throw invalidCredentials();

    const { integration_id: integrationId, app_code: appCode, tenant } = credentials;
    const identity = { integrationId, appCode, orgId: tenant === PLATFORM ? null : tenant };
    return {
      body: {
        access_token: await issueToken(await environmentSigner(), identity, session.now),
        token_type: 'bearer',
        expires_in: TOKEN_LIFETIME,
      },
      headers: { 'Cache-Control': 'no-store' },
    };
  },
};

/** RFC 9110 §15.5.2: a 401 names a scheme. */
const invalidCredentials = (): Problem =>
  new Problem('invalid-credentials', { headers: { 'WWW-Authenticate': 'Bearer' } });
