import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Key, storedSets, type Table } from '#lists';
import type { TenantId } from '../keys.ts';
import type { RequestSession } from '../session/request-session.ts';
import { stageCascadeDelete } from './cascade-delete.ts';

/**
 * Records below another: the messages of a ticket, the history of a resource. Their parent counts them in `CHILDREN`, in the transaction that
 * creates each, so that it can be deleted in one transaction with them where they are few.
 */

/** Attribute of a parent: the number of records below it. */
export const CHILDREN = 'CHILDREN';

/** Most items below a parent that are deleted in its transaction: DynamoDB takes a hundred. */
export const FEW = 40;

export interface ChildKeys {
  readonly records: readonly Key[];
  /** Items of their list's sets. */
  readonly list: readonly Key[];
  /** Whether the list is complete. */
  readonly isComplete: boolean;
}

/** The keys of a parent's child items, where they are few. Strongly consistent. */
export async function readChildKeys(table: Table, partition: string): Promise<ChildKeys> {
  const [records, list] = await Promise.all([
    keysIn(table, partition),
    keysIn(table, storedSets.partitionOf(partition)),
  ]);
  return { records, list, isComplete: records.length + list.length <= FEW };
}

/** At most one more than {@link FEW}. */
export async function keysIn(table: Table, partition: string): Promise<Key[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'PK = :partition',
      ExpressionAttributeValues: { ':partition': partition },
      ProjectionExpression: 'PK, SK',
      Limit: FEW + 1,
      ConsistentRead: true,
    }),
  );
  return Items as Key[];
}

/**
 * Stages the deletion of all records in a partition together with their parent: a few in the same transaction, many after it
 * (`cascade-delete.ts`).
 * @param count the parent's `CHILDREN` as read
 * @returns the condition on the parent's attributes for its deletion
 */
export function stageDeletionOfAll(
  session: RequestSession,
  tenant: TenantId,
  partition: string,
  { records, list, isComplete }: ChildKeys,
  count: unknown,
): Readonly<Record<string, unknown>> {
  if (isComplete && records.length === Number(count ?? 0)) {
    stageDeletions(session, tenant, [...records, ...list]);
    return { [CHILDREN]: count };
  }
  stageCascadeDelete(session, tenant, partition);
  return {};
}

export function stageDeletions(session: RequestSession, tenant: TenantId, keys: readonly Key[]): void {
  const work = session.changes.of(tenant);
  for (const key of keys) work.delete(key, {}, () => new Error('a delete without a condition was refused'));
}
