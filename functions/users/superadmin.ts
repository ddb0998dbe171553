import type { Caller } from '../../shared/auth/caller.ts';
import { Problem } from '../../shared/contract/problem.ts';
import type { Changes } from '../../shared/table/changes.ts';
import type { User } from './contract.ts';

/**
 * Superadmins are the platform's: a tenant must neither raise its own people above itself nor take over, rename or lock out those whom
 * the platform has raised.
 */

/**
 * Checks a user that is to be created.
 * @throws Problem `forbidden`
 */
export function checkNewUser(caller: Caller, { is_superadmin }: Pick<User, 'is_superadmin'>): void {
  if (caller.orgId !== null && is_superadmin) throw onlyThePlatform();
}

/**
 * Checks what really changes of a user.
 * @throws Problem `forbidden`
 */
export function checkChange(caller: Caller, user: User, changes: Changes<User>): void {
  if (caller.orgId === null) return;
  if (changes.is_superadmin !== undefined) throw onlyThePlatform();
  if (user.is_superadmin) {
    throw new Problem('forbidden', { detail: 'Only a platform caller may change a superadmin.' });
  }
}

const onlyThePlatform = (): Problem =>
  new Problem('forbidden', {
    detail: 'Only a platform caller may change who is a superadmin.',
    errors: [{ in: 'body', pointer: '#/is_superadmin', detail: 'may be changed by a platform caller only' }],
  });
