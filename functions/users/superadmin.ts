import { Problem } from '#contract';
import { checkReach, requireLivePermissions } from '#http';
import type { Caller } from '#identity';
import type { Tenant } from '#table';
import type { User } from '../access/contract.ts';
import { permissionsOfUser } from '../access/privileges.ts';

/**
 * Only platform callers create and change superadmins: a tenant must neither make its own users superadmins nor take
 * over, rename or lock out those of the platform. Likewise, who changes the address of a user, or whether it is active,
 * has all permissions of that user's roles. The caller's credentials must be live at commit.
 */

const WRITE = 'users:write';

/**
 * Checks a new user, and for a superadmin stages the condition on the caller's credentials.
 * @throws Problem `forbidden`
 */
export function checkNewUser(tenant: Tenant, caller: Caller, { is_superadmin }: Pick<User, 'is_superadmin'>): void {
  if (!is_superadmin) return;
  if (caller.orgId !== null) throw platformOnly();
  requireLivePermissions(tenant, caller, WRITE);
}

/**
 * Checks the effective changes of a user, and for a present or future superadmin, or one with permissions, stages the
 * condition on the caller's credentials.
 * @throws Problem `forbidden`
 */
export async function checkChange(tenant: Tenant, caller: Caller, user: User, changes: Partial<User>): Promise<void> {
  const changesPower = changes.email !== undefined || changes.is_active !== undefined;
  const permissions = changesPower ? await permissionsOfUser(tenant, user.id) : [];
  checkReach(caller, { permissions }, 'user');
  if (permissions === null || permissions.length > 0) requireLivePermissions(tenant, caller, WRITE, permissions);
  const changesRole = changes.is_superadmin !== undefined;
  if (!changesRole && !user.is_superadmin) return;
  if (caller.orgId !== null) {
    throw changesRole
      ? platformOnly()
      : new Problem('forbidden', { detail: 'Only a platform caller may change a superadmin.' });
  }
  requireLivePermissions(tenant, caller, WRITE);
}

/**
 * Checks that a caller may do what ends or gives the sign-in of a user: as who changes whether it is active. The caller
 * must be live at commit.
 * @throws Problem `forbidden`
 */
export async function checkSignIn(tenant: Tenant, caller: Caller, user: User): Promise<void> {
  await checkChange(tenant, caller, user, { is_active: user.is_active });
  requireLivePermissions(tenant, caller, WRITE);
}

const platformOnly = (): Problem =>
  new Problem('forbidden', {
    detail: 'Only a platform caller may change who is a superadmin.',
    errors: [{ in: 'body', pointer: '#/is_superadmin', detail: 'may be changed by a platform caller only' }],
  });
