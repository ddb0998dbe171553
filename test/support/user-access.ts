import { randomUUID } from 'node:crypto';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Key } from '@custodia/counted-lists';
import { issueToken } from '#auth';
import { environmentTable, tenantIdOf } from '#table';
import { type SignIn, signInKey, type UserAccess, userAccessKey } from '#tenancy';
import type { VerifiedUser } from '../../shared/auth/tokens.ts';
import type { Api, OrgAccess } from './api.ts';

/**
 * People who have signed in, without an identity provider: their access is put into the table as the operations on
 * users, memberships and providers stage it, and their tokens are signed with the local key.
 */

export interface SignedInUser {
  readonly id: string;
  readonly orgId: string;
  readonly providerId: string;
  readonly token: string;
  /** Another token of the same user. @param changes of what it says */
  readonly issue: (changes?: Partial<VerifiedUser>, now?: number) => Promise<string>;
  /** Changes the access item, and its version. */
  readonly changeAccess: (changes: Partial<UserAccess>) => Promise<void>;
  /** Changes the sign-in item of the organization, and its version. */
  readonly changeSignIn: (changes: Partial<SignIn>) => Promise<void>;
}

/** The codes of grants: for the whole organization, or for one client. */
export interface Grants {
  readonly permissions?: readonly string[];
  readonly clients?: Readonly<Record<string, readonly string[]>>;
}

export const grantsOf = ({ permissions = [], clients = {} }: Grants): UserAccess['grants'] =>
  [[null, permissions] as const, ...Object.entries(clients)]
    .filter(([, codes]) => codes.length > 0)
    .map(([client_id, codes]) => ({ membership_id: randomUUID(), permissions: codes, client_id }));

let count = 0;

/** A new user of an organization who has signed in. */
export async function signIn(
  api: Pick<Api, 'request'>,
  { orgId, token }: Pick<OrgAccess, 'orgId' | 'token'>,
  grants: Grants = {},
  access: Partial<UserAccess> = {},
): Promise<SignedInUser> {
  const body = { email: `ada-${++count}-${randomUUID()}@acme.example`, name: 'Ada Byron' };
  const created = await api.request<{ id: string }>('POST', '/api/v1/users', { token, body });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  const { id } = created.body;
  const tenant = tenantIdOf(orgId);
  const providerId = randomUUID();
  const keys = { access: userAccessKey(tenant, id), signIn: signInKey(tenant) };
  const found = await read<SignIn>(keys.signIn);
  const first = { epoch: 0, is_active: true, is_superadmin: false, name: 'Ada Byron', grants: grantsOf(grants) };
  await change<UserAccess>(keys.access, { ...first, ...access });
  await change<SignIn>(keys.signIn, { membership_access: true, providers: [...(found?.providers ?? []), providerId] });
  const issue: SignedInUser['issue'] = (changes = {}, now = Date.now()) =>
    issueToken(
      {
        ...{ userId: id, orgId, tokenEpoch: 0, providerId, scope: null, expiresAt: Math.floor(now / 1000) + 3_600 },
        ...changes,
      },
      now,
    );
  return {
    ...{ id, orgId, providerId, issue, token: await issue() },
    changeAccess: (changes) => change<UserAccess>(keys.access, changes),
    changeSignIn: (changes) => change<SignIn>(keys.signIn, changes),
  };
}

async function read<T>(key: Key): Promise<T | undefined> {
  const { client, name } = environmentTable();
  const { Item } = await client.send(new GetCommand({ TableName: name, Key: { ...key }, ConsistentRead: true }));
  return Item as T | undefined;
}

async function change<T extends { readonly version: number }>(key: Key, changes: Partial<T>): Promise<void> {
  const before = await read<T>(key);
  const { client, name } = environmentTable();
  const Item = { ...key, ...before, ...changes, version: (before?.version ?? 0) + 1 };
  await client.send(new PutCommand({ TableName: name, Item }));
}
