import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../connection/client.ts';
import type { Item } from '../schema.ts';
import { retry, Unprocessed } from '../transaction/retry.ts';
import { numberIn, sortKeyOf } from './ids.ts';
import type { ReadBudget } from './read-budget.ts';

/** Records by number, without tombstones. */
export type Records = ReadonlyMap<number, Item>;

/** Attribute of the tombstone of a fenced number, which never gets a record (`fence.ts`). */
export const TOMBSTONE = 'TOMBSTONE';

const recordsIn = (items: readonly Item[]): Records =>
  new Map(items.filter((item) => item[TOMBSTONE] === undefined).map((item) => [numberIn(String(item.SK)), item]));

/**
 * Reads the records from the first to the last of these numbers, with those in between.
 * @param maxQueries most queries, of 1 MB each
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

/** Most keys of a `BatchGetItem`. */
const KEYS_A_CALL = 100;

interface EachRead {
  readonly records: Records;
  /** Numbers that were not read because the budget was spent. */
  readonly unread: readonly number[];
}

/**
 * Reads the records of these numbers by key, in parallel batches. Keys that DynamoDB leaves unprocessed, because of its limit of 16 MB or for
 * lack of capacity, are read again after a wait, as far as the budget allows.
 * @throws TableUnavailable when time runs out
 */
export async function readEach(
  table: Table,
  partition: string,
  numbers: readonly number[],
  strongly: boolean,
  budget: ReadBudget,
): Promise<EachRead> {
  const items: Item[] = [];
  let unread = budget.newestFirst ? numbers.toReversed() : numbers;
  await retry(async () => {
    while (unread.length > 0) {
      const requested = unread.slice(0, budget.mayRead(unread.length));
      if (requested.length === 0) return;
      const calls = batchesOf(requested).map((batch) => readBatch(table, partition, batch, strongly, budget));
      const answers = await Promise.all(calls);
      items.push(...answers.flatMap(({ found }) => found));
      const left = new Set(answers.flatMap((answer) => answer.unread));
      unread = unread.filter((number, index) => index >= requested.length || left.has(number));
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
