import type { Caller } from '../identity/caller.ts';
import { areAsExpected, type Credentials, liveCredentials, readCredentialsOf } from '../table/system/credentials.ts';
import type { Tenant } from '../table/tenant.ts';
import { allOf } from './power.ts';

/**
 * The caller that first used an idempotency key, kept for responses that contain an integration's secret. If such a response was lost, the
 * secret is shown again only to the same token, and only while its caller could still make the request (`docs/decisions/0060`).
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
 * Whether this is the first caller, its token has not ended, and its credentials have all permissions that it had then and all that the
 * integration whose secret is shown has now. Two strongly consistent reads in parallel.
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
