import { Problem, pointer } from '#contract';
import { noSuchRecord, requireLivePermissions } from '#http';
import type { Caller } from '#identity';
import type { Tenant } from '#table';
import { catalogue } from './catalogue.static.ts';
import type { Membership, Role } from './contract.ts';
import { roleEntity, userEntity } from './store.ts';

/**
 * System roles, and memberships that carry privileges for the systems that show them (`docs/decisions/0034`). Only
 * platform callers give and end system roles, and change the memberships of superadmins. Where a role has permissions,
 * or one of these is affected, the caller's credentials must be live at commit.
 *
 * Roles never change, and a user that becomes a superadmin meanwhile might as well have become it after this change. So
 * these reads need no condition.
 */

type Links = Pick<Membership, 'user_id' | 'role_id'>;

/**
 * Checks that a caller may give or change a membership: its references exist, and only the platform may change some.
 * Stages the condition on the caller's credentials where it carries privileges.
 * @param before undefined for a new membership
 * @throws Problem `reference-not-found` or `forbidden`
 */
export async function checkMembership(
  tenant: Tenant,
  caller: Caller,
  before: Links | undefined,
  after: Links,
): Promise<void> {
  const [user, role, earlierRole] = await Promise.all([
    tenant.records(userEntity).get(after.user_id),
    roleOf(tenant, after.role_id),
    before?.role_id === after.role_id ? undefined : roleOf(tenant, before?.role_id ?? null),
  ]);
  if (user === undefined) throw noSuchRecord('user_id')();
  const ofSuperadmin = user.record.is_superadmin;
  if (caller.orgId !== null) {
    if (role?.is_system && before?.role_id !== after.role_id) throw systemRole();
    if (role?.is_system || earlierRole?.is_system) throw platformOnly('a membership with a system role');
    if (before !== undefined && ofSuperadmin) throw platformOnly('a membership of a superadmin');
  }
  if (ofSuperadmin || isPrivileged(role) || isPrivileged(earlierRole))
    requireLivePermissions(tenant, caller, 'memberships:write');
}

/** @throws Problem `reference-not-found` */
async function roleOf(tenant: Tenant, id: string | null): Promise<Role | undefined> {
  if (id === null) return undefined;
  const stored = await tenant.records(roleEntity).get(id);
  if (stored === undefined) throw noSuchRecord('role_id')();
  return stored.record;
}

/** Whether a role has permissions or is a system role: then its creation was a privileged operation, too. */
const isPrivileged = (role: Role | undefined): boolean =>
  role !== undefined && (role.is_system || role.permissions !== null);

const systemRole = (): Problem =>
  new Problem('forbidden', {
    detail: 'Only a platform caller may give a system role.',
    errors: [{ in: 'body', pointer: '#/role_id', detail: 'names a system role, which a platform caller gives' }],
  });

const platformOnly = (what: string): Problem =>
  new Problem('forbidden', { detail: `Only a platform caller may change ${what}.` });

/**
 * Only platform callers create system roles: a tenant must not present its own roles as the service's.
 * @throws Problem `forbidden`
 */
export function checkSystemRole(caller: Caller, isSystem: boolean): void {
  if (caller.orgId === null || !isSystem) return;
  throw new Problem('forbidden', {
    detail: 'Only a platform caller may make a system role.',
    errors: [{ in: 'body', pointer: '#/is_system', detail: 'may be set by a platform caller only' }],
  });
}

const known: ReadonlySet<string> = new Set(catalogue.map(({ code }) => code));

/**
 * Checks the field `permissions` of a body.
 * @throws Problem `invalid-body` that points at each unknown code
 */
export function requireKnown(codes: readonly string[] | null): void {
  const errors = (codes ?? []).flatMap((code, index) =>
    known.has(code)
      ? []
      : [
          {
            in: 'body' as const,
            pointer: pointer(['permissions', index]),
            detail: 'is not a permission: GET /api/v1/permissions lists them',
          },
        ],
  );
  if (errors.length > 0) throw new Problem('invalid-body', { errors });
}
