import {
  type AuthorizerContext,
  callerOf,
  clientPermissionsText,
  type IntegrationCaller,
  type UserCaller,
  type UserContext,
} from '#identity';

/** The authorizer's context of a caller of an organization (empty: of the platform) with all permissions there. */
export const authorizerContext = (orgId: string, context: Partial<AuthorizerContext> = {}): AuthorizerContext => ({
  integration_id: 'i',
  app_code: 'a',
  org_id: orgId,
  token_id: 't',
  token_epoch: '0',
  secret_id: '',
  expires_at: String(Math.floor(Date.now() / 1000) + 3_000),
  permissions: '*',
  scope: '',
  rate_limit: '',
  ...context,
});

/** Such a caller, without a gateway. */
export function aCaller(orgId: string, context: Partial<AuthorizerContext> = {}): IntegrationCaller {
  const caller = callerOf(authorizerContext(orgId, context));
  if (caller?.type !== 'integration') throw new Error('no caller');
  return caller;
}

/** The authorizer's context of a user without any permission. */
export const userContext = (orgId: string, context: Partial<UserContext> = {}): UserContext => ({
  type: 'user',
  user_id: crypto.randomUUID(),
  name: 'Ada',
  provider_id: crypto.randomUUID(),
  org_id: orgId,
  token_id: 't',
  token_epoch: '0',
  issued_at: String(Math.floor(Date.now() / 1000)),
  expires_at: String(Math.floor(Date.now() / 1000) + 3_000),
  permissions: '',
  client_permissions: clientPermissionsText(new Map()),
  scope: '',
  access_version: '1',
  sign_in_version: '1',
  ...context,
});

/** Such a user, without a gateway. */
export function aUser(orgId: string, context: Partial<UserContext> = {}): UserCaller {
  const caller = callerOf(userContext(orgId, context));
  if (caller?.type !== 'user') throw new Error('no user');
  return caller;
}
