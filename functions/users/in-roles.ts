import { listErrors } from '@custodia/counted-lists';
import { Problem } from '#contract';
import { type Caller, mayDo } from '#identity';
import type { PageQuery, Tenant } from '#table';
import { isUuid } from '../../shared/well-formed.ts';
import { membershipEntity, roleEntity } from '../access/store.ts';

/** `GET /users?role=`: users by the roles of their active memberships (`docs/decisions/0034-users-and-access.md`). */

type Conditions = NonNullable<PageQuery['where']>;

/**
 * The conditions with the users who are in a role, in place of roles by their ids or codes.
 * @returns these, and the read units that it took; undefined where no role is asked for
 * @throws Problem `forbidden`, `too-many-matches`
 */
export async function usersInRoles(
  { tenant, caller }: { readonly tenant: Tenant; readonly caller: Caller },
  where: Conditions,
): Promise<{ readonly where: Conditions; readonly units: number } | undefined> {
  const asked = where.find((each) => 'anyOf' in each && each.field === 'role');
  if (asked === undefined || !('anyOf' in asked)) return undefined;
  const named = asked.anyOf.map(String);
  requireFor(caller, 'memberships:read');
  if (!named.every(isUuid)) requireFor(caller, 'roles:read');
  const roles = await Promise.all(named.map((role) => idOf(tenant, role)));
  const memberships = [
    { field: 'role_id', anyOf: roles.filter((id) => id !== undefined) },
    { field: 'status', anyOf: ['active'] },
  ];
  const { items, units } = await tenant.records(membershipEntity).matching(memberships, 'user_id').catch(refused);
  const ids = new Set(items.map(({ user_id }) => String(user_id)));
  return { where: [...where.filter((each) => each !== asked), { field: 'role', ids }], units };
}

/** The id of a role, or of the one with this code. */
const idOf = async (tenant: Tenant, role: string): Promise<string | undefined> =>
  isUuid(role) ? role.toLowerCase() : tenant.records(roleEntity).idOf('code', role);

/** A filter reveals what it compares. */
function requireFor(caller: Caller, permission: 'memberships:read' | 'roles:read'): void {
  if (mayDo(caller, permission)) return;
  const detail = `needs the permission ${permission}`;
  throw new Problem('forbidden', {
    detail: `The filter ${detail}.`,
    errors: [{ in: 'query', pointer: '#/role', detail }],
  });
}

function refused(error: unknown): never {
  if (!(error instanceof listErrors.TooManyMatches)) throw error;
  throw new Problem('too-many-matches', {
    detail: 'The organization has too many memberships to find those with a role. `GET /memberships` lists them.',
    errors: [{ in: 'query', pointer: '#/role', detail: 'works only where few memberships are left to read' }],
    cause: error,
  });
}
