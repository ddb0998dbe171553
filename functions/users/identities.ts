import { schema } from '@custodia/counted-lists';
import { isMailAddressOf, Problem } from '#contract';
import { StaleRead, type Stored, type Tenant } from '#table';
import type { Identity, User } from '../access/contract.ts';
import { areSameAddress, identitiesOf, MOST_IDENTITIES } from '../access/identities.ts';
import { identityEntity, userEntity } from '../access/store.ts';
import { type AccessAsRead, accessOf, stageAccess, stageNextVersion } from '../access/user-access.ts';
import type { IdentityProvider } from '../identity-providers/contract.ts';
import { identityProviderEntity } from '../identity-providers/store.ts';

/**
 * By what identity providers know users. Linking and unlinking changes the version of the user's access item, so that
 * of two at once the second runs again, and none is linked to a user that is deleted meanwhile.
 */

const stored = ({ provider_id, subject }: Pick<Identity, 'provider_id' | 'subject'>): string =>
  `${provider_id} ${subject}`;

/** An identity as it is returned. */
export const showIdentity = (identity: Identity): Identity => ({
  ...identity,
  subject: identity.subject.slice(identity.provider_id.length + 1),
});

/** The identity of a `sub` of a provider; undefined where there is none. Two strongly consistent reads. */
export async function identityOf(tenant: Tenant, providerId: string, subject: string): Promise<Identity | undefined> {
  const records = tenant.records(identityEntity);
  const value = stored({ provider_id: providerId, subject });
  const id = await records.idOf('subject', value);
  const found = id === undefined ? undefined : await records.get(id);
  return found?.record.subject === value ? showIdentity(found.record) : undefined;
}

/**
 * Stages a new identity of a user. The commit throws {@link NotUnique} where the provider's `sub` is of a user already.
 * @throws Problem `conflict` where the user has as many as it may have
 */
export async function stageIdentity(
  tenant: Tenant,
  user: User,
  read: AccessAsRead,
  fields: Omit<Identity, 'id' | 'user_id' | 'created_at'>,
): Promise<Stored<Identity>> {
  const { length } = await identitiesOf(tenant, user.id);
  if (length >= MOST_IDENTITIES)
    throw new Problem('conflict', { detail: `The user has ${length} identities, as many as it may have.` });
  stageNextVersion(tenant, user.id, read);
  const created = { ...fields, subject: stored(fields), user_id: user.id, created_at: tenant.session.timestamp };
  const [identity] = await Promise.all([
    tenant.records(identityEntity).create({ fields: created }),
    tenant.auditLog('User').changed(user.id, ['identities']),
  ]);
  return identity;
}

/** Stages that an identity is gone, and that the tokens of its user end, whose access item was read. */
export async function stageUnlinking(tenant: Tenant, identity: Stored<Identity>, read: AccessAsRead): Promise<void> {
  const { user_id } = identity.record;
  const [records, log] = [tenant.records(identityEntity), tenant.auditLog('User')];
  await Promise.all([records.remove(identity), log.changed(user_id, ['identities', 'tokens'])]);
  stageAccess(tenant, user_id, read, { epoch: read.access.epoch + 1 });
}

/** The same by an operator, also of a user that is gone. */
export async function unlink(tenant: Tenant, id: string): Promise<void> {
  const identity = await tenant.records(identityEntity).get(id);
  if (identity === undefined) return;
  const user = await tenant.records(userEntity).get(identity.record.user_id);
  if (user === undefined) await tenant.records(identityEntity).remove(identity);
  else await stageUnlinking(tenant, identity, await accessOf(tenant, user.record));
}

/**
 * Stages the identity of the only active user with a mail address, who is no superadmin, on condition that user and
 * provider are so at the commit. The caller has checked that the provider has verified the address.
 * @returns undefined where there is no such user, or the provider does not list the domain
 * @throws Problem `conflict` as {@link stageIdentity}
 */
export async function linkByMail(
  tenant: Tenant,
  provider: Stored<IdentityProvider>,
  { subject, email }: { readonly subject: string; readonly email: string },
): Promise<{ readonly user: User; readonly identity: Identity } | undefined> {
  const { id, email_domains } = provider.record;
  const users = tenant.records(userEntity);
  const userId = isMailAddressOf(email, email_domains) ? await users.idOf('email', email) : undefined;
  const user = userId === undefined ? undefined : (await users.get(userId))?.record;
  if (user === undefined || !areSameAddress(user.email, email)) return undefined;
  const read = await accessOf(tenant, user);
  if (!user.is_active || user.is_superadmin || !read.access.is_active || read.access.is_superadmin) return undefined;
  const changed = () => new StaleRead('the user or the provider has changed');
  users.require(user.id, changed, { email: user.email, is_active: true, is_superadmin: false });
  tenant.records(identityProviderEntity).require(id, changed, { status: 'active', [schema.VERSION]: provider.version });
  const fields = { provider_id: id, subject, linked_by: 'mail', email: user.email, known_with: null } as const;
  const { record } = await stageIdentity(tenant, user, read, fields);
  return { user, identity: showIdentity(record) };
}
