import type { Item } from '@custodia/counted-lists';
import { Problem } from '#contract';
import { type Operations, organizationOf, pagesOf, requireLivePermissions, respond } from '#http';
import type { Caller } from '#identity';
import { changesOf, StaleRead, type Stored, type Tenant } from '#table';
import { accessItems, stageCount } from '#tenancy';
import { type IdentityProvider, type identityProviders, MOST_PROVIDERS } from './contract.ts';
import { checkIssuer } from './issuer.ts';
import { IDENTITIES, identityProviderEntity } from './store.ts';

export const identityProviderOperations: Operations<typeof identityProviders> = {
  listIdentityProviders: pagesOf(identityProviderEntity),

  createIdentityProvider: async ({ body, tenant, caller, session }) => {
    organizationOf(tenant);
    requireAll(tenant, caller);
    checkIssuer(body.issuer);
    const fields = { ...body, created_at: session.timestamp };
    const created = await tenant.records(identityProviderEntity).create({ fields });
    await stageActive(tenant, created.record);
    stageCount(tenant, 'IDENTITY_PROVIDER', 'USED', 1, {
      condition: { atMost: { USED: MOST_PROVIDERS - 1 } },
      onConditionFailed: () => new Problem('conflict', { detail: FULL }),
    });
    return respond.record(created);
  },

  getIdentityProvider: async ({ params, tenant, getOrThrow }) =>
    respond.record(await getOrThrow(tenant.records(identityProviderEntity), params.id)),

  updateIdentityProvider: async ({ params, body, tenant, caller, getOrThrow }) => {
    const records = tenant.records(identityProviderEntity);
    const before = await getOrThrow(records, params.id);
    const changes = changesOf(before.record, body);
    if (changes === undefined) return respond.record(before);
    requireAll(tenant, caller);
    return respond.record(await changeIdentityProvider(tenant, before, changes));
  },

  deleteIdentityProvider: async ({ params, tenant, caller, getOrThrow }) => {
    const records = tenant.records(identityProviderEntity);
    const before = await getOrThrow(records, params.id);
    requireAll(tenant, caller);
    const { [IDENTITIES]: count } = before.item;
    if (count) throw isInUse(before.item);
    await records.remove(before, { requires: { equals: { [IDENTITIES]: count }, onConditionFailed: isInUse } });
    await stageActive(tenant, { id: params.id, status: 'inactive' });
    stageCount(tenant, 'IDENTITY_PROVIDER', 'USED', -1);
    return respond.empty;
  },
};

/** Stages the change of a provider, and what the authorizer takes of it. */
export async function changeIdentityProvider(
  tenant: Tenant,
  before: Stored<IdentityProvider>,
  changes: Partial<IdentityProvider>,
): Promise<Stored<IdentityProvider>> {
  const after = await tenant.records(identityProviderEntity).update(before, changes);
  if (changes.status !== undefined) await stageActive(tenant, after.record);
  return after;
}

const FULL = `The organization has ${MOST_PROVIDERS} identity providers, as many as it may have.`;

/**
 * Whoever decides who signs in could become anybody.
 * @throws Problem `forbidden`, here or at the commit
 */
function requireAll(tenant: Tenant, caller: Caller): void {
  if (caller.permissions !== null)
    throw new Problem('forbidden', { detail: 'Only a caller with all permissions may change identity providers.' });
  requireLivePermissions(tenant, caller, 'identity-providers:write', null);
}

/** Stages that the authorizer takes users of a provider, or not. */
async function stageActive(tenant: Tenant, { id, status }: Pick<IdentityProvider, 'id' | 'status'>): Promise<void> {
  const signIn = await accessItems.ofOrganization(tenant);
  const others = signIn?.providers.filter((provider) => provider !== id) ?? [];
  const providers = status === 'active' ? [...others, id] : others;
  if (providers.length !== (signIn?.providers.length ?? 0)) accessItems.stageSignIn(tenant, signIn, { providers });
}

/** The error for a provider of which users have identities: these are counted in the transactions that link them. */
function isInUse({ [IDENTITIES]: count = 0 }: Item): Error {
  if (count === 0) return new StaleRead('an identity has come and gone');
  const detail = `Users have identities of this provider: ${count}. Unlink them first, or set the provider inactive.`;
  return new Problem('still-in-use', { detail });
}
