import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../client.ts';
import type { Item } from '../staged.ts';
import { numberIn, sortKeyOf } from './ids.ts';

/** Records by their numbers. Tombstones are none. */
export type Records = ReadonlyMap<number, Item>;

/** A number that no record will have: left where its writer did not come (`fence.ts`). */
export const TOMBSTONE = 'TOMBSTONE';

const recordsIn = (items: readonly Item[]): Records =>
  new Map(items.filter((item) => item[TOMBSTONE] === undefined).map((item) => [numberIn(String(item.SK)), item]));

/** The records from the first to the last of these numbers: what lies between, one query reads as cheaply as it can. */
export async function readBetween(
  table: Table,
  partition: string,
  numbers: readonly number[],
  strongly: boolean,
): Promise<Records> {
  const items: Item[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'PK = :list AND SK BETWEEN :from AND :to',
        ExpressionAttributeValues: {
          ':list': partition,
          ':from': sortKeyOf(numbers[0] ?? 0),
          ':to': sortKeyOf(numbers.at(-1) ?? 0),
        },
        ConsistentRead: strongly,
        ExclusiveStartKey: start,
      }),
    );
    items.push(...Items);
    start = LastEvaluatedKey;
  } while (start !== undefined);
  return recordsIn(items);
}

/** The newest records of a list, strongly consistent. */
export async function readNewest(table: Table, partition: string, limit: number): Promise<Records> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'PK = :list',
      ExpressionAttributeValues: { ':list': partition },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: limit,
    }),
  );
  return recordsIn(Items);
}

/** As many keys as `BatchGetItem` takes. */
const KEYS_A_CALL = 100;

/** The records of these numbers, each read alone. */
export async function readEach(
  table: Table,
  partition: string,
  numbers: readonly number[],
  strongly: boolean,
): Promise<Records> {
  const calls = Array.from({ length: Math.ceil(numbers.length / KEYS_A_CALL) }, (_, index) =>
    readBatch(table, partition, numbers.slice(index * KEYS_A_CALL, (index + 1) * KEYS_A_CALL), strongly),
  );
  return recordsIn((await Promise.all(calls)).flat());
}

/** What DynamoDB leaves out, because an answer has at most 16 MB or it is busy, is asked for again. */
async function readBatch(
  table: Table,
  partition: string,
  numbers: readonly number[],
  strongly: boolean,
): Promise<Item[]> {
  const items: Item[] = [];
  let keys: Record<string, unknown>[] = numbers.map((number) => ({ PK: partition, SK: sortKeyOf(number) }));
  while (keys.length > 0) {
    const { Responses, UnprocessedKeys } = await table.client.send(
      new BatchGetCommand({ RequestItems: { [table.name]: { Keys: keys, ConsistentRead: strongly } } }),
    );
    items.push(...(Responses?.[table.name] ?? []));
    keys = UnprocessedKeys?.[table.name]?.Keys ?? [];
  }
  return items;
}
