import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '@custodia/counted-lists';
import { type TenantId, tenantIdOf, tenantKey } from '#table';

/**
 * What the users of an organization may do, in two items that the authorizer reads. They lie in a partition that only
 * few roles reach, and change in the transactions of what they follow from: users, memberships, identity providers and
 * the organization itself.
 */

/** What an active membership with a role gives. */
export interface Grant {
  readonly membership_id: string;
  /** Those of the role. */
  readonly permissions: readonly string[];
  /** The client to whom it is limited; null: the whole organization. */
  readonly client_id: string | null;
}

/** The access item of a user. */
export interface UserAccess {
  /** Counts every change of the item. */
  readonly version: number;
  /** How often the user's tokens were ended; valid tokens have the same count. */
  readonly epoch: number;
  readonly is_active: boolean;
  /** Everything in its organization. */
  readonly is_superadmin: boolean;
  /** What the user is called where it has done something. */
  readonly name: string;
  readonly grants: readonly Grant[];
}

/** The sign-in item of an organization. */
export interface SignIn {
  /** Counts every change of the item. */
  readonly version: number;
  /** Whether its users may do anything at all. */
  readonly membership_access: boolean;
  /** Ids of its active identity providers. */
  readonly providers: readonly string[];
}

/** The sort key of the organization's own item. */
const OF_ORGANIZATION = 'ORGANIZATION';

export const userAccessKey = (tenant: TenantId, userId: string) => tenantKey(tenant, 'USER_ACCESS', userId);
export const signInKey = (tenant: TenantId) => tenantKey(tenant, 'USER_ACCESS', OF_ORGANIZATION);

/**
 * What a user may do: two strongly consistent `GetItem` in parallel, because something may just have been ended.
 * @param table with the function's own rights, or the tenant's
 * @returns undefined where the user or everything of it is gone, or where nobody of the organization signs in
 */
export async function readUserAccess(
  table: Table,
  { orgId, userId }: { readonly orgId: string; readonly userId: string },
): Promise<{ readonly access: UserAccess; readonly signIn: SignIn } | undefined> {
  const tenant = tenantIdOf(orgId);
  const [access, signIn] = await Promise.all(
    [userAccessKey(tenant, userId), signInKey(tenant)].map(async (Key) => {
      const command = new GetCommand({ TableName: table.name, Key: { ...Key }, ConsistentRead: true });
      return (await table.client.send(command)).Item;
    }),
  );
  // Written by functions that hold these types only.
  return access && signIn
    ? { access: access as unknown as UserAccess, signIn: signIn as unknown as SignIn }
    : undefined;
}
