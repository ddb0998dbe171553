import type { OrderScan } from './order-scan.ts';
import type { ListQuery } from './query.ts';
import type { ReadBudget } from './read-budget.ts';
import { type Records, readBetween, readEach } from './read-records.ts';
import { type Item, isRecord } from './schema.ts';
import type { Table } from './table.ts';
import type { View } from './view.ts';

/** Reads the records of numbers by as few queries as are worth it, else by key. */

/**
 * Reads the records of these numbers. In a list that is not bounded by sets they are neighbours, and are read strongly consistently. In others, and in an
 * order, they may be scattered: they are read eventually consistently, at half the price, and those that are missing or are not as the indexes say (which
 * may be a stale replica) are read again strongly consistently. If they are dense, one query reads them, with the records between them.
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
 * Reads the records of these numbers of the whole list: each run of neighbours by a query, by several where the list is known to have large
 * records, and by key what they do not reach. Strongly consistent.
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
