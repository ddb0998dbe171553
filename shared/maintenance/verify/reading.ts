import { GetCommand, QueryCommand, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, retry } from '#lists';
import { NumberSet, readRecordsByNumber, readSet } from '#lists/maintenance';
import type { VerifyContext } from './difference.ts';

/** Reads for the verification: strongly consistent, with retries. */

/** Longest time for one read, in milliseconds. */
const TIMEOUT_MS = 60_000;

export const withRetries = <T>({ clock }: VerifyContext, read: () => Promise<T>): Promise<T> =>
  retry(read, { clock, deadline: clock() + TIMEOUT_MS });

export async function readItem(scope: VerifyContext, key: Key): Promise<Item | undefined> {
  const command = new GetCommand({ TableName: scope.table.name, Key: { ...key }, ConsistentRead: true });
  return (await withRetries(scope, () => scope.table.client.send(command))).Item;
}

/** Items as they were at one moment, in the order of the keys; a hundred at most. */
export async function readTogether(scope: VerifyContext, keys: readonly Key[]): Promise<(Item | undefined)[]> {
  const { client, name } = scope.table;
  const command = new TransactGetCommand({
    TransactItems: keys.map((key) => ({ Get: { TableName: name, Key: { ...key } } })),
  });
  const { Responses = [] } = await withRetries(scope, () => client.send(command));
  return Responses.map(({ Item }) => Item);
}

/** The numbers in a set. */
export async function readNumberSet(scope: VerifyContext, set: string): Promise<NumberSet> {
  return NumberSet.ofItems(await withRetries(scope, () => readSet(scope.table, set)));
}

/** The records of these numbers, however many. */
export const recordsByNumber = ({ table, clock }: VerifyContext, partition: string, numbers: readonly number[]) =>
  readRecordsByNumber(table, partition, numbers, { clock, deadline: clock() + TIMEOUT_MS });

export async function countPartition(scope: VerifyContext, partition: string): Promise<number> {
  let count = 0;
  let start: Record<string, unknown> | undefined;
  do {
    const command = new QueryCommand({
      TableName: scope.table.name,
      KeyConditionExpression: 'PK = :partition',
      ExpressionAttributeValues: { ':partition': partition },
      Select: 'COUNT',
      ConsistentRead: true,
      ExclusiveStartKey: start,
    });
    const { Count = 0, LastEvaluatedKey } = await withRetries(scope, () => scope.table.client.send(command));
    count += Count;
    start = LastEvaluatedKey;
  } while (start !== undefined);
  return count;
}

export async function readLast(scope: VerifyContext, partition: string): Promise<Item | undefined> {
  const command = new QueryCommand({
    TableName: scope.table.name,
    KeyConditionExpression: 'PK = :partition',
    ExpressionAttributeValues: { ':partition': partition },
    ScanIndexForward: false,
    Limit: 1,
    ConsistentRead: true,
  });
  const { Items = [] } = await withRetries(scope, () => scope.table.client.send(command));
  return Items[0];
}

/** Elements that are processed in parallel. */
const CONCURRENCY = 16;

/** Processes elements in parallel, and those of one group one after another. */
export async function concurrentlyByGroup<T, R>(
  elements: readonly T[],
  groupOf: (element: T, index: number) => number,
  work: (element: T) => Promise<readonly R[]>,
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

/** Processes independent elements in parallel. */
export const concurrently = <T, R>(elements: readonly T[], work: (element: T) => Promise<readonly R[]>): Promise<R[]> =>
  concurrentlyByGroup(elements, (_, index) => index, work);
