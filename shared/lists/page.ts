import { largestNoted } from './counter-item.ts';
import { PageIncomplete } from './errors.ts';
import { MOST_UNITS } from './fence.ts';
import { Members } from './number-set.ts';
import { entriesToBegin, isInOrder, isSortedCheaply, OrderScan, readOrderedPage } from './ordered-page.ts';
import { fenceOverdue, maintain } from './page-maintenance.ts';
import { type ItemPage, isNewestFirst, PageNumbers, type PageRequest, ranksOf } from './page-numbers.ts';
import { isBounded, isWhole, type ListQuery, type ListSource, queryOf } from './query.ts';
import { ReadBudget } from './read-budget.ts';
import { type Records, readNewest } from './read-records.ts';
import { scan } from './scan.ts';
import { readNeighbours, readRecords } from './scattered.ts';
import { type Item, isRecord } from './schema.ts';
import type { Table } from './table.ts';
import { narrowByTime } from './time-range.ts';
import { membersOf, readView, type View } from './view.ts';

/**
 * Reads any page of a list in two round trips: the numbers of its records, then the records (`docs/counted-lists.md`).
 */

/** Most tries to read a page while records are created and deleted, or numbers have no record. */
const TRIES = 10;
/** Fewest numbers that are read from the second try on, because many in a row may have no record. */
const LOOK_AHEAD = 100;

/** A list whose records their parent numbers: no number is missing, so their count is enough. */
interface NumberedList {
  readonly partition: string;
  /** May still be being read. */
  readonly count: Promise<number>;
}

/** How often a page in another order is read again because its records moved. */
const TRIES_IN_ORDER = 5;

/**
 * @throws PageIncomplete when so many numbers have no record that one request cannot fence them, or records moved each time
 * @throws TooManyMatches, ListNotBuilt, NotOffered
 */
export async function readPage(
  table: Table,
  source: ListSource | NumberedList,
  request: PageRequest,
): Promise<ItemPage> {
  if ('count' in source) return readNumberedPage(table, source, request);
  const query = queryOf(source, request.sort);
  for (let tries = 1; tries <= TRIES_IN_ORDER; tries++) {
    const page = await readQuery(table, query, request);
    if (page !== undefined) return page;
  }
  throw new PageIncomplete('moved');
}

/** @returns undefined where records moved while it was read */
async function readQuery(table: Table, query: ListQuery, request: PageRequest): Promise<ItemPage | undefined> {
  const { now, timeLimit } = request;
  const budget = new ReadBudget(timeLimit, isNewestFirst(request));
  const { order } = query;
  const ordered = order === undefined ? undefined : new OrderScan(table, query, order);
  const [seen, newest] = await Promise.all([
    readView(table, query),
    isWhole(query) && query.sort.length === 0 ? readProbe(table, query.partition, request, budget) : [],
    ordered?.read(entriesToBegin(request, isBounded(query))),
  ]);
  const view = await narrowByTime(table, query, seen, now);
  const isDecided = view.undecided.length === 0 && view.open.size === 0;
  if (isDecided && query.sort.length === 0) return readCountedPage(table, query, request, { view, newest, budget });
  const members = membersOf(query, view, new Set(), now);
  if (isDecided && order !== undefined && ordered !== undefined && isInOrder(query, view.counter)) {
    const page = isSortedCheaply(members, view, request, ordered)
      ? 'too-far'
      : await readOrderedPage({ table, query, order, request, view, members, scan: ordered });
    if (page !== 'too-far') return page;
  }
  const [scanned] = await Promise.all([
    scan(table, query, view, members, timeLimit),
    maintain(table, query, view, now),
  ]);
  const { records, units } = scanned;
  if (query.sort.length === 0) {
    const page = await readCountedPage(table, query, request, { view: scanned.view, newest: records, budget });
    return { ...page, scanned: units };
  }
  const skip = (request.page - 1) * request.pageSize;
  const items = [...records.values()].slice(skip, skip + request.pageSize);
  return { items, total: records.size, isCut: false, scanned: units };
}

interface Begun {
  readonly view: View;
  readonly newest: Iterable<readonly [number, Item]>;
  readonly budget: ReadBudget;
}

async function readCountedPage(
  table: Table,
  query: ListQuery,
  request: PageRequest,
  { view, newest, budget }: Begun,
): Promise<ItemPage> {
  budget.noteLargest(largestNoted(view.counter));
  const found = new Map(newest);
  const isListed = (item: Item | undefined): boolean => isRecord(item) && query.matches(item);
  const page = new PageNumbers(query, view, request, request.now);
  let isComplete = false;
  for (let tries = 1; tries <= TRIES && !isComplete && page.absent.size <= MOST_UNITS; tries++) {
    const numbers = page.read(Math.max(request.pageSize, lookAheadIn(tries, budget)));
    const [read] = await Promise.all([
      readUnread(table, query, view, numbers, found, budget),
      tries === 1 && maintain(table, query, view, request.now),
    ]);
    for (const [number, item] of read) found.set(number, item);
    if (budget.isCut) break;
    page.exclude(numbers.filter((number) => !isListed(found.get(number))));
    isComplete = page.read().every((number) => isListed(found.get(number)));
  }
  // The first page, newest first, has read all later records.
  const hasNewest = isNewestFirst(request) && request.page === 1;
  const isFenced = await fenceOverdue(table, query, page.absent, { view, found, budget, now: request.now, hasNewest });
  if (!budget.isCut && !(isComplete && isFenced)) throw new PageIncomplete();
  return { items: itemsOf(page.read(), found, request), total: page.total, isCut: budget.isCut };
}

const lookAheadIn = (tries: number, { records }: ReadBudget): number =>
  tries === 1 ? 0 : Math.min(LOOK_AHEAD, records);

const readUnread = (
  table: Table,
  query: ListQuery,
  view: View,
  numbers: readonly number[],
  found: Records,
  budget: ReadBudget,
): Promise<Records> =>
  readRecords(
    table,
    query,
    view,
    numbers.filter((number) => !found.has(number)),
    budget,
  );

/** The records of these numbers, in the requested order. */
function itemsOf(numbers: readonly number[], found: Records, request: PageRequest): readonly Item[] {
  const items = numbers.map((number) => found.get(number)).filter(isRecord);
  return isNewestFirst(request) ? items.reverse() : items;
}

async function readNumberedPage(
  table: Table,
  { partition, count }: NumberedList,
  request: PageRequest,
): Promise<ItemPage> {
  const budget = new ReadBudget(request.timeLimit, isNewestFirst(request));
  const [to, found] = await Promise.all([count, readProbe(table, partition, request, budget)]);
  const members = new Members({ from: 0, to, absent: new Set() });
  const numbers = members.slice(...ranksOf(members.total, request));
  const unread = numbers.filter((number) => !found.has(number));
  const records = new Map([
    ...found,
    ...(unread.length === 0 ? [] : await readNeighbours(table, partition, unread, budget)),
  ]);
  return { items: itemsOf(numbers, records, request), total: members.total, isCut: budget.isCut };
}

/** The newest records of a list, read in parallel to its count if they are the requested page. */
const readProbe = (table: Table, partition: string, request: PageRequest, budget: ReadBudget): Promise<Records> =>
  request.page === 1 && isNewestFirst(request)
    ? readNewest(table, partition, request.pageSize, budget)
    : Promise.resolve(new Map());
