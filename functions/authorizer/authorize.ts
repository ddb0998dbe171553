import type { AuthorizerContext } from '../../shared/auth/caller.ts';
import { environmentPublicKeys } from '../../shared/auth/environment.ts';
import { InvalidToken, type VerifiedToken, verifyToken } from '../../shared/auth/tokens.ts';
import { type Credentials, orgIdOf, readCredentials } from '../../shared/table/credentials.ts';
import type { Session } from '../../shared/table/session.ts';

/**
 * Who holds this token: its signature and claims are checked, then that its integration is still there, the same, and active.
 * @throws InvalidToken when it is nobody; any other error when that cannot be told now
 */
export async function authorize(token: string, session: Session): Promise<AuthorizerContext> {
  const verified = await verifyToken(token, await environmentPublicKeys(), session.now);
  const credentials = await readCredentials(session.table, verified.appCode);
  if (credentials === undefined || !isHeldBy(verified, credentials)) {
    throw new InvalidToken('the integration is gone, another or inactive');
  }
  return {
    integration_id: verified.integrationId,
    app_code: verified.appCode,
    org_id: verified.orgId ?? '',
    expires_at: String(verified.expiresAt),
    permissions: credentials.permissions?.join(' ') ?? '*',
    rate_limit: String(credentials.rate_limit ?? ''),
  };
}

const isHeldBy = (token: VerifiedToken, credentials: Credentials): boolean =>
  credentials.status === 'active' &&
  credentials.integration_id === token.integrationId &&
  orgIdOf(credentials) === token.orgId;
