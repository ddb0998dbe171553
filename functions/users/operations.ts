import type { Item } from '@custodia/counted-lists';
import { Problem, WHOLE_LIST } from '#contract';
import { changeListOf, type Operations, organizationOf, pagesOf, respond, upsertOf } from '#http';
import { changesOf, StaleRead, type Tenant } from '#table';
import { accessItems } from '#tenancy';
import { user } from '../access/contract.ts';
import { checkMembership } from '../access/privileges.ts';
import { MEMBERSHIPS, membershipEntity, userEntity } from '../access/store.ts';
import { accessOf, stageChangedUser, stageGrants, stageNewAccess } from '../access/user-access.ts';
import { requireClient } from '../clients/references.ts';
import type { users } from './contract.ts';
import { usersInRoles } from './in-roles.ts';
import { checkChange, checkNewUser } from './superadmin.ts';

const pages = pagesOf(userEntity);

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
    stageChangedUser(tenant, await accessOf(tenant, before.record, reading), after.record);
    return respond.record(after);
  },

  deleteUser: async ({ params, tenant, caller, getOrThrow }) => {
    const records = tenant.records(userEntity);
    const reading = beginReading(tenant, params.id);
    const before = await getOrThrow(records, params.id);
    await checkChange(tenant, caller, before.record, {});
    const { [MEMBERSHIPS]: count } = before.item;
    if (count) throw isMember(before.item);
    accessItems.stageOfUser(tenant, params.id, await reading, undefined);
    await records.remove(before, { requires: { equals: { [MEMBERSHIPS]: count }, onConditionFailed: isMember } });
    return respond.empty;
  },

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

/** Begins to read the access item of a user, beside the user itself. */
function beginReading(tenant: Tenant, id: string): ReturnType<typeof accessItems.ofUser> {
  const reading = accessItems.ofUser(tenant, id);
  reading.catch(() => undefined);
  return reading;
}

/** The error for a user that is a member: its memberships are counted in the transactions that add and remove them. */
function isMember({ [MEMBERSHIPS]: count = 0 }: Item): Error {
  if (count === 0) return new StaleRead('a membership has come and gone');
  const detail = count === 1 ? 'The user has a membership.' : `The user has ${count} memberships.`;
  return new Problem('still-in-use', { detail: `${detail} Delete the memberships first.` });
}
