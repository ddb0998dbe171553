import type { Item } from '@custodia/counted-lists';
import { Problem, WHOLE_LIST } from '#contract';
import {
  changeListOf,
  checkReach,
  noRecord,
  type Operations,
  organizationOf,
  pagesOf,
  requireLivePermissions,
  respond,
  upsertOf,
} from '#http';
import { mayDo } from '#identity';
import { changesOf, StaleRead } from '#table';
import { accessItems } from '#tenancy';
import { type Identity, user } from '../access/contract.ts';
import { identitiesOf, requireKnownWith } from '../access/identities.ts';
import { checkMembership } from '../access/privileges.ts';
import { identityEntity, MEMBERSHIPS, membershipEntity, userEntity } from '../access/store.ts';
import {
  accessOf,
  beginReading,
  membershipsOf,
  stageAccess,
  stageChangedUser,
  stageGrants,
  stageNewAccess,
} from '../access/user-access.ts';
import { requireClient } from '../clients/references.ts';
import { showAccess } from './access.ts';
import type { users } from './contract.ts';
import { showIdentity, stageIdentity, stageUnlinking } from './identities.ts';
import { usersInRoles } from './in-roles.ts';
import { offboard } from './offboard.ts';
import { checkChange, checkNewUser, checkSignIn } from './superadmin.ts';

const pages = pagesOf(userEntity);

const locationOf = ({ user_id, id }: Identity): string => `/api/v1/users/${user_id}/identities/${id}`;

const listUsers = async (input: Parameters<typeof pages>[0]): ReturnType<typeof pages> => {
  const inRoles = await usersInRoles(input, input.query.where);
  if (inRoles === undefined) return pages(input);
  const page = await pages({ ...input, query: { ...input.query, where: inRoles.where } });
  return { ...page, residualUnits: inRoles.units + (page.residualUnits ?? 0) };
};

