import { type Operations, pagesOf, requireNamedOwner, respond } from '#http';
import { changesOf } from '#table';
import { catalogue } from './catalogue.static.ts';
import type { access } from './contract.ts';
import { checkMembership, checkNewRole } from './privileges.ts';
import { membershipEntity, roleEntity } from './store.ts';
import { stageGrants } from './user-access.ts';

export const accessOperations: Operations<typeof access> = {
  listMemberships: pagesOf(membershipEntity),

  listRoles: pagesOf(roleEntity),

  createRole: async ({ query, body, tenant, caller, session }) => {
    requireNamedOwner(caller, query, body);
    checkNewRole(tenant, caller, body);
    return respond.record(
      await tenant
        .records(roleEntity)
        .create({ fields: { ...body, org_id: tenant.orgId, created_at: session.timestamp } }),
    );
  },

  listPermissions: async ({ query: { page, page_size } }) => ({
    body: { data: catalogue.slice((page - 1) * page_size, page * page_size), page, page_size, total: catalogue.length },
  }),

  getMembership: async ({ params, tenant, getOrThrow }) =>
    respond.record(await getOrThrow(tenant.records(membershipEntity), params.id)),

  updateMembership: async ({ params, body, tenant, caller, getOrThrow }) => {
    const records = tenant.records(membershipEntity);
    const before = await getOrThrow(records, params.id);
    const changes = changesOf(before.record, body);
    if (changes === undefined) return respond.record(before);
    const checking = checkMembership(tenant, caller, before.record, { ...before.record, ...changes });
    checking.catch(() => undefined);
    const after = await records.update(before, changes);
    stageGrants(tenant, await checking, after.record);
    return respond.record(after);
  },

  deleteMembership: async ({ params, tenant, caller, getOrThrow }) => {
    const records = tenant.records(membershipEntity);
    const before = await getOrThrow(records, params.id);
    const without = { ...before.record, role_id: null };
    stageGrants(tenant, await checkMembership(tenant, caller, before.record, without), without);
    await records.remove(before);
    return respond.empty;
  },
};
