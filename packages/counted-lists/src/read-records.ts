import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { numberIn, sortKeyOf } from './ids.ts';
import type { OrderScan } from './page-numbers.ts';
import { between, ofPartition, type Query, queryOnce, startingAt } from './queries.ts';
import { type Condition, filteredBy, type ListQuery } from './query.ts';
import { ReadBudget } from './read-budget.ts';
import { type Item, isRecord } from './schema.ts';
import { retry, Table, type TimeLimit, Unprocessed } from './table.ts';
import type { View } from './view.ts';

/** Records and tombstones, by number. */
export type Records = ReadonlyMap<number, Item>;

export const recordsIn = (items: readonly Item[]): Records =>
  new Map(items.map((item) => [numberIn(String(item.SK)), item]));

/** The result of reading some records. */
interface PartialRead {
  readonly records: Records;
  /** Numbers that were not read: they are beyond the 1 MB of a query, or the budget was spent. */
  readonly unread: readonly number[];
}

/**
 * Reads the records from the first to the last of these numbers, with those in between, as far as one query returns
 * them.
 * @param conditions leave out records that do not meet them, as far as DynamoDB knows
 */
async function readBetween(
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
 * Reads the records of these numbers by key, in parallel batches. Keys that DynamoDB leaves unprocessed, because of its
 * limit of 16 MB or for lack of capacity, are read again after a wait, as far as the budget allows.
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

/** Reads the records of numbers by as few queries as are worth it, else by key. */

/**
 * Reads the records of these numbers. In a list that is not bounded by sets they are neighbours, and are read strongly
 * consistently. In others, and in an order, they may be scattered: they are read eventually consistently, at half the
 * price, and those that are missing or are not as the indexes say (which may be a stale replica) are read again
 * strongly consistently. If they are dense, one query reads them, with the records between them.
 * @returns records and tombstones, also such that do not belong to the list
 */
export async function readRecords(
  table: Table,
  { partition, conditions, matches }: ListQuery,
  { included }: View,
  numbers: readonly number[],
  budget: ReadBudget,
  order?: OrderScan,
): Promise<Records> {
  if (numbers.length === 0) return new Map();
  const areNeighbours = included === undefined && order === undefined;
  budget.expect(numbers.length, areNeighbours);
  if (areNeighbours) return readNeighbours(table, partition, numbers, budget);
  const isOneQuery =
    order === undefined && isDense(numbers) && spanOf(numbers) <= budget.perQuery && !budget.hasFullQuery;
  const { records } = isOneQuery
    ? await readBetween(table, partition, numbers, false, budget, conditions)
    : await readEach(table, partition, numbers, false, budget);
  const isCurrent = (number: number, item: Item): boolean =>
    isRecord(item) && matches(item) && order?.hasAsIs(number, item) !== false;
  const current = new Map(Array.from(records).filter(([number, item]) => isCurrent(number, item)));
  const doubtful = numbers.filter((number) => !current.has(number));
  if (doubtful.length === 0) return current;
  const again = await readEach(table, partition, doubtful, true, budget);
  return leadingOf(numbers, new Map([...current, ...again.records]), again.unread, budget);
}

/**
 * Reads the records of these numbers of the whole list: each run of neighbours by a query, by several where the list is
 * known to have large records, and by key what they do not reach. Strongly consistent.
 */
export async function readNeighbours(
  table: Table,
  partition: string,
  numbers: readonly number[],
  budget: ReadBudget,
): Promise<Records> {
  const ranges = budget.hasFullQuery ? [] : rangesOf(numbers, budget.perQuery);
  const reads = await Promise.all(ranges.map((range) => readBetween(table, partition, range, true, budget)));
  const found = new Map(reads.flatMap(({ records }) => [...records]));
  const left = ranges.length === 0 ? numbers : reads.flatMap((read) => read.unread);
  if (left.length === 0) return found;
  const { records, unread } = await readEach(table, partition, left, true, budget);
  return leadingOf(numbers, new Map([...found, ...records]), unread, budget);
}

/** Reads the records of these numbers, wherever they are. Strongly consistent. */
export const readStrongly = async (
  table: Table,
  partition: string,
  numbers: readonly number[],
  budget: ReadBudget,
): Promise<Records> =>
  isDense(numbers)
    ? readNeighbours(table, partition, numbers, budget)
    : (await readEach(table, partition, numbers, true, budget)).records;

/** Most queries at once. */
const MOST_QUERIES = 16;

/** How many tombstones a unit reads at least. */
const TOMBSTONES_A_UNIT = 50;

/** Between numbers this far apart there may be tombstones for two units; another query costs at most one more. */
const FAR = 2 * TOMBSTONES_A_UNIT;

/**
 * Divides numbers into ranges that are read by a query each: where they are farthest apart, and before a range has more
 * than a query reads for certain. Returns none where reading tombstones in these ranges may cost more than reading by
 * key.
 */
function rangesOf(numbers: readonly number[], most: number): (readonly number[])[] {
  const distances = numbers.map((number, index) => ({ index, distance: number - (numbers[index - 1] ?? number) }));
  const ends = distances
    .filter(({ distance }) => distance > FAR)
    .sort((one, other) => other.distance - one.distance)
    .slice(0, MOST_QUERIES - 1)
    .map(({ index }) => index)
    .sort((one, other) => one - other);
  const runs = [0, ...ends].map((start, index) => numbers.slice(start, ends[index]));
  const between = runs.reduce((sum, run) => sum + spanOf(run), 0) - numbers.length;
  if (between > numbers.length * TOMBSTONES_A_UNIT) return [];
  const parts = runs.flatMap((run) =>
    Array.from(Map.groupBy(run, (number) => Math.floor((number - (run[0] ?? 0)) / most)).values()),
  );
  return parts.length > MOST_QUERIES ? runs : parts;
}

const spanOf = (numbers: readonly number[]): number => (numbers.at(-1) ?? 0) - (numbers[0] ?? 0) + 1;

/** Without those from the first unread one on: a page that is cut must not have gaps. */
function leadingOf(
  numbers: readonly number[],
  records: Records,
  unread: readonly number[],
  { newestFirst }: ReadBudget,
): Records {
  if (unread.length === 0) return records;
  const ordered = newestFirst ? numbers.toReversed() : numbers;
  const cut = new Set(ordered.slice(ordered.findIndex((number) => unread.includes(number))));
  return new Map(Array.from(records).filter(([number]) => !cut.has(number)));
}

/** A single read costs as much as four records of 1 KB in a query. */
const RECORDS_A_UNIT = 4;

const isDense = (numbers: readonly number[]): boolean => spanOf(numbers) <= numbers.length * RECORDS_A_UNIT;
