import type { Caller } from '../auth/caller.ts';
import {
  areAsExpected,
  type Credentials,
  endsTokens,
  liveCredentials,
  readCredentialsOf,
} from '../table/credentials.ts';
import type { Session } from '../table/session.ts';
import type { Tenant } from '../table/tenant.ts';

/**
 * Who asked first under an idempotency key, for answers with a secret in them. Whoever lost such an answer still has the token it asked
 * with: to this token it is shown again, for as long as asking anew would be, and to nobody else (`docs/decisions/0060`).
 */
export interface Asker {
  readonly tokenId: string | null;
  /** That of its key after the request, which may be what ended its own token. */
  readonly tokenEpoch: number;
  readonly permissions: Credentials['permissions'];
}

/** The asker of what is staged in the session. */
export const askerOf = (caller: Caller, session: Session): Asker => ({
  tokenId: caller.tokenId,
  tokenEpoch: caller.tokenEpoch + (endsTokens(session, caller.appCode) ? 1 : 0),
  permissions: caller.permissions && [...caller.permissions],
});

/** Whether a caller is who asked first, its key still alive and with all permissions that it had. One strongly consistent read. */
export async function isStillAsking(asker: Asker | undefined, caller: Caller, tenant: Tenant): Promise<boolean> {
  if (asker === undefined || asker.tokenId === null || asker.tokenId !== caller.tokenId) return false;
  const holder = { integrationId: caller.integrationId, tokenEpoch: asker.tokenEpoch };
  const credentials = await readCredentialsOf(tenant, caller.appCode);
  return areAsExpected(credentials, liveCredentials(holder, asker.permissions));
}
