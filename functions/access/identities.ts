import { Problem } from '#contract';
import { includeAll, type Permissions } from '#identity';
import type { Stored, Tenant } from '#table';
import type { Identity, User } from './contract.ts';
import { identityEntity, userEntity } from './store.ts';

/** By what identity providers know a user, and who vouches for it. */

export const MOST_IDENTITIES = 10;

/** The identities of a user, the oldest first. Read after its access item, they are all while that item stays. */
export async function identitiesOf(tenant: Tenant, userId: string): Promise<readonly Stored<Identity>[]> {
  const where = [{ field: 'user_id', anyOf: [userId] }];
  return (await tenant.records(identityEntity).cursorPage({ limit: MOST_IDENTITIES, where })).records;
}

/** Whether two mail addresses are one. */
export function areSameAddress(one: string, other: string): boolean {
  const same = userEntity.unique.email ?? String;
  return same(one) === same(other);
}

/**
 * Checks that whoever signs in as a user is who is meant by a caller that gives it permissions: each of its identities
 * was linked by somebody who had them, or by the mail address that the user has now. Otherwise a weak key could link an
 * identity of its own to a user, and wait for somebody to make that user strong (`docs/decisions/0070`). The user's
 * access item has been read before, and the commit is on condition that it is so still.
 * @throws Problem `conflict` that names the identities
 */
export async function requireKnownWith(tenant: Tenant, user: User, permissions: Permissions): Promise<void> {
  const identities = await identitiesOf(tenant, user.id);
  const unknown = identities.filter(({ record: { email, known_with } }) =>
    email === null ? !includeAll(known_with, permissions) : !areSameAddress(email, user.email),
  );
  if (unknown.length === 0) return;
  throw new Problem('conflict', {
    detail:
      'The user has identities that were linked by somebody with fewer permissions, or by an earlier mail address: ' +
      `${unknown.map(({ record }) => record.id).join(', ')}. Unlink them first, and link again those that are right.`,
  });
}
