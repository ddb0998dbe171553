import type { Table } from '../connection/client.ts';
import type { Item } from '../schema.ts';
import type { TimeLimit } from '../transaction/retry.ts';
import { compact } from './compact.ts';
import { fence, isLate } from './fence.ts';
import { largestIn } from './head.ts';
import { Members } from './number-set.ts';
import { expiryOf } from './periods.ts';
import { ReadBudget } from './read-budget.ts';
import { type PartialRead, type Records, readBetween, readEach, readNewest } from './read-records.ts';
import { isWhole, type ListSource, membersOf, readView, type View } from './view.ts';

/**
 * Reads any page of a list in two rounds: the numbers of its records, then the records (`docs/counted-lists.md`).
 */

export interface PageRequest {
  /** Counted from 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly newestFirst: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly timeLimit: TimeLimit;
}

export interface ItemPage {
  readonly items: readonly Item[];
  readonly total: number;
  /** Whether these are only the first records of the page, because all of them are more than one request may read. */
  readonly isCut: boolean;
}

/** Most tries to read a page while records are created and deleted, or numbers have no record. */
const TRIES = 10;
/** Fewest numbers that are read from the second try on, for many in a row may have no record. */
const LOOK_AHEAD = 100;

export async function readPage(table: Table, source: ListSource, request: PageRequest): Promise<ItemPage> {
  const budget = new ReadBudget(request.timeLimit, request.newestFirst);
  const [view, newest] = await Promise.all([
    readView(table, source),
    isWhole(source) ? readProbe(table, source.partition, request, budget) : [],
  ]);
  budget.noteLargest(largestIn(view.head));
  const absent = new Set<number>();
  const found = new Map(newest);
  let page = membersOf(source, view, absent, request.now);
  for (let tries = 1; tries <= TRIES; tries++) {
    const ahead = tries === 1 ? 0 : Math.min(LOOK_AHEAD, budget.records);
    const numbers = pageOf(page, request, Math.max(request.pageSize, ahead));
    const unread = numbers.filter((number) => !found.has(number));
    const [read] = await Promise.all([
      readNumbers(table, source, unread, budget),
      view.included !== undefined && tries === 1 && compact(table, view.items),
    ]);
    for (const [number, item] of read) found.set(number, item);
    if (budget.isCut) break;
    const missing = unread.filter((number) => !found.has(number));
    if (missing.length === 0) break;
    for (const number of missing) absent.add(number);
    page = membersOf(source, view, absent, request.now);
  }
  if (view.included === undefined) await fenceLate(table, source, absent, { view, now: request.now });
  const items = pageOf(page, request)
    .map((number) => found.get(number))
    .filter((item) => item !== undefined);
  return { items: request.newestFirst ? items.reverse() : items, total: page.total, isCut: budget.isCut };
}

/** The numbers of a page, in order; or `length` numbers from its beginning. */
function pageOf(members: Members, { page, pageSize, newestFirst }: PageRequest, length = pageSize): number[] {
  const skipped = (page - 1) * pageSize;
  const size = Math.min(length, members.total - skipped);
  if (size <= 0) return [];
  return members.slice(newestFirst ? members.total - skipped - size : skipped, size);
}

/**
 * Reads the records of these numbers. In an unfiltered list they are neighbours, and are read strongly consistently. In a filtered list they
 * may be scattered: they are read eventually consistently, at half the price, and those that are missing or do not match (which may be a stale
 * replica) are read again strongly consistently. If they are dense, one query reads them, with the records between them.
 */
