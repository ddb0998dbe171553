import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../connection/client.ts';
import type { Item } from '../schema.ts';
import { isEmpty, WORD_NAMES } from './bits.ts';

/**
 * Takes items away that hold no number any more, such as those of tickets that were open once: readers would carry them for ever. On condition that
 * they are still empty, so that nothing is lost.
 */

/** Empty items that are worth a write, and how many go at once. */
const WORTHWHILE = 8;
const MOST = 25;

/** It does not matter if it fails. */
export async function compact(table: Table, items: readonly Item[]): Promise<void> {
  const empty = items.filter(isEmpty);
  if (empty.length < WORTHWHILE) return;
  await Promise.allSettled(empty.slice(0, MOST).map((item) => remove(table, item)));
}

const remove = (table: Table, item: Item) =>
  table.client.send(
    new DeleteCommand({
      TableName: table.name,
      Key: { PK: item.PK, SK: item.SK },
      ConditionExpression: WORD_NAMES.map((word) =>
        item[word] === undefined ? `attribute_not_exists(${word})` : `${word} = :zero`,
      ).join(' AND '),
      ExpressionAttributeValues: { ':zero': 0 },
    }),
  );
