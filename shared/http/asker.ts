import type { Caller } from '../identity/caller.ts';
import type { Session } from '../table/session.ts';
import {
  areAsExpected,
  type Credentials,
  type Holder,
  liveCredentials,
  readCredentialsOf,
} from '../table/system/credentials.ts';
import { Tenant } from '../table/tenant.ts';
import { allOf } from './power.ts';

/**
 * The caller that first used an idempotency key, kept for responses that contain an integration's secret. If such a response was lost, the
 * secret is shown again only to the same token, and only while its caller could still make the request (`docs/decisions/0060`).
 */
export interface Asker {
  readonly tokenId: string | null;
  readonly permissions: Credentials['permissions'];
  /** The integration whose secret was shown. */
  readonly shown: Holder;
}

export const askerOf = ({ tokenId, permissions }: Caller, shown: Holder): Asker => ({
  tokenId,
  permissions: permissions && [...permissions],
  shown,
});

/**
 * Whether this is the first caller, its token has not ended, and its credentials have all permissions that it had then and all that the
 * integration whose secret is shown has now. Two strongly consistent reads in parallel.
 */
export async function isStillAsking(asker: Asker | undefined, caller: Caller, session: Session): Promise<boolean> {
  if (asker === undefined || asker.tokenId === null || asker.tokenId !== caller.tokenId) return false;
  const { orgId, appCode } = asker.shown;
  const callers = Tenant.of(caller, session);
  const owner = orgId === null ? callers : Tenant.named(orgId, caller, session);
  const [own, shown] = await Promise.all([
    readCredentialsOf(callers, caller.appCode),
    owner && readCredentialsOf(owner, appCode),
  ]);
  if (shown === undefined) return false;
  const permissions = allOf(asker.permissions, shown.permissions);
  return areAsExpected(own, liveCredentials(caller, session.now, permissions));
}
