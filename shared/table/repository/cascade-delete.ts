import { BatchWriteCommand, DeleteCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, storedSets, type Table, type UnitOfWork } from '@custodia/counted-lists';
import type { TimeLimit } from '../../clock.ts';
import type { TenantId } from '../keys.ts';
import { tenantPartition } from '../keys.ts';
import type { RequestSession } from '../session/request-session.ts';
import { endAttachment, hasAttachments } from './uploads.ts';

/**
 * Deletes what belongs to a deleted record: the records below it, the set of its id. A few items are deleted in the
 * record's transaction. For more, the transaction notes their partition, which is emptied after the commit, when
 * nothing reaches it. The tenant's next cascade delete, the operator's `verify --repair` or the next `npm start`
 * resumes an interrupted one.
 *
 * Domains use it through `deleteAll()` of child records and `deleteSet()`.
 */

/** Attribute of a parent: the number of records below it. */
export const CHILDREN = 'CHILDREN';

/** Most items that are deleted in the transaction: DynamoDB takes a hundred. */
export const FEW = 40;

/** The keys in a partition, or what is asked for, at most one more than {@link FEW}. Strongly consistent. */
export async function keysIn(
  table: Table,
  partition: string,
  most = FEW + 1,
  what: Pick<QueryCommandInput, 'ProjectionExpression'> = { ProjectionExpression: 'PK, SK' },
): Promise<(Item & Key)[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'PK = :partition',
      ExpressionAttributeValues: { ':partition': partition },
      ...what,
      Limit: most,
      ConsistentRead: true,
    }),
  );
  return Items as (Item & Key)[];
}

/** Stages the deletion of these items. */
export function stageDeletions(work: UnitOfWork, keys: readonly Key[]): void {
  for (const key of keys) work.delete(key, {}, () => new Error('a delete without a condition was refused'));
}

/** Most notes that are read at once. */
const NOTES = 10;
const KEYS_A_QUERY = 250;
const KEYS_A_BATCH = 25;
/** Longest time that a cascade delete may add to a request, in milliseconds. */
const LONGEST = 2_000;

/** Stages the note of a cascade delete of a partition. */
export function stageCascadeDelete(work: UnitOfWork, tenant: TenantId, partition: string): void {
  const note = { PK: tenantPartition(tenant, 'CASCADE_DELETE'), SK: partition };
  work.put(note, () => new Error('a put without a condition was refused'), {});
}

/** Runs the noted cascade deletes after the commit. @param isNoted whether what was committed has a note */
export const cascadeAfterCommit = (session: RequestSession, tenant: TenantId, isNoted = () => true): void =>
  session.changes.afterCommit(async () => {
    if (!isNoted()) return;
    const deadline = Math.min(session.clock() + LONGEST, session.deadline);
    await finishCascadeDeletes(session.tables.of(tenant), tenant, { clock: session.clock, deadline });
  });

/**
 * Runs a tenant's pending cascade deletes, as long as there is time. Several may run this at once.
 * @returns whether all are finished
 */
export async function finishCascadeDeletes(table: Table, tenant: TenantId, timeLimit: TimeLimit): Promise<boolean> {
  for (let notes = NOTES; notes === NOTES; ) {
    const partitions = await cascadeDeletesOf(table, tenant, NOTES);
    notes = partitions.length;
    for (const partition of partitions) {
      const done =
        (await empty(table, tenant, partition, timeLimit)) &&
        (await empty(table, tenant, storedSets.partitionOf(partition), timeLimit));
      if (!done) return false;
      await table.client.send(
        new DeleteCommand({
          TableName: table.name,
          Key: { PK: tenantPartition(tenant, 'CASCADE_DELETE'), SK: partition },
        }),
      );
    }
  }
  return true;
}

/** The partitions with pending cascade deletes, or the first `limit` of them. */
export async function cascadeDeletesOf(table: Table, tenant: TenantId, limit?: number): Promise<string[]> {
  const { Items: notes = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'PK = :notes',
      ExpressionAttributeValues: { ':notes': tenantPartition(tenant, 'CASCADE_DELETE') },
      ConsistentRead: true,
      Limit: limit,
    }),
  );
  return notes.map(({ SK }) => String(SK));
}

/** @returns whether the partition is empty now */
async function empty(table: Table, tenant: TenantId, partition: string, timeLimit: TimeLimit): Promise<boolean> {
  const { clock, deadline } = timeLimit;
  while (clock() < deadline) {
    if (hasAttachments(partition)) {
      const attachments = await keysIn(table, partition, KEYS_A_BATCH, {});
      if (attachments.length === 0) return true;
      await Promise.all(attachments.map((each) => endAttachment(table, tenant, each, timeLimit)));
      continue;
    }
    const keys = await keysIn(table, partition, KEYS_A_QUERY);
    if (keys.length === 0) return true;
    const batches = Map.groupBy(keys, (_, index) => Math.floor(index / KEYS_A_BATCH));
    await Promise.all(Array.from(batches.values(), (batch) => deleteBatch(table, batch)));
  }
  return false;
}

/** The next query finds keys that DynamoDB leaves unprocessed. */
const deleteBatch = (table: Table, keys: readonly Key[]) =>
  table.client.send(
    new BatchWriteCommand({
      RequestItems: { [table.name]: keys.map((key) => ({ DeleteRequest: { Key: { PK: key.PK, SK: key.SK } } })) },
    }),
  );

/** The items of a set. */
export interface StoredSet {
  readonly partition: string;
  readonly keys: readonly Key[];
}

/** The keys of a set; where they are many, some of them. Strongly consistent. */
export const readSet = async (table: Table, partition: string): Promise<StoredSet> => ({
  partition,
  keys: await keysIn(table, partition),
});

/** Stages the deletion of a set that is never read again. Otherwise its empty items would stay forever. */
export function stageSetDeletion(session: RequestSession, tenant: TenantId, { partition, keys }: StoredSet): void {
  const work = session.changes.of(tenant);
  if (keys.length > FEW) {
    stageCascadeDelete(work, tenant, partition);
    cascadeAfterCommit(session, tenant);
  } else stageDeletions(work, keys);
}
