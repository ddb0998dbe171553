import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from './client.ts';
import { type Key, setPartition } from './keys.ts';

/**
 * Records below another: the messages of a ticket, the history of a resource. Their parent counts them in `CHILDREN`, in the transaction that makes
 * each, so that it can be deleted together with all of them where they are few.
 */

/** Attribute of a parent. */
export const CHILDREN = 'CHILDREN';

/** As many items below a parent as go in its transaction: DynamoDB takes a hundred. */
export const FEW = 40;

export interface ChildKeys {
  /** Of the records. */
  readonly records: readonly Key[];
  /** Of what their list knows of its numbers. */
  readonly list: readonly Key[];
  /** Whether these are all of them. */
  readonly isComplete: boolean;
}

/** The keys of what lies below a parent, strongly consistent, as long as they are few. */
export async function readChildKeys(table: Table, partition: string): Promise<ChildKeys> {
  const [records, list] = await Promise.all([keysIn(table, partition), keysIn(table, setPartition(partition))]);
  return { records, list, isComplete: records.length + list.length <= FEW };
}

/** The keys in a partition, strongly consistent, up to one more than {@link FEW}. */
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
