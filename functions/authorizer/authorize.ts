import { InvalidToken, verifyToken } from '#auth';
import { type AuthorizerContext, clientPermissionsText, commonTo, type UserContext } from '#identity';
import type { RequestSession } from '#table';
import { annotate } from '#telemetry';
import { areLive, isLiveUser, powerOf, readCredentials, readUserAccess } from '#tenancy';

/** The rights of a token's holder. */
export interface Authorized {
  readonly context: AuthorizerContext | UserContext;
  /** Id of the integration or the user. */
  readonly holder: string;
  /** `PLATFORM` or the id of an organization. */
  readonly tenant: string;
}

/**
 * Verifies a token: its signature and claims, then that its integration or user still exists in the token's
 * organization and is active, and that the token has not ended, with its secret or its identity provider.
 * @throws InvalidToken when it is not valid; any other error when that cannot be checked now
 */
export async function authorize(token: string, session: RequestSession): Promise<Authorized> {
  const verified = await verifyToken(token, session.now);
  return 'userId' in verified ? authorizeUser(verified, session) : authorizeIntegration(verified, session);
}

/**
 * The reasons that a caller learns. A token with a wrong signature gets no reason. Clocks are corrected, so `early` is
 * not cached.
 */
export const TOKEN_REFUSALS: Readonly<Record<Exclude<InvalidToken['reason'], 'early'>, string>> = {
  invalid: 'The token is not one of this service.',
  'unknown-key': 'The token is signed with a key that this service does not have, or has no longer.',
  expired: 'The token has expired.',
  ended: 'The token has ended: it was revoked, or its integration or user is inactive or was deleted.',
};

type Verified = Awaited<ReturnType<typeof verifyToken>>;
type VerifiedUser = Extract<Verified, { readonly userId: string }>;
type VerifiedIntegration = Exclude<Verified, VerifiedUser>;

/** The same for the verified token of an integration. */
export async function authorizeIntegration(
  verified: VerifiedIntegration,
  session: RequestSession,
): Promise<Authorized & { readonly context: AuthorizerContext }> {
  annotate({ integration_id: verified.integrationId });
  const credentials = await readCredentials(session.tables.environment, verified);
  const isAlive = areLive(credentials, verified, session.now);
  if (credentials === undefined || !isAlive) {
    throw new InvalidToken('the integration was deleted or is inactive, or the token has ended', { reason: 'ended' });
  }
  const context: AuthorizerContext = {
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
  return { context, holder: verified.integrationId, tenant: credentials.tenant };
}

async function authorizeUser(verified: VerifiedUser, session: RequestSession): Promise<Authorized> {
  const { userId, orgId, scope } = verified;
  annotate({ user_id: userId });
  const found = await readUserAccess(session.tables.environment, verified);
  if (!isLiveUser(found, verified)) {
    throw new InvalidToken('the user was deleted or may not sign in, or the token has ended', { reason: 'ended' });
  }
  const { access, signIn } = found;
  const { permissions, clients } = powerOf(access, signIn, scope);
  const context: UserContext = {
    type: 'user',
    user_id: userId,
    name: access.name,
    provider_id: verified.providerId,
    org_id: orgId,
    token_id: verified.tokenId,
    token_epoch: String(verified.tokenEpoch),
    issued_at: String(verified.issuedAt),
    expires_at: String(verified.expiresAt),
    permissions: permissions?.join(' ') ?? '*',
    client_permissions: clientPermissionsText(clients),
    scope: scope?.join(' ') ?? '',
    access_version: String(access.version),
    sign_in_version: String(signIn.version),
  };
  return { context, holder: userId, tenant: orgId };
}