export async function readNumbers(
  table: Table,
  source: ListSource,
  numbers: readonly number[],
  budget: ReadBudget,
): Promise<Records> {
  const { partition, matches } = source;
  if (numbers.length === 0) return new Map();
  if (isWhole(source)) return readNeighbours(table, partition, numbers, budget);
  const isOneQuery = isDense(numbers) && spanOf(numbers) <= budget.perQuery && !budget.hasFullQuery;
  const readAll = isOneQuery ? readBetween : readEach;
  const { records } = await readAll(table, partition, numbers, false, budget);
  const matching = new Map(Array.from(records).filter(([, item]) => matches(item)));
  const doubtful = numbers.filter((number) => !matching.has(number));
  if (doubtful.length === 0) return matching;
  const { records: again, unread } = await readEach(table, partition, doubtful, true, budget);
  for (const [number, item] of again) if (matches(item)) matching.set(number, item);
  return leadingUpTo({ records: matching, unread }, budget);
}

/**
 * Reads the records of these numbers, which are neighbours: by one query, or by several where the list is known to have large records, and by key
 * what they do not reach. Strongly consistent.
 */
async function readNeighbours(
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
  return leadingUpTo({ records: new Map([...found, ...records]), unread }, budget);
}

/** Most queries of 1 MB at once. */
const MOST_QUERIES = 16;

/** Divides numbers into ranges of at most so many, if that makes no more than {@link MOST_QUERIES}. */
function rangesOf(numbers: readonly number[], most: number): (readonly number[])[] {
  if (spanOf(numbers) > most * MOST_QUERIES) return [numbers];
  const first = numbers[0] ?? 0;
  return Array.from(Map.groupBy(numbers, (number) => Math.floor((number - first) / most)).values());
}

const spanOf = (numbers: readonly number[]): number => (numbers.at(-1) ?? 0) - (numbers[0] ?? 0) + 1;

/** The records before the first unread one: a page that is cut must not have gaps. */
function leadingUpTo({ records, unread }: PartialRead, { newestFirst }: ReadBudget): Records {
  if (unread.length === 0) return records;
  const end = newestFirst ? Math.max(...unread) : Math.min(...unread);
  return new Map(Array.from(records).filter(([number]) => (newestFirst ? number > end : number < end)));
}

/** A single read costs as much as four records of 1 KB in a query. */
const RECORDS_A_UNIT = 4;

const isDense = (numbers: readonly number[]): boolean => spanOf(numbers) <= numbers.length * RECORDS_A_UNIT;

/** A page of records that their parent numbers: no number is missing, so their count is enough. */
export async function readNumbered(
  table: Table,
  partition: string,
  count: Promise<number>,
  request: PageRequest,
): Promise<ItemPage> {
  const budget = new ReadBudget(request.timeLimit, request.newestFirst);
  const [to, found] = await Promise.all([count, readProbe(table, partition, request, budget)]);
  const members = new Members({ from: 0, to, absent: new Set() });
  const numbers = pageOf(members, request);
  const unread = numbers.filter((number) => !found.has(number));
  const records = new Map([
    ...found,
    ...(unread.length === 0 ? [] : await readNeighbours(table, partition, unread, budget)),
  ]);
  const items = numbers.map((number) => records.get(number)).filter((item) => item !== undefined);
  return { items: request.newestFirst ? items.reverse() : items, total: members.total, isCut: budget.isCut };
}

/** The newest records of a list, read in parallel to its count if they are the requested page. */
const readProbe = (
  table: Table,
  partition: string,
  { page, newestFirst, pageSize }: PageRequest,
  budget: ReadBudget,
): Promise<Records> =>
  page === 1 && newestFirst ? readNewest(table, partition, pageSize, budget) : Promise.resolve(new Map());

async function fenceLate(
  table: Table,
  { partition, retentionDays }: ListSource,
  missing: ReadonlySet<number>,
  { view: { head, items }, now }: { readonly view: View; readonly now: number },
): Promise<void> {
  const late = Array.from(missing)
    .filter((number) => isLate(head, number, now))
    .map((number) => {
      const expires = retentionDays === undefined ? undefined : expiryOf(head, number);
      return { partition, number, expires };
    });
  await fence(table, late, items);
}
