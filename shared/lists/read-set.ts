import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { COUNTER, setPartition } from './keys.ts';
import { queryAll } from './query-all.ts';
import type { Item } from './schema.ts';
import type { Table } from './table.ts';

/** All items of a set, or of a list's gaps with its counter item, strongly consistent: one query for every 4.5 million numbers. */
export const readSet = (table: Table, partition: string): Promise<Item[]> =>
  queryAll(table, { KeyConditionExpression: 'PK = :set', ExpressionAttributeValues: { ':set': partition } });

/** The counter item of a list; empty before the first number is allocated. */
export async function readCounterItem(table: Table, list: string, strongly: boolean): Promise<Item> {
  const { Item: counter = {} } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: { PK: setPartition(list), SK: COUNTER },
      ConsistentRead: strongly,
    }),
  );
  return counter;
}
