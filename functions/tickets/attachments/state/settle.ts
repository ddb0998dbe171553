import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, ids, type Key, UnitOfWork } from '@custodia/counted-lists';
import { StaleRead, type Tenant } from '#table';
import { stageBytes, uploadKey, VOID } from '#table/storage';
import { DROPPED_AFTER } from '../limits.ts';
import { objectKey } from './uploads.ts';

/** Most items that are settled at once. */
const AT_ONCE = 25;

/** Deletes an object, where there is one. */
export type DeleteObject = (key: string) => Promise<void>;

/**
 * Settles some of what is due of a tenant's uploads, in parallel and any number of times: drops announced attachments
 * that were not completed within an hour, and deletes the objects of void ones. An item stays until its object is gone,
 * so that a crash leaves none behind.
 * @returns whether nothing more is due
 */
export async function settleUploads(tenant: Tenant, deleteObject: DeleteObject): Promise<boolean> {
  const due = await dueOf(tenant);
  await Promise.all(due.map((item) => settle(tenant, item, deleteObject)));
  return due.length === 0;
}

async function settle(tenant: Tenant, item: Item & Key, deleteObject: DeleteObject): Promise<void> {
  const { PK, SK, id, size } = item;
  if (!item[VOID] && !(await drop(tenant, { PK, SK }, String(id), Number(size)))) return;
  await deleteObject(objectKey(tenant, String(id)));
  const table = tenant.session.tables.of(tenant.id);
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: { PK, SK } }));
}

/** Makes an announced attachment void. @returns whether it still was announced */
async function drop({ id: tenant, session }: Tenant, key: Key, id: string, size: number): Promise<boolean> {
  const work = new UnitOfWork();
  const condition = { equals: { id, [VOID]: undefined } };
  work.update(key, { set: { [VOID]: true }, condition, onConditionFailed: () => new StaleRead('it is settled') });
  stageBytes(work, tenant, -size);
  try {
    await work.commit(session.tables.of(tenant), session);
    return true;
  } catch (error) {
    if (error instanceof StaleRead) return false;
    throw error;
  }
}

/** The oldest items that are due. */
async function dueOf(tenant: Tenant): Promise<readonly (Item & Key)[]> {
  const table = tenant.session.tables.of(tenant.id);
  const { PK, SK } = uploadKey(tenant.id, ids.sortKeyOf(tenant.serverTime - DROPPED_AFTER));
  const query = new QueryCommand({
    TableName: table.name,
    KeyConditionExpression: 'PK = :uploads AND SK < :due',
    ExpressionAttributeValues: { ':uploads': PK, ':due': SK },
    Limit: AT_ONCE,
    ConsistentRead: true,
  });
  const { Items = [] } = await table.client.send(query);
  return Items as (Item & Key)[];
}
