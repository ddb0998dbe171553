import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Compaction, compactionOf } from './periods.ts';
import { LARGE } from './read-budget.ts';
import type { Item, Key } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import type { Table } from './table.ts';

/** The counter item of a list: its next number, its built filters, the marks of its periods and the size of its largest record. */

/** Its sort key. It sorts after the items with bits. */
export const COUNTER = 'HEAD';

/** A list as its writers know it. */
export interface List {
  /** Partition of the records. */
  readonly partition: string;
  /** Filter fields: stored in the counter item when the first number is allocated (`docs/counted-lists.md`). */
  readonly filters: readonly string[];
  /** Days for which its records are kept, if they expire. */
  readonly retentionDays?: number | undefined;
  /** Numbers are in the order of what their records tell: none is allocated in advance, or kept for another run. */
  readonly ordered?: true | undefined;
}

/** The key of a list's counter item, by the partition of its records. */
export const counterKeyOf = (list: string): Key => ({ PK: storedSets.partitionOf(list), SK: COUNTER });

/** The counter item of a list; empty before the first number is allocated. */
export async function readCounterItem(table: Table, list: string, strongly: boolean): Promise<Item> {
  const { Item: counter = {} } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: { ...counterKeyOf(list) },
      ConsistentRead: strongly,
    }),
  );
  return counter;
}

/** The filters that are built: every record of the list is in their sets. */
export const builtFilters = ({ FILTERS: fields }: Item): readonly string[] => (Array.isArray(fields) ? fields : []);

/** Bytes of the largest record that was noted; 0 if none was. */
export const largestNoted = ({ LARGEST: bytes }: Item): number => Number(bytes ?? 0);

/**
 * Notes the size of a record, if it is large: readers tell from it how many records a query returns. The note never decreases, and is a hint: it may
 * be missing.
 */
export async function noteLargest(table: Table, { partition }: List, bytes: number): Promise<void> {
  if (bytes < LARGE) return;
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { ...counterKeyOf(partition) },
      UpdateExpression: 'SET LARGEST = :bytes',
      ConditionExpression: 'attribute_exists(#next) AND (attribute_not_exists(LARGEST) OR LARGEST < :bytes)',
      ExpressionAttributeNames: { '#next': 'NEXT' },
      ExpressionAttributeValues: { ':bytes': bytes },
    }),
  );
}

/**
 * Notes that indexes are not built any more: a record is about to be written that is not in them. Lists by them are refused until the operator builds
 * them again.
 */
export async function noteUnbuilt(table: Table, { partition }: List, indexes: readonly string[]): Promise<void> {
  for (;;) {
    const built = builtFilters(await readCounterItem(table, partition, true));
    const left = built.filter((index) => !indexes.includes(index));
    if (left.length === built.length) return;
    const command = new UpdateCommand({
      TableName: table.name,
      Key: { ...counterKeyOf(partition) },
      UpdateExpression: 'SET #filters = :left',
      ConditionExpression: '#filters = :built',
      ExpressionAttributeNames: { '#filters': 'FILTERS' },
      ExpressionAttributeValues: { ':left': left, ':built': built },
    });
    if (await isCarriedOut(table.client.send(command))) return;
  }
}

/** Whether the condition of an update held. */
const isCarriedOut = (sent: Promise<unknown>): Promise<boolean> =>
  sent.then(
    () => true,
    (error: unknown) => {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    },
  );

/** What removes superfluous marks from a counter item, where there are any. */
export function compactorOf(table: Table, list: List, counter: Item): (() => Promise<void>) | undefined {
  const compaction = compactionOf(counter);
  return compaction.remove.length === 0 ? undefined : () => compact(table, list, compaction);
}

/** Removes marks, unless another writer has changed the mark to extend. */
async function compact(table: Table, { partition }: List, { remove, extend }: Compaction): Promise<void> {
  const removal = `REMOVE ${remove.map((_, index) => `#a${index}`).join(', ')}`;
  const names = Object.fromEntries(remove.map((attribute, index) => [`#a${index}`, attribute]));
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { ...counterKeyOf(partition) },
      ...(extend === undefined
        ? { UpdateExpression: removal, ExpressionAttributeNames: names }
        : {
            UpdateExpression: `SET #extended = :to ${removal}`,
            ConditionExpression: '#extended = :from',
            ExpressionAttributeNames: { ...names, '#extended': extend.mark },
            ExpressionAttributeValues: { ':from': extend.from, ':to': extend.to },
          }),
    }),
  );
}
