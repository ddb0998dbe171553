import { randomUUID } from 'node:crypto';
import { noRecord, type Operations, respond } from '#http';
import type { Caller } from '#identity';
import { changesOf, type RequestSession, StaleRead, Tenant } from '#table';
import { organizationEntity, organizationList, stageOrganization, stageOrganizationChange } from '#tenancy';
import type { orgs } from './contract.ts';
import { stageSignInOf } from './sign-in.ts';
import { slugOf } from './slug.ts';

export const orgOperations: Operations<typeof orgs> = {
  listOrgs: async ({ query, tenant }) => respond.page(await organizationList(tenant).page(query), query),

  createOrg: async ({ body, session }) => {
    const tenant = Tenant.ofNewOrganization(randomUUID(), session);
    const fields = { ...body, slug: body.slug ?? slugOf(body.name) };
    return respond.record(await stageOrganization(tenant, fields, () => new StaleRead('the id is taken')));
  },

  getOrg: async ({ params, caller, session, getOrThrow }) =>
    respond.record(
      await getOrThrow(organizationFor(params.id, caller, session).records(organizationEntity), params.id),
    ),

  updateOrg: async ({ params, body, caller, session, getOrThrow }) => {
    const tenant = organizationFor(params.id, caller, session);
    const before = await getOrThrow(tenant.records(organizationEntity), params.id);
    const { membership_access = false, ...others } = before.record;
    const changes = changesOf({ ...others, membership_access }, body);
    if (changes === undefined) return respond.record(before);
    await stageSignInOf(tenant, caller, before.record, changes);
    return respond.record(await stageOrganizationChange(tenant, before, changes));
  },
};

/**
 * The tenant of an organization that the caller may access.
 * @throws Problem `not-found` for any other, as for one that does not exist
 */
function organizationFor(id: string, caller: Caller, session: RequestSession): Tenant {
  const tenant = Tenant.named(id, caller, session);
  if (tenant === undefined) throw noRecord(organizationEntity);
  return tenant;
}
