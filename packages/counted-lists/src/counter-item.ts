import { hash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { compactionOf } from './periods.ts';
import { LARGE } from './read-budget.ts';
import type { Item, Key } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import type { Table } from './table.ts';
import { updateRequest } from './transaction/pending-write.ts';

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

/** The next number that a list allocates. */
export const nextIn = ({ NEXT: next }: Item): number => Number(next ?? 0);

/** The filters that are built: every record of the list is in their sets. */
export const builtFilters = ({ FILTERS: fields }: Item): readonly string[] => (Array.isArray(fields) ? fields : []);

/** Bytes of the largest record that was noted; 0 if none was. */
export const largestNoted = ({ LARGEST: bytes }: Item): number => Number(bytes ?? 0);

/** Changes a counter item. @throws ConditionalCheckFailedException */
async function change(table: Table, list: string, change: Omit<Parameters<typeof updateRequest>[1], 'key'>) {
  await table.client.send(new UpdateCommand(updateRequest(table.name, { key: counterKeyOf(list), ...change })));
}

/**
 * Notes the size of a record, if it is large: readers tell from it how many records a query returns. The note never
 * decreases, and is a hint: it may be missing.
 */
export async function noteLargest(table: Table, { partition }: List, bytes: number): Promise<void> {
  if (bytes < LARGE) return;
  const condition = { exists: true, atMost: { LARGEST: bytes - 1 } };
  await change(table, partition, { set: { LARGEST: bytes }, condition });
}

/**
 * Notes that indexes are not built any more: a record is about to be written that is not in them. Lists by them are
 * refused until the operator builds them again.
 */
export async function noteUnbuilt(table: Table, { partition }: List, indexes: readonly string[]): Promise<void> {
  for (;;) {
    const built = builtFilters(await readCounterItem(table, partition, true));
    const left = built.filter((index) => !indexes.includes(index));
    if (left.length === built.length) return;
    try {
      return await change(table, partition, { set: { FILTERS: left }, condition: { equals: { FILTERS: built } } });
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }
}

/** What removes superfluous marks from a counter item, where there are any, unless another writer has changed the mark to extend. */
export function compactorOf(table: Table, { partition }: List, counter: Item): (() => Promise<void>) | undefined {
  const { remove, extend } = compactionOf(counter);
  if (remove.length === 0) return undefined;
  const extension = extend && {
    set: { [extend.mark]: extend.to },
    condition: { equals: { [extend.mark]: extend.from } },
  };
  return () => change(table, partition, { remove, ...extension });
}

/**
 * Names the numbering of a list. It changes where numbers may be given again, or records change without events: in
 * another table, which a restored one always is, and by {@link raiseGeneration}.
 */
export async function generationOf({ client, name }: Table, { GENERATION: count = 0 }: Item): Promise<string> {
  const numbering = JSON.stringify([await client.config.region(), name, Number(count)]);
  return hash('sha256', numbering).slice(0, 12);
}

/** Raises a list's generation. */
export const raiseGeneration = (table: Table, { partition }: Pick<List, 'partition'>): Promise<void> =>
  change(table, partition, { add: { GENERATION: 1 } });
