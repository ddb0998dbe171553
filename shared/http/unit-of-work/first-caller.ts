import type { Caller } from '#identity';
import { type RequestSession, Tenant } from '#table';
import { areLive, type Credentials, readCredentialsOf } from '#tenancy/credentials';
import { allOf } from '../privileged-operations.ts';

/**
 * The caller that first used an idempotency key, kept for responses that contain an integration's secret. If such a
 * response was lost, the secret is shown again only to the same token, and only while its caller may still make the
 * request (`docs/decisions/0060`).
 */
export interface FirstCaller {
  readonly tokenId: string | null;
  readonly permissions: Credentials['permissions'];
  /** The integration whose secret was shown. */
  readonly shown: Pick<Caller, 'orgId' | 'appCode'>;
}

export const firstCallerOf = ({ tokenId, permissions }: Caller, shown: FirstCaller['shown']): FirstCaller => ({
  tokenId,
  permissions: permissions && [...permissions],
  shown,
});

/**
 * Whether this is the first caller, its token has not ended, and its credentials have all permissions that it had then and all that the
 * integration whose secret is shown has now. Two strongly consistent reads in parallel.
 */
export async function isStillFirstCaller(
  firstCaller: FirstCaller | undefined,
  caller: Caller,
  session: RequestSession,
): Promise<boolean> {
  if (firstCaller === undefined || firstCaller.tokenId === null || firstCaller.tokenId !== caller.tokenId) return false;
  const { orgId, appCode } = firstCaller.shown;
  const callers = Tenant.of(caller, session);
  const owner = orgId === null ? callers : Tenant.named(orgId, caller, session);
  const [own, shown] = await Promise.all([
    readCredentialsOf(callers, caller.appCode),
    owner && readCredentialsOf(owner, appCode),
  ]);
  if (shown === undefined) return false;
  const permissions = allOf(firstCaller.permissions, shown.permissions);
  return areLive(own, caller, session.now, permissions);
}
