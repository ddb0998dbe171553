import { listErrors } from '@custodia/counted-lists';
import { Problem, pointer } from '#contract';
import { checkGrant, checkReach, noSuchRecord, requireLivePermissions } from '#http';
import type { Caller, Permissions } from '#identity';
import type { Tenant } from '#table';
import { codes } from './codes.static.ts';
import type { Membership, Role, User } from './contract.ts';
import { requireKnownWith } from './identities.ts';
import { membershipEntity, roleEntity, userEntity } from './store.ts';
import { type AccessAsRead, accessOf, beginReading, rolesOf } from './user-access.ts';

/**
 * System roles, and memberships that carry privileges for the systems that show them (`docs/decisions/0034`). Only
 * platform callers give and end system roles, and change the memberships of superadmins. Who makes a role, or gives or
 * changes a membership, has all permissions that it carries. Where a role has permissions, or one of these is affected,
 * the caller's credentials must be live at commit, with these permissions.
 *
 * Roles never change, and a user that becomes a superadmin meanwhile might as well have become it after this change. So
 * these reads need no condition.
 */

type Links = Pick<Membership, 'user_id' | 'role_id' | 'status'>;

/** What a membership refers to, with the access item of its user. */
interface Referred {
  readonly user: User;
  /** The role after the change. */
  readonly role: Role | undefined;
  readonly read: AccessAsRead;
}

/**
 * Checks that a caller may give or change a membership: its references exist, and only the platform may change some.
 * Stages the condition on the caller's credentials where it carries privileges.
 * @param before undefined for a new membership
 * @returns what the grants of its user follow from
 * @throws Problem `reference-not-found`, `forbidden`, or `conflict` as {@link requireKnownWith}
 */
export async function checkMembership(
  tenant: Tenant,
  caller: Caller,
  before: Links | undefined,
  after: Links,
): Promise<Referred> {
  const reading = beginReading(tenant, after.user_id);
  const [user, role, earlierRole] = await Promise.all([
    tenant.records(userEntity).get(after.user_id),
    roleOf(tenant, after.role_id),
    before?.role_id === after.role_id ? undefined : roleOf(tenant, before?.role_id ?? null),
  ]);
  if (user === undefined) throw noSuchRecord('user_id')();
  const { is_superadmin } = user.record;
  const isGiven = before?.role_id !== after.role_id;
  const isOfSuperadmin = before !== undefined && is_superadmin;
  if (caller.orgId !== null) checkPlatformsOwn({ role, earlierRole }, { isGiven, isOfSuperadmin });
  checkReach(caller, carriedBy(role), 'role', isGiven ? '#/role_id' : undefined);
  checkReach(caller, carriedBy(earlierRole), 'role');
  if (is_superadmin || isPrivileged(role) || isPrivileged(earlierRole)) {
    const carried = [role, earlierRole].map((each) => carriedBy(each).permissions);
    requireLivePermissions(tenant, caller, 'memberships:write', ...carried);
  }
  const read = await accessOf(tenant, user.record, reading);
  const { permissions } = carriedBy(role);
  const isNew = before?.status !== 'active' || isGiven;
  if (isNew && after.status === 'active' && permissions.length > 0)
    await requireKnownWith(tenant, user.record, permissions);
  return { user: user.record, role, read };
}

/** @throws Problem `forbidden` where a change is the platform's alone */
function checkPlatformsOwn(
  { role, earlierRole }: Readonly<Record<'role' | 'earlierRole', Role | undefined>>,
  { isGiven, isOfSuperadmin }: Readonly<Record<'isGiven' | 'isOfSuperadmin', boolean>>,
): void {
  if (role?.is_system && isGiven) throw systemRole();
  if (role?.is_system || earlierRole?.is_system) throw platformOnly('a membership with a system role');
  if (isOfSuperadmin) throw platformOnly('a membership of a superadmin');
}

/** What a role permits: where it names no permissions, it grants none, unlike an integration. */
const carriedBy = (role: Pick<Role, 'permissions'> | undefined) => ({ permissions: role?.permissions ?? [] });

/**
 * Checks that a caller may make a role, and stages the condition on its credentials where the role carries privileges.
 * @throws Problem `forbidden`, or `invalid-body` that points at each unknown code
 */
export function checkNewRole(tenant: Tenant, caller: Caller, role: Pick<Role, 'is_system' | 'permissions'>): void {
  checkSystemRole(caller, role.is_system);
  requireKnown(role.permissions);
  const { permissions } = carriedBy(role);
  checkGrant(caller, permissions);
  if (role.is_system || role.permissions !== null) requireLivePermissions(tenant, caller, 'roles:write', permissions);
}

/** The permissions of a user in more roles than these are not looked up: it is taken to have all. */
const MOST_ROLES = 20;

/**
 * The permissions of all roles in which a user is or was: who changes its address, or whether it is active, has to have
 * them. Those that somebody gives meanwhile are given to the user as it is then.
 */
export async function permissionsOfUser(tenant: Tenant, id: string): Promise<Permissions> {
  const memberships = await tenant
    .records(membershipEntity)
    .matching([{ field: 'user_id', anyOf: [id] }], 'role_id')
    .catch((error: unknown) => {
      if (error instanceof listErrors.TooManyMatches) return undefined;
      throw error;
    });
  const ids = new Set(memberships?.items.flatMap(({ role_id }) => (role_id === null ? [] : String(role_id))));
  if (memberships === undefined || ids.size > MOST_ROLES) return null;
  const roles = await rolesOf(tenant, [...ids]);
  return [...new Set([...roles.values()].flatMap((role) => carriedBy(role).permissions))];
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
function checkSystemRole(caller: Caller, isSystem: boolean): void {
  if (caller.orgId === null || !isSystem) return;
  throw new Problem('forbidden', {
    detail: 'Only a platform caller may make a system role.',
    errors: [{ in: 'body', pointer: '#/is_system', detail: 'may be set by a platform caller only' }],
  });
}

const known: ReadonlySet<string> = new Set(codes);

/**
 * Checks the field `permissions` of a body.
 * @throws Problem `invalid-body` that points at each unknown code
 */
export function requireKnown(codes: readonly string[] | null): void {
  const detail = 'is not a permission: GET /api/v1/permissions lists them';
  const errors = (codes ?? []).flatMap((code, index) =>
    known.has(code) ? [] : [{ in: 'body' as const, pointer: pointer(['permissions', index]), detail }],
  );
  if (errors.length > 0) throw new Problem('invalid-body', { errors });
}
