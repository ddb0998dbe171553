import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../client.ts';
import { LeftUndone, persist } from '../persist.ts';
import type { Item } from '../staged.ts';
import { numberIn, sortKeyOf } from './ids.ts';
import type { Reading } from './reading.ts';

/** Records by their numbers. Tombstones are none. */
export type Records = ReadonlyMap<number, Item>;

/** A number that no record will have: left where its writer did not come (`fence.ts`). */
export const TOMBSTONE = 'TOMBSTONE';

const recordsIn = (items: readonly Item[]): Records =>
  new Map(items.filter((item) => item[TOMBSTONE] === undefined).map((item) => [numberIn(String(item.SK)), item]));

/**
 * The records from the first to the last of these numbers: what lies between, one query reads as cheaply as it can.
 * @param maxQueries of 1 MB each
 */
export async function readBetween(
  table: Table,
  partition: string,
  numbers: readonly number[],
  strongly: boolean,
  reading: Reading,
  maxQueries = Number.POSITIVE_INFINITY,
): Promise<Records> {
  const items: Item[] = [];
  let start: Record<string, unknown> | undefined;
  let queries = 0;
  do {
    const { Items, LastEvaluatedKey, ConsumedCapacity } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'PK = :list AND SK BETWEEN :from AND :to',
        ExpressionAttributeValues: {
          ':list': partition,
          ':from': sortKeyOf(numbers[0] ?? 0),
          ':to': sortKeyOf(numbers.at(-1) ?? 0),
        },
        ScanIndexForward: !reading.newestFirst,
        ConsistentRead: strongly,
        ExclusiveStartKey: start,
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    items.push(...(Items ?? []));
    reading.spend(ConsumedCapacity, strongly);
    start = LastEvaluatedKey;
    queries += 1;
  } while (start !== undefined && queries < maxQueries && reading.mayQuery());
  return recordsIn(items);
}

/** The newest records of a list, strongly consistent. */
export async function readNewest(table: Table, partition: string, limit: number, reading: Reading): Promise<Records> {
  const { Items = [], ConsumedCapacity } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'PK = :list',
      ExpressionAttributeValues: { ':list': partition },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: limit,
      ReturnConsumedCapacity: 'TOTAL',
    }),
  );
  reading.spend(ConsumedCapacity, true);
  return recordsIn(Items);
}

/** As many keys as `BatchGetItem` takes. */
const KEYS_A_CALL = 100;

interface Looked {
  readonly records: Records;
  /** Numbers that were not looked at, because there would have been too much to read. */
  readonly unread: readonly number[];
}

/** The records of these numbers, each read alone: as many at once as may be read even if they are large. */
export async function readEach(
  table: Table,
  partition: string,
  numbers: readonly number[],
  strongly: boolean,
  reading: Reading,
): Promise<Looked> {
  const items: Item[] = [];
  const inOrder = reading.newestFirst ? numbers.toReversed() : numbers;
  let done = 0;
  while (done < inOrder.length) {
    const some = reading.mayRead(inOrder.length - done);
    if (some === 0) break;
    const calls = batchesOf(inOrder.slice(done, done + some)).map((batch) =>
      readBatch(table, partition, batch, strongly, reading),
    );
    items.push(...(await Promise.all(calls)).flat());
    done += some;
  }
  return { records: recordsIn(items), unread: inOrder.slice(done) };
}

const batchesOf = (numbers: readonly number[]): (readonly number[])[] =>
  Array.from({ length: Math.ceil(numbers.length / KEYS_A_CALL) }, (_, index) =>
    numbers.slice(index * KEYS_A_CALL, (index + 1) * KEYS_A_CALL),
  );

/**
 * What DynamoDB leaves out, because an answer has at most 16 MB or it is busy, is asked for again after a while.
 * @throws TableUnavailable when time runs out
 */
async function readBatch(
  table: Table,
  partition: string,
  numbers: readonly number[],
  strongly: boolean,
  reading: Reading,
): Promise<Item[]> {
  const items: Item[] = [];
  let keys: Record<string, unknown>[] = numbers.map((number) => ({ PK: partition, SK: sortKeyOf(number) }));
  await persist(async () => {
    const { Responses, UnprocessedKeys, ConsumedCapacity } = await table.client.send(
      new BatchGetCommand({
        RequestItems: { [table.name]: { Keys: keys, ConsistentRead: strongly } },
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    items.push(...(Responses?.[table.name] ?? []));
    reading.spend(ConsumedCapacity?.[0], strongly);
    keys = UnprocessedKeys?.[table.name]?.Keys ?? [];
    if (keys.length > 0) throw new LeftUndone(`${keys.length} keys were not read`);
  }, reading.patience);
  return items;
}
