import { isDeepStrictEqual } from 'node:util';
import { GetCommand, QueryCommand, type QueryCommandInput, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, retry } from '@custodia/counted-lists';
import { counterKeyOf, inTrash, NumberSet, readRecordsByNumber, readSet } from '@custodia/counted-lists/maintenance';
import { changed, type VerifyContext } from './difference.ts';

/** Reads for the verification: strongly consistent, with retries. */

/** Longest time for one read, in milliseconds. */
const TIMEOUT_MS = 60_000;

export const withRetries = <T>({ clock }: VerifyContext, read: () => Promise<T>): Promise<T> =>
  retry(read, { clock, deadline: clock() + TIMEOUT_MS });

export async function readItem(scope: VerifyContext, key: Key): Promise<Item | undefined> {
  const command = new GetCommand({ TableName: scope.table.name, Key: { ...key }, ConsistentRead: true });
  return (await withRetries(scope, () => scope.table.client.send(command))).Item;
}

/**
 * An item, and those whose keys follow from it, as they were at one moment; a hundred at most.
 * @throws StaleRead where other keys follow from it meanwhile
 */
export async function readTogether(
  scope: VerifyContext,
  key: Key,
  keysOf: (item: Item | undefined) => readonly Key[],
): Promise<(Item | undefined)[]> {
  const { client, name } = scope.table;
  const keys = keysOf(await readItem(scope, key));
  const command = new TransactGetCommand({
    TransactItems: [key, ...keys].map((each) => ({ Get: { TableName: name, Key: { ...each } } })),
  });
  const { Responses = [] } = await withRetries(scope, () => client.send(command));
  const items = Responses.map(({ Item }) => Item);
  if (!isDeepStrictEqual(keysOf(items[0]), keys)) throw changed();
  return items;
}

/** The counter item of a list; empty before the first number is allocated. */
export const readCounter = async (scope: VerifyContext, partition: string): Promise<Item> =>
  (await readItem(scope, counterKeyOf(partition))) ?? {};

/** The numbers in a set. */
export async function readNumberSet(scope: VerifyContext, set: string): Promise<NumberSet> {
  return NumberSet.ofItems(await withRetries(scope, () => readSet(scope.table, set)));
}

/** The numbers in a set, and those of the trash beside it. */
export async function readNumberSets(scope: VerifyContext, set: string) {
  const items = await withRetries(scope, () => readSet(scope.table, set));
  const isIn = (item: Item): boolean => inTrash(item) !== undefined;
  return { set: NumberSet.ofItems(items.filter((item) => !isIn(item))), trash: NumberSet.ofItems(items.filter(isIn)) };
}

/** The records of these numbers, however many. */
export const recordsByNumber = ({ table, clock }: VerifyContext, partition: string, numbers: readonly number[]) =>
  readRecordsByNumber(table, partition, numbers, { clock, deadline: clock() + TIMEOUT_MS });

export async function countPartition(scope: VerifyContext, partition: string): Promise<number> {
  let count = 0;
  let start: Record<string, unknown> | undefined;
  do {
    const read = await queryPartition(scope, partition, { Select: 'COUNT', ExclusiveStartKey: start });
    count += read.Count ?? 0;
    start = read.LastEvaluatedKey;
  } while (start !== undefined);
  return count;
}

export const readLast = async (scope: VerifyContext, partition: string): Promise<Item | undefined> =>
  (await queryPartition(scope, partition, { ScanIndexForward: false, Limit: 1 })).Items?.[0];

function queryPartition(scope: VerifyContext, partition: string, options: Partial<QueryCommandInput>) {
  const command = new QueryCommand({
    TableName: scope.table.name,
    KeyConditionExpression: 'PK = :partition',
    ExpressionAttributeValues: { ':partition': partition },
    ConsistentRead: true,
    ...options,
  });
  return withRetries(scope, () => scope.table.client.send(command));
}

/** Elements that are processed in parallel. */
const CONCURRENCY = 16;

/** Processes elements in parallel, and those of one group one after another. By default none belong together. */
export async function concurrently<T, R>(
  elements: readonly T[],
  work: (element: T) => Promise<readonly R[]>,
  groupOf: (element: T, index: number) => number = (_, index) => index,
): Promise<R[]> {
  const groups = Map.groupBy(elements.entries(), ([index, element]) => groupOf(element, index) % CONCURRENCY);
  const results = await Promise.all(
    Array.from(groups.values(), async (group) => {
      const found: R[] = [];
      for (const [, element] of group) for (const result of await work(element)) found.push(result);
      return found;
    }),
  );
  return results.flat();
}
