import { type AuthorizerContext, type Caller, callerOf } from '#identity';

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
  rate_limit: '',
  ...context,
});

/** Such a caller, without a gateway. */
export function aCaller(orgId: string, context: Partial<AuthorizerContext> = {}): Caller {
  const caller = callerOf(authorizerContext(orgId, context));
  if (caller === undefined) throw new Error('no caller');
  return caller;
}
