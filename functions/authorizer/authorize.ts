import { InvalidToken, verifyToken } from '#auth';
import { type AuthorizerContext, commonTo } from '#identity';
import type { RequestSession } from '#table';
import { annotate } from '#telemetry';
import { areLive, readCredentials } from '#tenancy';

/** The rights of a token's holder. */
export interface Authorized {
  readonly context: AuthorizerContext;
  /** `PLATFORM` or the id of an organization. */
  readonly tenant: string;
}

/**
 * Verifies a token: its signature and claims, then that the integration still exists in the token's organization and is
 * active, and that the token and its secret have not ended.
 * @throws InvalidToken when it is not valid; any other error when that cannot be checked now
 */
export async function authorize(token: string, session: RequestSession): Promise<Authorized> {
  const verified = await verifyToken(token, session.now);
  annotate({ integration_id: verified.integrationId });
  const credentials = await readCredentials(session.tables.environment, verified);
  const isAlive = areLive(credentials, verified, session.now);
  if (credentials === undefined || !isAlive) {
    throw new InvalidToken('the integration was deleted or is inactive, or the token has ended', { reason: 'ended' });
  }
  const context = {
    integration_id: verified.integrationId,
    app_code: verified.appCode,
    org_id: verified.orgId ?? '',
    token_id: verified.tokenId,
    token_epoch: String(verified.tokenEpoch),
    secret_id: verified.secretId ?? '',
    expires_at: String(verified.expiresAt),
    permissions: commonTo(credentials.permissions, verified.scope)?.join(' ') ?? '*',
    scope: verified.scope?.join(' ') ?? '',
    rate_limit: String(credentials.rate_limit ?? ''),
  };
  return { context, tenant: credentials.tenant };
}
