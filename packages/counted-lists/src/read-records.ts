import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { Unprocessed } from './errors.ts';
import { numberIn, sortKeyOf } from './ids.ts';
import { between, ofPartition, type Query, queryOnce, startingAt } from './queries.ts';
import type { Condition } from './query.ts';
import { ReadBudget } from './read-budget.ts';
import { type Item, isRecord } from './schema.ts';
import { filteredBy } from './stored-filter.ts';
import { Table } from './table.ts';
import type { TimeLimit } from './time-limit.ts';
import { retry } from './transaction/retry.ts';

/** Records and tombstones, by number. */
export type Records = ReadonlyMap<number, Item>;

export const recordsIn = (items: readonly Item[]): Records =>
  new Map(items.map((item) => [numberIn(String(item.SK)), item]));

/** The result of reading some records. */
export interface PartialRead {
  readonly records: Records;
  /** Numbers that were not read: they are beyond the 1 MB of a query, or the budget was spent. */
  readonly unread: readonly number[];
}

/**
 * Reads the records from the first to the last of these numbers, with those in between, as far as one query returns them.
 * @param conditions leave out records that do not meet them, as far as DynamoDB knows
 */
export async function readBetween(
  table: Table,
  partition: string,
  numbers: readonly number[],
  strongly: boolean,
  budget: ReadBudget,
  conditions: readonly Condition[] = [],
): Promise<PartialRead> {
  const range = between(partition, [sortKeyOf(numbers[0] ?? 0), sortKeyOf(numbers.at(-1) ?? 0)]);
  const query = { ...range, ScanIndexForward: !budget.newestFirst, ConsistentRead: strongly };
  const { items, last } = await readOnce(table, filteredBy(query, conditions), budget);
  if (last === undefined) return { records: recordsIn(items), unread: [] };
  budget.hasFullQuery = true;
  const end = numberIn(String(last.SK));
  return {
    records: recordsIn(items),
    unread: numbers.filter((number) => (budget.newestFirst ? number < end : number > end)),
  };
}

/** The newest records of a list, strongly consistent. */
export async function readNewest(table: Table, partition: string, limit: number, budget: ReadBudget): Promise<Records> {
  const query = { ...ofPartition(partition), ScanIndexForward: false };
  const { items, last } = await readOnce(table, query, budget, limit);
  if (last !== undefined && items.length < limit) budget.hasFullQuery = true;
  return recordsIn(items);
}

/** The first record or tombstone after a number, strongly consistent. */
export const readNext = async (
  table: Table,
  partition: string,
  number: number,
  budget: ReadBudget,
): Promise<Item | undefined> =>
  (await readOnce(table, startingAt(partition, sortKeyOf(number + 1)), budget, 1)).items[0];

/** Sends one query, charged to the budget. */
async function readOnce(table: Table, query: Query, budget: ReadBudget, most?: number) {
  const read = await queryOnce(table, query, most);
  budget.spend(read.units, query.ConsistentRead !== false, read.scanned);
  return read;
}

/** Most keys of a `BatchGetItem`. */
const KEYS_A_CALL = 100;

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
): Promise<PartialRead> {
  const items: Item[] = [];
  let unread = budget.newestFirst ? numbers.toReversed() : numbers;
  await retry(async () => {
    while (unread.length > 0) {
      const requested = unread.slice(0, budget.mayRead(unread.length));
      if (requested.length === 0) return;
      const batches = Map.groupBy(requested, (_, index) => Math.floor(index / KEYS_A_CALL));
      const calls = Array.from(batches.values(), (batch) => readBatch(table, partition, batch, strongly, budget));
      const responses = await Promise.all(calls);
      items.push(...responses.flatMap(({ found }) => found));
      const left = new Set(responses.flatMap((response) => response.unread));
      unread = unread.filter((number, index) => index >= requested.length || left.has(number));
      if (left.size > 0) throw new Unprocessed(`${left.size} records were not read`);
    }
  }, budget.timeLimit);
  return { records: recordsIn(items), unread };
}

async function readBatch(
  table: Table,
  partition: string,
  numbers: readonly number[],
  strongly: boolean,
  budget: ReadBudget,
): Promise<{ readonly found: readonly Item[]; readonly unread: readonly number[] }> {
  const Keys = numbers.map((number) => ({ PK: partition, SK: sortKeyOf(number) }));
  const output = await table.client.send(
    new BatchGetCommand({ RequestItems: { [table.name]: { Keys, ConsistentRead: strongly } } }),
  );
  const found = output.Responses?.[table.name] ?? [];
  budget.spend(Table.unitsIn(output), strongly, found.length);
  const unread = output.UnprocessedKeys?.[table.name]?.Keys ?? [];
  return { found, unread: unread.map(({ SK }) => numberIn(String(SK))) };
}

/**
 * The records of these numbers, however many, strongly consistent. Those without one are left out.
 * @throws TableUnavailable when time runs out
 */
export async function readRecordsByNumber(
  table: Table,
  partition: string,
  numbers: readonly number[],
  timeLimit: TimeLimit,
): Promise<Records> {
  const budget = new ReadBudget(timeLimit, false, Number.POSITIVE_INFINITY);
  const { records } = await readEach(table, partition, numbers, true, budget);
  return new Map(Array.from(records).filter(([, item]) => isRecord(item)));
}
