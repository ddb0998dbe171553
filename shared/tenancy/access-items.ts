import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Key, Table } from '@custodia/counted-lists';
import { StaleRead, type Tenant, tenantIdOf } from '#table';
import { isUuid } from '../well-formed.ts';
import { type SignIn, signInKey, type UserAccess, userAccessKey } from './user-access.ts';

/** Reading and changing what users may do, with the rights of their tenant. */

/** The access item of a user, strongly consistent. @returns undefined where it has none */
export const ofUser = (tenant: Tenant, userId: string): Promise<UserAccess | undefined> =>
  // Written by `stageOfUser` only.
  read<UserAccess>(tenant, userAccessKey(tenant.id, userId));

/** The sign-in item of an organization, strongly consistent. @returns undefined where it has none */
export const ofOrganization = (tenant: Tenant): Promise<SignIn | undefined> =>
  // Written by `stageSignIn` only.
  read<SignIn>(tenant, signInKey(tenant.id));

async function read<T>({ id, session }: Tenant, key: Key): Promise<T | undefined> {
  const table = session.tables.of(id);
  const { Item: item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...key }, ConsistentRead: true }),
  );
  return item as T | undefined;
}

/**
 * Stages that the access item of a user, as read, becomes another one. The commit throws {@link StaleRead} when it has
 * changed meanwhile.
 * @param before undefined where there is none
 * @param after the changed fields, of a new item all; undefined: it is deleted
 */
export function stageOfUser(
  tenant: Tenant,
  userId: string,
  before: UserAccess | undefined,
  after: Partial<UserAccess> | undefined,
): void {
  const key = userAccessKey(tenant.id, userId);
  if (after !== undefined) stageVersion(tenant, key, before, after);
  else tenant.session.changes.of(tenant.id).delete(key, asRead(before), hasChanged);
}

/** The same for the sign-in item of an organization. */
export const stageSignIn = (tenant: Tenant, before: SignIn | undefined, changes: Partial<SignIn>): void =>
  stageVersion(
    tenant,
    signInKey(tenant.id),
    before,
    before === undefined ? { membership_access: false, providers: [], slug: null, ...changes } : changes,
  );

type Versioned = { readonly version: number };

function stageVersion(tenant: Tenant, key: Key, before: Versioned | undefined, after: object): void {
  const work = tenant.session.changes.of(tenant.id);
  if (before === undefined) work.put({ ...key, version: 1, ...after }, hasChanged);
  else {
    const set = { ...after, version: before.version + 1 };
    work.update(key, { set, condition: asRead(before), onConditionFailed: hasChanged });
  }
}

const asRead = (before: Versioned | undefined) =>
  before === undefined ? { exists: false } : { exists: true, equals: { version: before.version } };

const hasChanged = (): StaleRead => new StaleRead('what users may do has changed');

/** Names the organization whose users sign in by a slug: slugs are not unique, but these are. */
export const signInNameKey = (slug: string): Key => ({ PK: `SIGN_IN#${slug}`, SK: 'TENANT' });

/**
 * The id of the organization with this id or slug, if it has a sign-in item. With the function's own rights, because
 * anybody may ask: a session of a tenant is a call of STS, which all share. Strongly consistent: users sign in as soon
 * as they are let in.
 */
export async function organizationNamed({ client, name }: Table, named: string): Promise<string | undefined> {
  const id = isUuid(named) ? named.toLowerCase() : undefined;
  const Key = { ...(id === undefined ? signInNameKey(named) : signInKey(tenantIdOf(id))) };
  const { Item: item } = await client.send(new GetCommand({ TableName: name, Key, ConsistentRead: true }));
  return item && (id ?? String(item.tenant));
}

/**
 * Stages that an organization is found by another slug.
 * @param before null: by none
 * @param isTaken the error where another organization is found by that slug
 */
export function stageSignInName(
  { id, session }: Tenant,
  before: string | null,
  after: string | null,
  isTaken: () => Error,
): void {
  if (before === after) return;
  const work = session.changes.of(id);
  const free = { anyOf: [{ exists: false }, { equals: { tenant: id } }] };
  if (before !== null) work.delete(signInNameKey(before), free, () => new StaleRead('the slug is of another'));
  if (after !== null) work.put({ ...signInNameKey(after), tenant: id }, isTaken, free);
}
