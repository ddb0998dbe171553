import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, keyIn, nameOf } from './schema.ts';
import { type Clock, retry, Table, type TimeLimit, Unprocessed } from './table.ts';

/** Reads items of partitions, and those of some keys. */

/** What is queried, as `QueryCommand` names it. */
export interface Query {
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeValues: Readonly<Record<string, unknown>>;
  readonly FilterExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ScanIndexForward?: boolean;
  /** By default strongly consistent. */
  readonly ConsistentRead?: boolean;
}

/** All items of a query, or the first `most`, one page after another. Strongly consistent. */
export const queryAll = async (table: Table, query: Query, most?: number): Promise<Item[]> =>
  (await queryUpTo(table, query, most)).items;

/** What a query has read. */
export interface Queried {
  readonly items: Item[];
  /** In read units. */
  readonly units: number;
  /** How many queries it took: one for every megabyte. */
  readonly queries: number;
  /** The key after which there may be more. */
  readonly last: Record<string, unknown> | undefined;
}

/** The same, with its cost and where it ended. @param after the key after which to begin */
export async function queryUpTo(table: Table, query: Query, most?: number, after?: Queried['last']): Promise<Queried> {
  const items: Item[] = [];
  let [units, queries] = [0, 0];
  let start = after;
  do {
    const read = await queryOnce(table, query, most === undefined ? undefined : most - items.length, start);
    queries++;
    items.push(...read.items);
    units += read.units;
    start = read.last;
  } while (start !== undefined && items.length !== most);
  return { items, units, queries, last: start };
}

/** What one query reads: 1 MB at most. `scanned` counts also the items that its filter leaves out. */
export async function queryOnce(
  table: Table,
  query: Query,
  most?: number,
  after?: Queried['last'],
): Promise<Omit<Queried, 'queries'> & { readonly scanned: number }> {
  const output = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      ConsistentRead: true,
      ...query,
      ...(most === undefined ? {} : { Limit: most }),
      ExclusiveStartKey: after,
    }),
  );
  const { Items: items = [], ScannedCount: scanned = items.length, LastEvaluatedKey: last } = output;
  return { items, scanned, units: Table.unitsIn(output), last };
}

/** All items of a set, or of gaps and counter item. Strongly consistent. A query reads 4.5 million numbers. */
export const readSet = (table: Table, partition: string): Promise<Item[]> => queryAll(table, ofPartition(partition));

/** All items of a partition. */
export const ofPartition = (partition: string): Query => ({
  KeyConditionExpression: 'PK = :partition',
  ExpressionAttributeValues: { ':partition': partition },
});

/** The items of a partition whose sort keys begin with this. */
export const beginningWith = (partition: string, prefix: string): Query => ({
  KeyConditionExpression: 'PK = :partition AND begins_with(SK, :prefix)',
  ExpressionAttributeValues: { ':partition': partition, ':prefix': prefix },
});

/** The items of a partition from a sort key on. */
export const startingAt = (partition: string, first: string): Query => ({
  KeyConditionExpression: 'PK = :partition AND SK >= :first',
  ExpressionAttributeValues: { ':partition': partition, ':first': first },
});

/** The items of a partition from the first to the last of these sort keys. */
export const between = (partition: string, [first, last]: readonly [first: string, last: string]): Query => ({
  KeyConditionExpression: 'PK = :partition AND SK BETWEEN :first AND :last',
  ExpressionAttributeValues: { ':partition': partition, ':first': first, ':last': last },
});

interface Place {
  readonly table: Table;
  readonly clock: Clock;
}

/** Longest time for one query, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * All items of a partition in the order of their sort keys, one query at a time. Strongly consistent, with retries.
 * @example for await (const item of readPartition({ table, clock: Date.now }, 'TICKETS')) print(item)
 */
export async function* readPartition({ table, clock }: Place, partition: string, from = ''): AsyncGenerator<Item> {
  const query = from === '' ? ofPartition(partition) : startingAt(partition, from);
  let start: Queried['last'];
  do {
    const timeLimit = { clock, deadline: clock() + TIMEOUT_MS, observer: table.observer };
    const { items, last } = await retry(() => queryOnce(table, query, undefined, start), timeLimit);
    yield* items;
    start = last;
  } while (start !== undefined);
}

/**
 * Reads the items of up to 100 keys, by default strongly consistent.
 * @example const { items } = await readItems(table, [key], timeLimit); items.get(schema.nameOf(key))
 * @returns those that there are, by the names of their keys (`schema.nameOf`), and the units that it took
 * @throws TableUnavailable when time runs out
 */
export async function readItems(
  { client, name }: Table,
  keys: readonly Key[],
  timeLimit: TimeLimit,
  { ConsistentRead = true } = {},
) {
  const items = new Map<string, Item>();
  let units = 0;
  let unread = keys;
  await retry(async () => {
    if (unread.length === 0) return;
    const Keys = unread.map((key) => ({ ...key }));
    const output = await client.send(new BatchGetCommand({ RequestItems: { [name]: { Keys, ConsistentRead } } }));
    units += Table.unitsIn(output);
    for (const item of (output.Responses?.[name] ?? []) as Item[]) items.set(nameOf(keyIn(item)), item);
    unread = (output.UnprocessedKeys?.[name]?.Keys ?? []) as unknown as Key[];
    if (unread.length > 0) throw new Unprocessed(`${unread.length} items were not read`);
  }, timeLimit);
  return { items, units };
}
