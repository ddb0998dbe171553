import { type PermissionCode, Problem, unauthorized } from '#contract';
import { type Caller, includeAll, type Permissions } from '#identity';
import { type RequestSession, StaleRead, Tenant } from '#table';
import { areLive, type Credentials, liveCredentials, readCredentialsOf, requireCredentials } from '#tenancy';
import { problemOf } from './problems.ts';

/**
 * Operations on keys and permissions need live credentials (`docs/decisions/0073`). What the pipeline knows of a caller
 * may be outdated, because the gateway caches the authorizer's response. That is acceptable for records. An operation
 * that grants, changes or revokes permissions stages a condition on the caller's credentials, which is checked at
 * commit.
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
  requireCredentials(tenant, caller, liveCredentials(caller, now, permissions), (found) => {
    if (caller.proof === 'signature') return new StaleRead('the credentials of the sender have changed');
    if (!areLive(found, caller, now)) {
      return ended();
    }
    return new Problem('forbidden', { detail: `The caller no longer has ${lacking(found, permissions)}.` });
  });
}

/**
 * Reads whether the caller's credentials are still live: one strongly consistent read, with the attempts that others
 * have.
 * @returns the problem with which the caller's next request is refused: `unauthorized`, or that of a table that cannot
 *   be read
 */
export async function refusalOfCaller(caller: Caller, session: RequestSession): Promise<Problem | undefined> {
  try {
    const found = await readCredentialsOf(Tenant.of(caller, session), caller.appCode);
    return areLive(found, caller, session.clock()) ? undefined : ended();
  } catch (error) {
    return problemOf(error);
  }
}

const ended = (): Problem => unauthorized('The integration is inactive, or its tokens were ended.');

const lacking = (found: Pick<Credentials, 'permissions'> | undefined, permissions: Permissions): string =>
  permissions === null
    ? 'all permissions'
    : permissions.filter((code) => !includeAll(found?.permissions ?? [], [code])).join(', ');
