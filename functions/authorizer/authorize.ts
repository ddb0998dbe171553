import { environmentPublicKeys } from '../../shared/auth/environment.ts';
import { InvalidToken, verifyToken } from '../../shared/auth/tokens.ts';
import type { AuthorizerContext } from '../../shared/identity/caller.ts';
import type { Session } from '../../shared/table/session.ts';
import { areAsExpected, liveCredentials, orgIdOf, readCredentials } from '../../shared/table/system/credentials.ts';

/**
 * Who holds this token: its signature and claims are checked, then that its integration is still there, the same, and active, and that
 * it was not ended, nor the secret that made it.
 * @throws InvalidToken when it is nobody; any other error when that cannot be told now
 */
export async function authorize(token: string, session: Session): Promise<AuthorizerContext> {
  const verified = await verifyToken(token, await environmentPublicKeys(), session.now);
  const credentials = await readCredentials(session.table, verified.appCode);
  const isAlive = areAsExpected(credentials, liveCredentials(verified, session.now));
  if (credentials === undefined || !isAlive || orgIdOf(credentials) !== verified.orgId) {
    throw new InvalidToken('the integration is gone, another or inactive, or the token was ended');
  }
  return {
    integration_id: verified.integrationId,
    app_code: verified.appCode,
    org_id: verified.orgId ?? '',
    token_id: verified.tokenId,
    token_epoch: String(verified.tokenEpoch),
    secret_id: verified.secretId ?? '',
    expires_at: String(verified.expiresAt),
    permissions: credentials.permissions?.join(' ') ?? '*',
    rate_limit: String(credentials.rate_limit ?? ''),
  };
}
