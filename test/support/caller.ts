import { type AuthorizerContext, type Caller, callerOf } from '#identity';

/** What the authorizer says of a caller of an organization (empty: of the platform) that may do everything there. */
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

/** Such a caller, without a gateway to ask. */
export function aCaller(orgId: string, context: Partial<AuthorizerContext> = {}): Caller {
  const caller = callerOf(authorizerContext(orgId, context));
  if (caller === undefined) throw new Error('no caller');
  return caller;
}
