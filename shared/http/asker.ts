import type { Caller } from '../identity/caller.ts';
import { areAsExpected, type Credentials, liveCredentials, readCredentialsOf } from '../table/system/credentials.ts';
import type { Tenant } from '../table/tenant.ts';
import { allOf } from './power.ts';

/**
 * Who asked first under an idempotency key, for answers with the secret of an integration in them. Whoever lost such an answer may still have
 * the token it asked with: to this token it is shown again, for as long as asking anew would be, and to nobody else
 * (`docs/decisions/0060`).
 */
export interface Asker {
  readonly tokenId: string | null;
  readonly permissions: Credentials['permissions'];
  /** App code of the integration whose secret was shown. */
  readonly shown: string;
}

export const askerOf = ({ tokenId, permissions }: Caller, shown: string): Asker => ({
  tokenId,
  permissions: permissions && [...permissions],
  shown,
});

/**
 * Whether a caller is who asked first, its token not ended, and its key with all permissions that it had then and that the integration has
 * now whose secret is shown. Two strongly consistent reads at once.
 */
export async function isStillAsking(asker: Asker | undefined, caller: Caller, tenant: Tenant): Promise<boolean> {
  if (asker === undefined || asker.tokenId === null || asker.tokenId !== caller.tokenId) return false;
  const [own, shown] = await Promise.all([
    readCredentialsOf(tenant, caller.appCode),
    readCredentialsOf(tenant, asker.shown),
  ]);
  if (shown === undefined) return false;
  const permissions = allOf(asker.permissions, shown.permissions);
  return areAsExpected(own, liveCredentials(caller, tenant.session.now, permissions));
}
