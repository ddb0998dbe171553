import { Problem } from '../../shared/contract/problem.ts';
import { requirePower } from '../../shared/http/power.ts';
import type { Caller } from '../../shared/identity/caller.ts';
import type { Changes } from '../../shared/table/repository/changes.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import type { User } from './contract.ts';

/**
 * Superadmins are the platform's: a tenant must neither raise its own people above itself nor take over, rename or lock out those whom
 * the platform has raised. What a platform caller does to them takes a live key.
 */

const WRITE = 'users:write';

/**
 * Checks a user that is to be created, and stages what a superadmin takes of the caller.
 * @throws Problem `forbidden`
 */
export function checkNewUser(tenant: Tenant, caller: Caller, { is_superadmin }: Pick<User, 'is_superadmin'>): void {
  if (!is_superadmin) return;
  if (caller.orgId !== null) throw onlyThePlatform();
  requirePower(tenant, caller, WRITE);
}

/**
 * Checks what really changes of a user, and stages what a superadmin takes of the caller, who was one or is to be.
 * @throws Problem `forbidden`
 */
export function checkChange(tenant: Tenant, caller: Caller, user: User, changes: Changes<User>): void {
  const isRaisedOrLowered = changes.is_superadmin !== undefined;
  if (!isRaisedOrLowered && !user.is_superadmin) return;
  if (caller.orgId !== null) {
    throw isRaisedOrLowered
      ? onlyThePlatform()
      : new Problem('forbidden', { detail: 'Only a platform caller may change a superadmin.' });
  }
  requirePower(tenant, caller, WRITE);
}

const onlyThePlatform = (): Problem =>
  new Problem('forbidden', {
    detail: 'Only a platform caller may change who is a superadmin.',
    errors: [{ in: 'body', pointer: '#/is_superadmin', detail: 'may be changed by a platform caller only' }],
  });
