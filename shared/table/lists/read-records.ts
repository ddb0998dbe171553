import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../connection/client.ts';
import type { Item } from '../schema.ts';
import { retry, Unprocessed } from '../transaction/retry.ts';
import { numberIn, sortKeyOf } from './ids.ts';
import type { ReadBudget } from './read-budget.ts';

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
  budget: ReadBudget,
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
        ScanIndexForward: !budget.newestFirst,
        ConsistentRead: strongly,
        ExclusiveStartKey: start,
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    items.push(...(Items ?? []));
    budget.spend(ConsumedCapacity, strongly);
    start = LastEvaluatedKey;
    queries += 1;
  } while (start !== undefined && queries < maxQueries && budget.mayQuery());
  return recordsIn(items);
}

/** The newest records of a list, strongly consistent. */
export async function readNewest(table: Table, partition: string, limit: number, budget: ReadBudget): Promise<Records> {
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
  budget.spend(ConsumedCapacity, true);
  return recordsIn(Items);
}

/** As many keys as `BatchGetItem` takes. */
const KEYS_A_CALL = 100;

interface Looked {
  readonly records: Records;
  /** Numbers that were not looked at, because there would have been too much to read. */
  readonly unread: readonly number[];
}

/**
 * The records of these numbers, each read alone and all at once. What DynamoDB leaves out, because an answer has at most 16 MB or it is busy,
 * is asked for again after a while, as far as there may be more to read.
 * @throws TableUnavailable when time runs out
 */
export async function readEach(
  table: Table,
  partition: string,
  numbers: readonly number[],
  strongly: boolean,
  budget: ReadBudget,
): Promise<Looked> {
  const items: Item[] = [];
  let unread = budget.newestFirst ? numbers.toReversed() : numbers;
  await retry(async () => {
    while (unread.length > 0) {
      const asked = unread.slice(0, budget.mayRead(unread.length));
      if (asked.length === 0) return;
      const calls = batchesOf(asked).map((batch) => readBatch(table, partition, batch, strongly, budget));
      const answers = await Promise.all(calls);
      items.push(...answers.flatMap(({ found }) => found));
      const left = new Set(answers.flatMap((answer) => answer.unread));
      unread = unread.filter((number, index) => index >= asked.length || left.has(number));
      if (left.size > 0) throw new Unprocessed(`${left.size} records were not read`);
    }
  }, budget.timeLimit);
  return { records: recordsIn(items), unread };
}

const batchesOf = (numbers: readonly number[]): (readonly number[])[] =>
  Array.from({ length: Math.ceil(numbers.length / KEYS_A_CALL) }, (_, index) =>
    numbers.slice(index * KEYS_A_CALL, (index + 1) * KEYS_A_CALL),
  );

async function readBatch(
  table: Table,
  partition: string,
  numbers: readonly number[],
  strongly: boolean,
  budget: ReadBudget,
): Promise<{ readonly found: readonly Item[]; readonly unread: readonly number[] }> {
  const Keys = numbers.map((number) => ({ PK: partition, SK: sortKeyOf(number) }));
  const { Responses, UnprocessedKeys, ConsumedCapacity } = await table.client.send(
    new BatchGetCommand({
      RequestItems: { [table.name]: { Keys, ConsistentRead: strongly } },
      ReturnConsumedCapacity: 'TOTAL',
    }),
  );
  budget.spend(ConsumedCapacity?.[0], strongly);
  const unread = UnprocessedKeys?.[table.name]?.Keys ?? [];
  return { found: Responses?.[table.name] ?? [], unread: unread.map(({ SK }) => numberIn(String(SK))) };
}
