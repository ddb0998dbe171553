import { Problem } from '#contract';
import { requireLivePermissions } from '#http';
import type { Caller } from '#identity';
import type { Tenant } from '#table';
import { accessItems, type Organization } from '#tenancy';

/**
 * Whether the users of an organization may do anything: `membership_access`. While they may, the organization is found
 * by its slug. The authorizer reads both in the sign-in item, which changes with the organization.
 */

/**
 * Stages what a change of an organization changes in its sign-in item, and by which slug it is found.
 * @throws Problem `forbidden` unless the caller may do everything in the organization; at the commit `already-exists`
 */
export async function stageSignInOf(
  tenant: Tenant,
  caller: Caller,
  before: Organization,
  changes: Partial<Organization>,
): Promise<void> {
  const { slug, membership_access: isOn = false } = { ...before, ...changes };
  const isSwitched = changes.membership_access !== undefined;
  if (!isSwitched && (!isOn || changes.slug === undefined)) return;
  const field = isSwitched ? 'membership_access' : 'slug';
  if (caller.permissions !== null) throw needsAll(field);
  requireLivePermissions(tenant, caller, 'orgs:write', null);
  const signIn = await accessItems.ofOrganization(tenant);
  const name = isOn ? slug : null;
  accessItems.stageSignIn(tenant, signIn, { membership_access: isOn, slug: name });
  accessItems.stageSignInName(tenant, signIn?.slug ?? null, name, () => isTaken(field));
}

const needsAll = (field: string): Problem =>
  new Problem('forbidden', {
    detail: 'Only a caller with all permissions may change how the users of the organization sign in.',
    errors: [{ in: 'body', pointer: `#/${field}`, detail: 'may be changed by a caller with all permissions only' }],
  });

const isTaken = (field: string): Problem =>
  new Problem('already-exists', {
    detail: 'The users of another organization sign in by this slug.',
    errors: [{ in: 'body', pointer: `#/${field}`, detail: 'needs a slug by which no other organization signs in' }],
  });