export const userOperations: Operations<typeof users> = {
  listUsers: Object.assign(listUsers, { filters: pages.filters }),

  createUser: async ({ body, tenant, caller, session }) => {
    checkNewUser(tenant, caller, body);
    const created = await tenant
      .records(userEntity)
      .create({ fields: { ...body, created_at: session.timestamp, last_login: null } });
    stageNewAccess(tenant, created.record);
    return respond.record(created);
  },

  upsertUser: upsertOf({
    ...{ by: 'external_id', entity: userEntity, record: user },
    write: () => [userOperations.createUser, userOperations.updateUser],
  }),

  getUser: async ({ params, tenant, getOrThrow }) =>
    respond.record(await getOrThrow(tenant.records(userEntity), params.id)),

  listUserChanges: changeListOf(userEntity),

  updateUser: async ({ params, body, tenant, caller, getOrThrow }) => {
    const records = tenant.records(userEntity);
    const reading = beginReading(tenant, params.id);
    const before = await getOrThrow(records, params.id);
    const changes = changesOf(before.record, body);
    if (changes === undefined) return respond.record(before);
    await checkChange(tenant, caller, before.record, changes);
    const after = await records.update(before, changes);
    const read = await accessOf(tenant, before.record, reading);
    if (changes.is_superadmin) await requireKnownWith(tenant, after.record, null);
    stageChangedUser(tenant, read, after.record);
    return respond.record(after);
  },

  deleteUser: async ({ params, tenant, caller, getOrThrow }) => {
    const records = tenant.records(userEntity);
    const reading = beginReading(tenant, params.id);
    const before = await getOrThrow(records, params.id);
    await checkChange(tenant, caller, before.record, {});
    const access = await reading;
    const { [MEMBERSHIPS]: count } = before.item;
    if (count) throw isMember(before.item);
    for (const identity of await identitiesOf(tenant, params.id)) await tenant.records(identityEntity).remove(identity);
    accessItems.stageOfUser(tenant, params.id, access, undefined);
    await records.remove(before, { requires: { equals: { [MEMBERSHIPS]: count }, onConditionFailed: isMember } });
    return respond.empty;
  },

  listUserIdentities: async ({ params, tenant, getOrThrow }) => {
    const [records] = await Promise.all([
      identitiesOf(tenant, params.id),
      getOrThrow(tenant.records(userEntity), params.id),
    ]);
    return respond.cursorPage({ records, next: undefined }, showIdentity);
  },

  linkIdentity: async ({ params, body, tenant, caller, getOrThrow }) => {
    const { record: user } = await getOrThrow(tenant.records(userEntity), params.id);
    const read = await accessOf(tenant, user);
    await checkSignIn(tenant, caller, user);
    if (user.is_superadmin) checkReach(caller, { permissions: null }, 'user');
    const known_with = caller.permissions && [...caller.permissions].toSorted();
    requireLivePermissions(tenant, caller, 'users:write', known_with);
    const fields = { ...body, linked_by: 'administrator', email: null, known_with } as const;
    const created = await stageIdentity(tenant, user, read, fields);
    return { ...respond.record(created, showIdentity), headers: { Location: locationOf(created.record) } };
  },

  unlinkIdentity: async ({ params, tenant, caller, getOrThrow }) => {
    const records = tenant.records(identityEntity);
    const [user, identity] = await Promise.all([
      getOrThrow(tenant.records(userEntity), params.id),
      records.get(params.identity_id),
    ]);
    if (identity?.record.user_id !== params.id) throw noRecord(identityEntity);
    const read = await accessOf(tenant, user.record);
    await checkSignIn(tenant, caller, user.record);
    await stageUnlinking(tenant, identity, read);
    return respond.empty;
  },

  getUserAccess: async ({ params, tenant, caller, getOrThrow }) => {
    if (!mayDo(caller, 'memberships:read'))
      throw new Problem('forbidden', { detail: 'This needs the permission memberships:read, too.' });
    const [{ record: user }, memberships, organization] = await Promise.all([
      getOrThrow(tenant.records(userEntity), params.id),
      membershipsOf(tenant, params.id),
      accessItems.ofOrganization(tenant),
    ]);
    const { access } = await accessOf(tenant, user);
    return { body: showAccess(user.id, access, memberships, organization?.membership_access ?? false) };
  },

  revokeUserTokens: async ({ params, tenant, caller, getOrThrow }) => {
    const user = await getOrThrow(tenant.records(userEntity), params.id);
    const [read] = await Promise.all([
      accessOf(tenant, user.record),
      checkSignIn(tenant, caller, user.record),
      tenant.auditLog('User').changed(params.id, ['tokens']),
    ]);
    stageAccess(tenant, params.id, read, { epoch: read.access.epoch + 1 });
    return respond.record(user);
  },

  offboardUser: async ({ params, tenant, caller, getOrThrow }) =>
    offboard({ tenant, caller }, await getOrThrow(tenant.records(userEntity), params.id)),

  listUserMemberships: async ({ params, query, tenant, getOrThrow }) => {
    const [page] = await Promise.all([
      tenant
        .records(membershipEntity)
        .cursorPage({ limit: WHOLE_LIST, after: query.after, where: [{ field: 'user_id', anyOf: [params.id] }] }),
      getOrThrow(tenant.records(userEntity), params.id),
    ]);
    return respond.cursorPage(page);
  },

  createMembership: async ({ body, tenant, caller, session }) => {
    const org_id = organizationOf(tenant);
    if (body.client_id !== null) requireClient(tenant, body.client_id);
    const checking = checkMembership(tenant, caller, undefined, body);
    checking.catch(() => undefined);
    const created = await tenant
      .records(membershipEntity)
      .create({ fields: { ...body, org_id, created_at: session.timestamp } });
    stageGrants(tenant, await checking, created.record);
    // Memberships are created and read under different paths, so the pipeline cannot derive `Location` from this
    // contract.
    return { ...respond.record(created), headers: { Location: `/api/v1/memberships/${created.record.id}` } };
  },
};

/** The error for a user that is a member: its memberships are counted in the transactions that add and remove them. */
function isMember({ [MEMBERSHIPS]: count = 0 }: Item): Error {
  if (count === 0) return new StaleRead('a membership has come and gone');
  const detail = count === 1 ? 'The user has a membership.' : `The user has ${count} memberships.`;
  return new Problem('still-in-use', { detail: `${detail} Delete the memberships first.` });
}
