import { largestNoted } from './counter-item.ts';
import { PageIncomplete } from './errors.ts';
import { MOST_UNITS } from './fence.ts';
import { compareBy } from './indexes/list-index.ts';
import { Members, NumberSet } from './number-set.ts';
import { fenceOverdue, maintain } from './page-maintenance.ts';
import { type ItemPage, isNewestFirst, OrderScan, PageNumbers, type PageRequest, ranksOf } from './page-numbers.ts';
import { isWhole, type ListQuery, type ListSource, queryOf } from './query.ts';
import { ReadBudget } from './read-budget.ts';
import { type Records, readNeighbours, readNewest, readRecords, readStrongly } from './read-records.ts';
import { decideByRecords } from './residual.ts';
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
 * Reads a page of a list, and the list's exact total.
 * @example
 * const source = { partition: 'TICKETS', filters, indexes, where: [{ field: 'status', anyOf: ['open'] }], createdAt };
 * const { items, total } = await readPage(table, source, { page: 4_000, pageSize: 25, sort, now, timeLimit });
 * @throws PageIncomplete when so many numbers have no record that one request cannot fence them, or records moved each
 * time
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
  const isByNumber = query.sort.length === 0;
  const order = query.order && new OrderScan(table, query, query.order, request);
  // Records in an order are read as they stand on the page.
  const budget = new ReadBudget(timeLimit, isByNumber && isNewestFirst(request));
  const [seen, newest] = await Promise.all([
    readView(table, query, timeLimit, now),
    isWhole(query) && isByNumber ? readProbe(table, query.partition, request, budget) : new Map(),
    order?.begin(),
  ]);
  const view = await narrowByTime(table, query, seen, request);
  const reading = await withoutUnwritten({ table, query, request, view, newest, budget });
  const [read] = await Promise.all([readPageIn(reading, order), maintain(table, query, view, now)]);
  return read;
}

/** Most numbers with unfinished writers whose records are read; the others count, as in lists without conditions. */
const MOST_UNSETTLED = 100;

/** Reads the records of the newest numbers whose writers may be at work, and excludes those that have none yet. */
async function withoutUnwritten(reading: ListReading): Promise<ListReading> {
  const { table, query, request, view, newest } = reading;
  // If the records decide, read all of them.
  if (view.unsettled.length === 0 || view.residual.length > 0) return reading;
  const members = membersOf(query, view, new Set(), request.now);
  const numbers = view.unsettled.filter((number) => members.has(number)).slice(-MOST_UNSETTLED);
  if (numbers.length === 0) return reading;
  const budget = new ReadBudget(request.timeLimit, false);
  budget.largest = largestNoted(view.counter);
  budget.expect(numbers.length, true);
  const records = await readStrongly(table, query.partition, numbers, budget);
  const absent = budget.isCut ? [] : numbers.filter((number) => !isRecord(records.get(number)));
  const excluded = NumberSet.either([view.excluded, NumberSet.ofNumbers(absent)]);
  return { ...reading, view: { ...view, excluded }, newest: new Map([...newest, ...records]) };
}

/** Reads a page of a list whose numbers were read, as far as indexes know them. */
async function readPageIn(reading: ListReading, order: OrderScan | undefined): Promise<ItemPage | undefined> {
  const { table, query, request, view } = reading;
  const isByNumber = query.sort.length === 0;
  const isDecided = view.residual.length === 0 && view.inexact.size === 0;
  if (isDecided && isByNumber) return readListed(reading);
  const members = membersOf(query, view, new Set(), request.now);
  if (isDecided) {
    const isInOrder = order?.isWorthwhile(members, view.counter) === true;
    const read = isInOrder ? await readListed({ ...reading, order }) : undefined;
    if (read !== undefined || (isInOrder && order.isComplete)) return read;
  }
  const { records, units, ...decided } = await decideByRecords(table, query, view, members, request.timeLimit);
  if (isByNumber) {
    const read = await readListed({ ...reading, view: decided.view, newest: records });
    return read && { ...read, residualUnits: units };
  }
  const skip = (request.page - 1) * request.pageSize;
  const items = [...records.values()].slice(skip, skip + request.pageSize);
  return { items, total: records.size, isCut: false, residualUnits: units };
}

interface ListReading {
  readonly table: Table;
  readonly query: ListQuery;
  readonly request: PageRequest;
  readonly view: View;
  /** Records that were read already. */
  readonly newest: Records;
  readonly budget: ReadBudget;
  /** Undefined: the order of the numbers. */
  readonly order?: OrderScan;
}

/**
 * Reads a page of a list whose numbers are known.
 * @returns undefined where it is too far in an order, or that had no entry of one of its records, which has moved
 */
async function readListed(reading: ListReading): Promise<ItemPage | undefined> {
  const { table, query, request, view, newest, budget, order } = reading;
  budget.largest = largestNoted(view.counter);
  const page = new PageNumbers(query, view, request, order);
  const found = new Map(newest);
  const isComplete = await readRecordsOf(page, found, reading);
  const numbers = await page.read();
  if (numbers === undefined || order?.hasMissed(numbers.filter((each) => isListed(query, found.get(each)))))
    return undefined;
  // The first page, newest first, has read all later records.
  const hasNewest = order === undefined && view.included === undefined && isNewestFirst(request) && request.page === 1;
  const isFenced = await fenceOverdue(table, query, page.absent, { view, found, budget, now: request.now, hasNewest });
  if (!budget.isCut && !(isComplete && isFenced)) throw new PageIncomplete();
  const items = itemsOf(numbers, found, request);
  // Sort by the records as read: one that has moved since the order was read leaves its old place.
  const sorted = order === undefined ? items : items.toSorted(compareBy(query.sort));
  return { items: sorted, total: page.total, isCut: budget.isCut };
}

/** Reads the records of a page, and excludes numbers without one, until all have one. @returns whether they do */
async function readRecordsOf(
  page: PageNumbers,
  found: Map<number, Item>,
  { table, query, request, view, budget, order }: ListReading,
): Promise<boolean> {
  for (let tries = 1; tries <= TRIES && page.absent.size <= MOST_UNITS; tries++) {
    const numbers = (await page.read(Math.max(request.pageSize, lookAheadIn(tries, budget)))) ?? [];
    const unread = numbers.filter((number) => !found.has(number));
    const read = await readRecords(table, query, view, unread, budget, order);
    for (const [number, item] of read) found.set(number, item);
    if (budget.isCut) return false;
    page.exclude(numbers.filter((number) => !isListed(query, found.get(number))));
    if ((await page.read())?.every((number) => isListed(query, found.get(number)))) return true;
  }
  return false;
}

const isListed = ({ matches }: ListQuery, item: Item | undefined): boolean => isRecord(item) && matches(item);

const lookAheadIn = (tries: number, { records }: ReadBudget): number =>
  tries === 1 ? 0 : Math.min(LOOK_AHEAD, records);

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
