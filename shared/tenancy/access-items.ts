import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { StaleRead, type Tenant } from '#table';
import { type UserAccess, userAccessKey } from './user-access.ts';

/** Reading and changing the access item of a user, with the rights of its tenant. */

/** The access item of a user, strongly consistent. @returns undefined where it has none */
export async function ofUser({ id, session }: Tenant, userId: string): Promise<UserAccess | undefined> {
  const table = session.tables.of(id);
  const { Item: item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...userAccessKey(id, userId) }, ConsistentRead: true }),
  );
  // Written by `stageOfUser` only.
  return item as UserAccess | undefined;
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
  before: Pick<UserAccess, 'version'> | undefined,
  after: Partial<UserAccess> | undefined,
): void {
  const work = tenant.session.changes.of(tenant.id);
  const key = userAccessKey(tenant.id, userId);
  const asRead = before === undefined ? { exists: false } : { exists: true, equals: { version: before.version } };
  const onConditionFailed = () => new StaleRead('what the user may do has changed');
  if (after === undefined) work.delete(key, asRead, onConditionFailed);
  else if (before === undefined) work.put({ ...key, ...after }, onConditionFailed);
  else work.update(key, { set: { ...after, version: before.version + 1 }, condition: asRead, onConditionFailed });
}
