import type { AuthorizerContext } from '../../shared/auth/caller.ts';
import { environmentPublicKeys } from '../../shared/auth/environment.ts';
import { InvalidToken, type VerifiedToken, verifyToken } from '../../shared/auth/tokens.ts';
import { environmentTable } from '../../shared/table/client.ts';
import { type Credentials, readCredentials } from '../../shared/table/credentials.ts';
import { PLATFORM } from '../../shared/table/keys.ts';

/**
 * Who holds this token: its signature and claims are checked, then that its integration is still there, the same, and active. `now`
 * in epoch milliseconds.
 * @throws InvalidToken when it is nobody; any other error when that cannot be told now
 */
export async function authorize(token: string, now: number): Promise<AuthorizerContext> {
  const verified = await verifyToken(token, await environmentPublicKeys(), now);
  const credentials = await readCredentials(environmentTable(), verified.appCode);
  if (credentials === undefined || !isHeldBy(verified, credentials)) {
    throw new InvalidToken('the integration is gone, another or inactive');
  }
  return {
    integration_id: verified.integrationId,
    app_code: verified.appCode,
    org_id: verified.orgId ?? '',
    expires_at: String(verified.expiresAt),
    permissions: credentials.permissions?.join(' ') ?? '*',
  };
}

const isHeldBy = (token: VerifiedToken, { integration_id, tenant, status }: Credentials): boolean =>
  status === 'active' && integration_id === token.integrationId && tenant === (token.orgId ?? PLATFORM);
