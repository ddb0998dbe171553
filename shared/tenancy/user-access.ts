import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Item, Key, Table } from '@custodia/counted-lists';
import { commonTo, includeAll, type Permissions, type UserCaller } from '#identity';
import { StaleRead, type Tenant, type TenantId, tenantIdOf, tenantKey } from '#table';

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
  /** By which the organization is found ({@link signInNameKey}); null where users are not let in. */
  readonly slug?: string | null;
}

/** The two items that together decide. */
export interface AccessItems {
  readonly access: UserAccess;
  readonly signIn: SignIn;
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
): Promise<AccessItems | undefined> {
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

/** What a token says of how its user signed in. */
type SignedIn = Pick<UserCaller, 'tokenEpoch' | 'providerId'>;

const isUserLive = (access: UserAccess, { tokenEpoch }: SignedIn): boolean =>
  access.is_active && access.epoch === tokenEpoch;

const isSignInLive = ({ membership_access, providers }: SignIn, { providerId }: SignedIn): boolean =>
  membership_access && providers.includes(providerId);

/**
 * Whether a user's token is live: the user is there and active, its tokens have not been ended, its organization lets
 * users in, and the provider through which it signed in is active.
 */
export const isLiveUser = (found: AccessItems | undefined, signedIn: SignedIn): found is AccessItems =>
  found !== undefined && isUserLive(found.access, signedIn) && isSignInLive(found.signIn, signedIn);

/** What a user may do: in the whole organization, null being everything there, and besides for single clients. */
export interface Power {
  readonly permissions: Permissions;
  readonly clients: ReadonlyMap<string, readonly string[]>;
}

const NOTHING: Power = { permissions: [], clients: new Map() };

/**
 * What the items give a user. Grants for one client, or for the whole organization, are united; never those for
 * different clients.
 * @param scope the codes that the token is narrowed to; null: it is not
 */
export function powerOf(access: UserAccess, signIn: Pick<SignIn, 'membership_access'>, scope: Permissions): Power {
  if (!access.is_active || !signIn.membership_access) return NOTHING;
  if (access.is_superadmin) return { permissions: scope, clients: new Map() };
  const held = (grants: readonly Grant[]): readonly string[] => {
    const codes = [...new Set(grants.flatMap(({ permissions }) => permissions))];
    return commonTo(codes, scope) ?? codes;
  };
  const byClient = Map.groupBy(access.grants, ({ client_id }) => client_id ?? '');
  const permissions = held(byClient.get('') ?? []);
  byClient.delete('');
  return { permissions, clients: new Map(Array.from(byClient, ([client, grants]) => [client, held(grants)])) };
}

/** The items of a caller that this request has read, or that a failed condition has found. */
const known = new WeakMap<UserCaller, Partial<AccessItems>>();

/** The error for a token that has ended (undefined), or for missing permissions (those that there are). */
type Refusal = (held: Permissions | undefined) => Error;

/** Power depends on the other item alone in whether users are let in, which its own condition checks. */
const LET_IN: Pick<SignIn, 'membership_access'> = { membership_access: true };

/**
 * Stages the conditions that a user's items are as this request knows them: as the authorizer saw them, at first. Where
 * one has changed, it decides: the commit throws {@link StaleRead} where the user is still live with these permissions,
 * and the next run expects that item; otherwise what `refusal` returns.
 * @throws what `refusal` returns, where it is known before
 */
export function requireUserAccess(
  tenant: Tenant,
  caller: UserCaller,
  permissions: Permissions,
  refusal: Refusal,
): void {
  const { access, signIn } = known.get(caller) ?? {};
  const refusalBy = (held: Permissions | undefined): Error | undefined =>
    held !== undefined && includeAll(held, permissions) ? undefined : refusal(held);
  const byAccess = (item: UserAccess | undefined): Error | undefined =>
    refusalBy(item && isUserLive(item, caller) ? powerOf(item, LET_IN, caller.scope).permissions : undefined);
  const bySignIn = (item: SignIn | undefined): Error | undefined =>
    item && isSignInLive(item, caller) ? undefined : refusal(undefined);
  const refused = (access ? byAccess(access) : refusalBy(heldAtFirst(caller))) ?? (signIn && bySignIn(signIn));
  if (refused !== undefined) throw refused;
  requireVersion(tenant, userAccessKey(tenant.id, caller.userId), access?.version ?? caller.accessVersion, (item) => {
    known.set(caller, { ...known.get(caller), access: item as unknown as UserAccess });
    return byAccess(item as UserAccess | undefined);
  });
  requireVersion(tenant, signInKey(tenant.id), signIn?.version ?? caller.signInVersion, (item) => {
    known.set(caller, { ...known.get(caller), signIn: item as unknown as SignIn });
    return bySignIn(item as SignIn | undefined);
  });
}

const requireVersion = (
  { id, session }: Tenant,
  key: Key,
  version: number,
  refusal: (found: Item | undefined) => Error | undefined,
): void =>
  session.changes.of(id).update(key, {
    condition: { exists: true, equals: { version } },
    onConditionFailed: (found) => refusal(found) ?? new StaleRead('what the user may do has changed'),
  });

/** A request that is limited to some clients does nothing that needs live permissions: those are for all clients. */
const heldAtFirst = ({ clients, permissions }: UserCaller): Permissions =>
  clients === null ? permissions && [...permissions] : [];

/** What a user may do in the whole organization now; undefined where its token has ended. Two reads in parallel. */
export async function readHeldByUser({ id, session }: Tenant, caller: UserCaller): Promise<Permissions | undefined> {
  const items = await readUserAccess(session.tables.of(id), caller);
  if (!isLiveUser(items, caller)) return undefined;
  known.set(caller, items);
  return powerOf(items.access, items.signIn, caller.scope).permissions;
}
