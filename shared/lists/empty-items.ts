import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { isEmpty, WORD_NAMES } from './bits.ts';
import type { Item } from './schema.ts';
import type { Table } from './table.ts';
import { conditionOf } from './transaction/conditions.ts';

/**
 * Compaction: deletes items of a set without numbers, such as those of tickets that were once open, which every reader of the set would read
 * again. The deletion is conditional on their still being empty.
 */

/** Fewest empty items for which compaction is worth its writes, and most that are deleted at once. */
const WORTHWHILE = 8;
const MOST = 25;

/** Best effort: failures are ignored. */
export async function deleteEmptyItems(table: Table, items: readonly Item[]): Promise<void> {
  const empty = items.filter(isEmpty);
  if (empty.length >= WORTHWHILE) await deleteAsRead(table, empty);
}

/** Deletes up to {@link MOST} items of a set on condition that their words are as read. Best effort. */
export async function deleteAsRead(table: Table, items: readonly Item[]): Promise<void> {
  if (items.length === 0) return;
  const removals = await Promise.allSettled(items.slice(0, MOST).map((item) => remove(table, item)));
  table.observer.count('compactions', removals.filter(({ status }) => status === 'fulfilled').length);
}

const remove = (table: Table, item: Item) =>
  table.client.send(
    new DeleteCommand({
      TableName: table.name,
      Key: { PK: item.PK, SK: item.SK },
      ...conditionOf({ equals: Object.fromEntries(WORD_NAMES.map((word) => [word, item[word]])) }),
    }),
  );
