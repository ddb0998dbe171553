import { isDeepStrictEqual } from 'node:util';
import { type Item, ids, type Key, readPartition, schema, type UnitOfWork } from '@custodia/counted-lists';
import { type Entity, type Tenant, tenantPartition } from '#table';
import { MOVES } from '#table/storage';
import {
  accessItems,
  type Grant,
  organizationEntity,
  type SignIn,
  signInKey,
  type UserAccess,
  userAccessKey,
} from '#tenancy';
import type { Membership, Role, User } from '../../../functions/access/contract.ts';
import { membershipEntity, roleEntity, userEntity } from '../../../functions/access/store.ts';
import { accessByMemberships, grantsOf, membershipsOf, ofUser } from '../../../functions/access/user-access.ts';
import { identityProviderEntity } from '../../../functions/identity-providers/store.ts';
import { changed, type Look, NOTHING, type Verified, type VerifyContext, verifyUntilStable } from './difference.ts';
import { concurrently, readItem } from './reading.ts';
import { type Check, Sums } from './scan-records.ts';

/**
 * Verifies that what users may do follows from users, memberships and roles. A user that is older than access items
 * gets one. A repair leaves the count of ended tokens as it is.
 */
export class UserAccessCheck implements Check {
  readonly #scope: VerifyContext;
  readonly #tenant: Tenant;
  /** The permissions of each role, which never change. */
  readonly #roles: ReadonlyMap<string, Pick<Role, 'permissions'>>;
  /** What the items of users should have, less what they have. */
  readonly #sums = new Sums();

  constructor(scope: VerifyContext, tenant: Tenant, roles: ReadonlyMap<string, Pick<Role, 'permissions'>>) {
    this.#scope = scope;
    this.#tenant = tenant;
    this.#roles = roles;
  }

  /** Reads the roles. A membership with one that is made later is looked at again. */
  static async of(scope: VerifyContext, tenant: Tenant): Promise<UserAccessCheck> {
    const roles = new Map<string, Pick<Role, 'permissions'>>();
    for await (const { record } of tenant.records(roleEntity).all())
      roles.set(record.id, { permissions: record.permissions });
    return new UserAccessCheck(scope, tenant, roles);
  }

