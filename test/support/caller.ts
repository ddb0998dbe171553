import { type AuthorizerContext, type Caller, callerOf } from '../../shared/identity/caller.ts';

/** A caller of an organization that may do everything there, without a gateway to ask. */
export function aCaller(orgId: string, { integration_id = 'i' }: Partial<AuthorizerContext> = {}): Caller {
  const caller = callerOf({
    integration_id,
    app_code: 'a',
    org_id: orgId,
    token_id: 't',
    token_epoch: '0',
    secret_id: '',
    expires_at: '9999999999',
    permissions: '*',
  });
  if (caller === undefined) throw new Error('no caller');
  return caller;
}
