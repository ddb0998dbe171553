import { type PermissionCode, Problem, unauthorized } from '#contract';
import { type Caller, commonTo, includeAll, type Permissions } from '#identity';
import { type RequestSession, StaleRead, Tenant } from '#table';
import {
  areLive,
  liveCredentials,
  readCredentialsOf,
  readHeldByUser,
  requireCredentials,
  requireUserAccess,
} from '#tenancy';
import { problemOf } from './problems.ts';

/**
 * Operations on keys and permissions need live credentials, or a user's live access (`docs/decisions/0073`). What the
 * pipeline knows of a caller may be outdated, because the gateway caches the authorizer's response. That is acceptable
 * for records. An operation that grants, changes or revokes permissions stages a condition on the caller's credentials
 * or access, which is checked at commit.
 */

/** The union of these permissions. */
export const allOf = (...permissions: readonly Permissions[]): Permissions => {
  const codes = permissions.filter((each) => each !== null);
  return codes.length < permissions.length ? null : [...new Set(codes.flat())];
};

/**
 * Stages the condition that the caller's credentials are live at commit, with the permission that the operation needs
 * and all permissions that it grants or affects. Otherwise the commit throws Problem `unauthorized` or `forbidden`. For
 * the sender of a webhook it throws {@link StaleRead}: when the delivery is processed again, its own checks refuse it.
 * @throws Problem `forbidden` at once for a token whose scope has less
 * @example requireLivePermissions(tenant, caller, 'integrations:write', body.permissions);
 */
export function requireLivePermissions(
  tenant: Tenant,
  caller: Caller,
  needed: PermissionCode,
  ...given: readonly Permissions[]
): void {
  const permissions = allOf([needed], ...given);
  const { now } = tenant.session;
  if (caller.type === 'user') {
    requireUserAccess(tenant, caller, permissions, (held) =>
      held === undefined ? ended(caller) : lacks(held, permissions),
    );
    return;
  }
  // The condition is on the credentials: the token may have less.
  if (!includeAll(caller.scope, permissions)) throw new Problem('forbidden', { detail: BEYOND_SCOPE });
  requireCredentials(tenant, caller, liveCredentials(caller, now, permissions), (found) => {
    if (caller.proof === 'signature') return new StaleRead('the credentials of the sender have changed');
    return areLive(found, caller, now) ? lacks(found?.permissions ?? [], permissions) : ended(caller);
  });
}

const BEYOND_SCOPE = 'The token is narrowed, by its scope, to less than this gives or changes.';

/**
 * The permissions that a caller has now, in its whole organization; undefined where its token has ended. Strongly
 * consistent reads. `now` in epoch milliseconds.
 */
export async function readHeld(caller: Caller, session: RequestSession, now: number): Promise<Permissions | undefined> {
  const tenant = Tenant.of(caller, session);
  if (caller.type === 'user') return readHeldByUser(tenant, caller);
  const found = await readCredentialsOf(tenant, caller.appCode);
  const isLive = areLive(found, caller, now);
  return found !== undefined && isLive ? commonTo(found.permissions, caller.scope) : undefined;
}

/**
 * Reads whether the caller is still live, with the attempts that others have.
 * @returns the problem with which the caller's next request is refused: `unauthorized`, or that of a table that cannot
 *   be read
 */
export async function refusalOfCaller(caller: Caller, session: RequestSession): Promise<Problem | undefined> {
  try {
    const held = await readHeld(caller, session, session.clock());
    return held === undefined ? ended(caller) : undefined;
  } catch (error) {
    return problemOf(error);
  }
}

const ended = ({ type }: Caller): Problem =>
  unauthorized(
    type === 'user'
      ? 'The user may not sign in any more, or its tokens were ended.'
      : 'The integration is inactive, or its tokens were ended.',
  );

const lacks = (held: Permissions, permissions: Permissions): Problem =>
  new Problem('forbidden', { detail: `The caller no longer has ${missing(held, permissions)}.` });

const missing = (held: Permissions, permissions: Permissions): string =>
  permissions === null ? 'all permissions' : permissions.filter((code) => !includeAll(held, [code])).join(', ');