  visit({ name }: Entity, record: Item, number: number): void {
    if (name === userEntity.name) this.#sums.add(number, JSON.stringify(ofUser(record as unknown as User)), 1);
    if (name !== membershipEntity.name) return;
    const membership = record as unknown as Membership;
    for (const grant of grantsOf(membership, this.#roles.get(membership.role_id ?? '')))
      this.#sums.add(ids.numberOf(membership.user_id), nameOf(grant), 1);
  }

  async verify(): Promise<readonly Verified[]> {
    for await (const [id, { is_active, is_superadmin, name, grants }] of this.#items()) {
      this.#sums.add(ids.numberOf(id), JSON.stringify({ is_active, is_superadmin, name }), -1);
      for (const grant of grants) this.#sums.add(ids.numberOf(id), nameOf(grant), -1);
    }
    const suspected = new Set(this.#sums.differing());
    if (suspected.size === 0) return [];
    const found = new Set<string>();
    for await (const [id] of this.#items()) if (suspected.has(ids.numberOf(id))) found.add(id);
    const partition = tenantPartition(this.#scope.tenant, userEntity.name);
    for (const number of suspected) {
      const user = await readItem(this.#scope, { PK: partition, SK: ids.sortKeyOf(number) });
      if (schema.isRecord(user)) found.add(String(user.id));
    }
    return concurrently([...found], (id) =>
      verifyUntilStable(this.#scope, { entity: userEntity.name, id }, () => this.#look(id)),
    );
  }

  async *#items(): AsyncGenerator<readonly [id: string, access: UserAccess]> {
    const { PK, SK: ofOrganization } = signInKey(this.#scope.tenant);
    for await (const item of readPartition(this.#scope, PK))
      if (item.SK !== ofOrganization) yield [String(item.SK), item as unknown as UserAccess];
  }

  async #look(id: string): Promise<Look> {
    const key = userAccessKey(this.#scope.tenant, id);
    const users = this.#tenant.records(userEntity);
    const read = async () => [await readItem(this.#scope, key), await users.get(id)] as const;
    const [item, user] = await read();
    const memberships = user === undefined ? [] : await membershipsOf(this.#tenant, id);
    const right = user && (await accessByMemberships(this.#tenant, user.record, memberships));
    const [itemAfter, userAfter] = await read();
    if (!isDeepStrictEqual([item, stateOf(user?.item)], [itemAfter, stateOf(userAfter?.item)])) throw changed();
    const access = item as UserAccess | undefined;
    if (isDeepStrictEqual(access && contentOf(access), right && contentOf(right))) return NOTHING;
    return {
      found: [['user-access', textOf(access, right)]],
      repair: (work) => {
        const stored = [...(user === undefined ? [] : [user]), ...memberships.slice(0, MOST)];
        for (const each of stored) {
          const condition = { equals: stateOf(each.item) };
          work.update(schema.keyIn(each.item), { condition, onConditionFailed: changed });
        }
        stageRepair(work, key, access, access && right ? contentOf(right) : right);
      },
    };
  }
}

/** Most memberships on whose state a repair depends: a transaction holds a hundred items. */
const MOST = 90;

/** By which it is seen that a user or a membership is as it was, and that the user has the same memberships. */
const stateOf = (item: Item = {}): Item => ({
  id: item.id,
  [schema.VERSION]: item[schema.VERSION],
  [MOVES]: item[MOVES],
});

const contentOf = ({ is_active, is_superadmin, name, grants }: UserAccess) => ({
  ...{ is_active, is_superadmin, name },
  grants: [...grants].sort((one, other) => (one.membership_id < other.membership_id ? -1 : 1)),
});

const nameOf = ({ membership_id, permissions, client_id }: Grant): string =>
  JSON.stringify([membership_id, permissions, client_id]);

function textOf(access: UserAccess | undefined, right: UserAccess | undefined): string {
  if (right === undefined) return 'is gone, and may still do something';
  if (access === undefined) return 'has no item of what it may do';
  const [is, be] = [contentOf(access), contentOf(right)];
  const wrong = Object.entries(be).filter(([name, value]) => !isDeepStrictEqual(value, is[name as keyof typeof is]));
  return `may do something else than its memberships give: ${wrong.map(([name]) => name).join(', ')}`;
}

/** @param right undefined: there must be none */
function stageRepair(
  work: UnitOfWork,
  key: Key,
  item: { readonly version: number } | undefined,
  right: object | undefined,
): void {
  const condition = item === undefined ? { exists: false } : { exists: true, equals: { version: item.version } };
  if (right === undefined) work.delete(key, condition, changed);
  else if (item === undefined) work.put({ version: 1, ...right, ...key }, changed);
  else {
    const { PK: _, SK: __, ...set } = { ...right, version: item.version + 1 } as Item;
    work.update(key, { set, condition, onConditionFailed: changed });
  }
}

/** Verifies the sign-in item of an organization, and that it is found by its slug while its users are let in. */
export async function verifySignIn(scope: VerifyContext, tenant: Tenant): Promise<Verified[]> {
  if (tenant.orgId === null) return [];
  return verifyUntilStable(scope, { entity: organizationEntity.name, id: tenant.id }, () =>
    lookAtSignIn(scope, tenant),
  );
}

async function lookAtSignIn(scope: VerifyContext, tenant: Tenant): Promise<Look> {
  const organization = await tenant.records(organizationEntity).get(tenant.id);
  const key = signInKey(tenant.id);
  const item = (await readItem(scope, key)) as SignIn | undefined;
  if (organization === undefined) return NOTHING;
  const { membership_access = false, slug } = organization.record;
  const name = membership_access ? slug : null;
  const active: string[] = [];
  for await (const { record } of tenant.records(identityProviderEntity).all())
    if (record.status === 'active') active.push(record.id);
  const right = { membership_access, slug: name, providers: active.sort() };
  const is = {
    membership_access: item?.membership_access ?? false,
    slug: item?.slug ?? null,
    providers: [...(item?.providers ?? [])].sort(),
  };
  const nameKey = name === null ? undefined : accessItems.signInNameKey(name);
  const pointer = nameKey && (await readItem(scope, nameKey));
  const isFound = nameKey === undefined || pointer?.tenant === tenant.id;
  if (isDeepStrictEqual(is, right) && isFound) return NOTHING;
  const what = isFound
    ? 'lets its users in otherwise than it says'
    : 'is not found by the slug by which its users sign in';
  return {
    found: [['user-access', what]],
    repair: (work) => {
      const equals = { [schema.VERSION]: organization.version };
      work.update(schema.keyIn(organization.item), { condition: { equals }, onConditionFailed: changed });
      stageRepair(work, key, item, { ...item, ...right });
      if (nameKey !== undefined && !isFound) work.put({ ...nameKey, tenant: tenant.id }, changed);
    },
  };
}
