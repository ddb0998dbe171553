import { Problem, WHOLE_LIST } from '#contract';
import { changesOf, type Stored, type Tenant } from '#table';
import { accessItems, type Grant, type UserAccess } from '#tenancy';
import type { Membership, Role, User } from './contract.ts';
import { membershipEntity, roleEntity } from './store.ts';

/**
 * The access item of a user follows from the user, its memberships and their roles. It changes in the transaction that
 * changes one of these, on condition that it is as read: of two concurrent changes the second one runs again.
 */

/** How many grants, clients and characters of distinct permission lists the authorizer's response has room for. */
const MOST = { grants: 20, clients: 10, characters: 8_000 } as const;

/** The access item as read, or as it follows from the records of a user that has none yet. */
export interface AccessAsRead {
  readonly access: UserAccess;
  readonly isStored: boolean;
}

/** Begins to read the access item of a user, beside what else is read. */
export function beginReading(tenant: Tenant, userId: string): ReturnType<typeof accessItems.ofUser> {
  const reading = accessItems.ofUser(tenant, userId);
  reading.catch(() => undefined);
  return reading;
}

/** The access item of a user; of one that is older than such items, as it follows from its records. */
export async function accessOf(
  tenant: Tenant,
  user: User,
  reading: Promise<UserAccess | undefined> = accessItems.ofUser(tenant, user.id),
): Promise<AccessAsRead> {
  const access = await reading;
  return access === undefined
    ? { access: await accessByMemberships(tenant, user, await membershipsOf(tenant, user.id)), isStored: false }
    : { access, isStored: true };
}

/** What the item says of the user itself. */
export const ofUser = ({ is_active, is_superadmin, name, email }: User) => ({
  is_active,
  is_superadmin,
  name: name ?? email,
});

/** What a membership grants: nothing unless it is active, with a role that has permissions. */
export const grantsOf = (
  { id, status, client_id }: Pick<Membership, 'id' | 'status' | 'client_id'>,
  role: Pick<Role, 'permissions'> | undefined,
): readonly Grant[] =>
  status === 'active' && role?.permissions?.length
    ? [{ membership_id: id, permissions: role.permissions, client_id }]
    : [];

/** All memberships of a user, the oldest first. */
export async function membershipsOf(tenant: Tenant, userId: string): Promise<readonly Stored<Membership>[]> {
  const query = { limit: WHOLE_LIST, where: [{ field: 'user_id', anyOf: [userId] }] };
  const all: Stored<Membership>[] = [];
  for (let after: string | undefined; ; ) {
    const { records, next } = await tenant.records(membershipEntity).cursorPage({ ...query, after });
    all.push(...records);
    if (next === undefined) return all;
    after = next;
  }
}

/** The roles with these ids, each read once, by id. */
export async function rolesOf(tenant: Tenant, ids: readonly (string | null)[]): Promise<ReadonlyMap<string, Role>> {
  const named = new Set(ids.filter((id) => id !== null));
  const found = await Promise.all(Array.from(named, (id) => tenant.records(roleEntity).get(id)));
  return new Map(found.flatMap((role) => (role === undefined ? [] : [[role.record.id, role.record]])));
}

/**
 * What the item of a user has to be by its memberships: of more grants than there may be, the oldest that fit. Its
 * counts are higher than those of any earlier item of the user, so that no token of then is valid.
 */
export async function accessByMemberships(
  tenant: Tenant,
  user: User,
  records: readonly Stored<Membership>[],
): Promise<UserAccess> {
  const ids = records.map(({ record }) => record.role_id);
  const roles = await rolesOf(tenant, ids);
  const grants: Grant[] = [];
  for (const { record } of records)
    for (const grant of grantsOf(record, roles.get(record.role_id ?? '')))
      if (excessOf([...grants, grant]) === undefined) grants.push(grant);
  const count = Math.floor(tenant.session.now / 1000);
  return { version: count, epoch: count, ...ofUser(user), grants };
}

/** Stages the access item of a new user. */
export const stageNewAccess = (tenant: Tenant, user: User): void =>
  accessItems.stageOfUser(tenant, user.id, undefined, { version: 1, epoch: 0, ...ofUser(user), grants: [] });

/** Stages what a change of a user changes in its access item. Where it becomes inactive, its tokens end. */
export function stageChangedUser(tenant: Tenant, read: AccessAsRead, user: User): void {
  const endsTokens = read.access.is_active && !user.is_active;
  stageAccess(tenant, user.id, read, { ...ofUser(user), epoch: read.access.epoch + Number(endsTokens) });
}

/**
 * Stages what a membership grants from now on.
 * @throws Problem `conflict` where the user has as many grants as it may have
 */
export function stageGrants(
  tenant: Tenant,
  { user, role, read }: { readonly user: User; readonly role: Role | undefined; readonly read: AccessAsRead },
  membership: Membership,
): void {
  const granted = grantsOf(membership, role);
  const at = read.access.grants.findIndex(({ membership_id }) => membership_id === membership.id);
  const after = at < 0 ? [...read.access.grants, ...granted] : read.access.grants.toSpliced(at, 1, ...granted);
  const excess = granted.length > 0 ? excessOf(after) : undefined;
  if (excess !== undefined) throw new Problem('conflict', { detail: `${excess} Set another one inactive first.` });
  stageAccess(tenant, user.id, read, { grants: after });
}

/** Stages a change of an access item as read, where it changes anything. */
export function stageAccess(tenant: Tenant, userId: string, read: AccessAsRead, change: Partial<UserAccess>): void {
  const changes = changesOf(read.access, change);
  if (changes !== undefined) stageNextVersion(tenant, userId, read, changes);
}

/** Stages the next version of an access item as read, also where nothing of it changes. */
export const stageNextVersion = (
  tenant: Tenant,
  userId: string,
  { access, isStored }: AccessAsRead,
  changes: Partial<UserAccess> = {},
): void =>
  isStored
    ? accessItems.stageOfUser(tenant, userId, access, changes)
    : accessItems.stageOfUser(tenant, userId, undefined, { ...access, ...changes });

/** What there is too much of among grants. */
function excessOf(grants: readonly Grant[]): string | undefined {
  if (grants.length > MOST.grants)
    return `The user has ${MOST.grants} active memberships with permissions, as many as there may be.`;
  if (new Set(grants.flatMap(({ client_id }) => client_id ?? [])).size > MOST.clients)
    return `The user has active memberships in ${MOST.clients} clients, as many as there may be.`;
  const lists = new Set(grants.map(({ permissions }) => permissions.join(' ')));
  const characters = [...lists].join('').length;
  return characters > MOST.characters
    ? `The roles of the user's active memberships have ${characters} characters of permissions together, where ` +
        `${MOST.characters} fit.`
    : undefined;
}
