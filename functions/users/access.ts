import type { Stored } from '#table';
import { powerOf, type UserAccess } from '#tenancy';
import type { Membership } from '../access/contract.ts';

/** What a user may do, or could if its organization let its users in. Grants for different clients are not united. */
export function showAccess(
  user_id: string,
  access: UserAccess,
  memberships: readonly Stored<Membership>[],
  membership_access: boolean,
) {
  const { is_active, is_superadmin } = access;
  const roles = new Map(memberships.map(({ record: { id, role_id } }) => [id, role_id]));
  const { permissions, clients } = powerOf(access, { membership_access: true }, null);
  return {
    ...{ user_id, is_active, is_superadmin, membership_access },
    grants: access.grants.map((grant) => ({
      ...{ membership_id: grant.membership_id, role_id: roles.get(grant.membership_id) ?? null },
      ...{ client_id: grant.client_id, permissions: [...grant.permissions] },
    })),
    permissions: permissions && [...permissions],
    clients: Array.from(clients, ([client_id, codes]) => ({ client_id, permissions: [...codes] })),
  };
}
