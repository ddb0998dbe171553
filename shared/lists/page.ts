import { largestNoted } from './counter-item.ts';
import { PageIncomplete } from './errors.ts';
import { MOST_UNITS } from './fence.ts';
import { Members } from './number-set.ts';
import { readOrderedPage } from './ordered-page.ts';
import { fenceOverdue, maintain } from './page-maintenance.ts';
import { type ItemPage, PageNumbers, type PageRequest, ranksOf } from './page-numbers.ts';
import { ReadBudget } from './read-budget.ts';
import { type Records, readNewest } from './read-records.ts';
import { readNeighbours, readRecords } from './scattered.ts';
import { type Item, isRecord } from './schema.ts';
import type { Table } from './table.ts';
import { isWhole, type ListSource, readView } from './view.ts';

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

/**
 * @throws PageIncomplete when so many numbers have no record that one request cannot fence them
 * @throws what {@link readOrderedPage} throws, for a list with an order
 */
export function readPage(table: Table, source: ListSource | NumberedList, request: PageRequest): Promise<ItemPage> {
  if ('count' in source) return readNumberedPage(table, source, request);
  return source.order === undefined
    ? readCountedPage(table, source, request)
    : readOrderedPage(table, source, source.order, request);
}

async function readCountedPage(table: Table, source: ListSource, request: PageRequest): Promise<ItemPage> {
  const budget = new ReadBudget(request.timeLimit, request.newestFirst);
  const [view, newest] = await Promise.all([
    readView(table, source, request.now, request.timeLimit),
    isWhole(source) ? readProbe(table, source.partition, request, budget) : [],
  ]);
  budget.noteLargest(largestNoted(view.counter));
  const found = new Map(newest);
  const isListed = (item: Item | undefined): boolean => isRecord(item) && source.matches(item);
  const page = new PageNumbers(source, view, request, request.now);
  let isComplete = false;
  for (let tries = 1; tries <= TRIES && !isComplete && page.absent.size <= MOST_UNITS; tries++) {
    const numbers = page.read(Math.max(request.pageSize, lookAheadIn(tries, budget)));
    const [read] = await Promise.all([
      readUnread(table, source, numbers, found, budget),
      tries === 1 && maintain(table, source, view, page.runs, request.now),
    ]);
    for (const [number, item] of read) found.set(number, item);
    if (budget.isCut) break;
    page.exclude(numbers.filter((number) => !isListed(found.get(number))));
    isComplete = page.read().every((number) => isListed(found.get(number)));
  }
  // The first page, newest first, has read all later records.
  const hasNewest = request.newestFirst && request.page === 1;
  const isFenced = await fenceOverdue(table, source, page.absent, { view, found, budget, now: request.now, hasNewest });
  if (!budget.isCut && !(isComplete && isFenced)) throw new PageIncomplete();
  return { items: itemsOf(page.read(), found, request), total: page.total, isCut: budget.isCut };
}

const lookAheadIn = (tries: number, { records }: ReadBudget): number =>
  tries === 1 ? 0 : Math.min(LOOK_AHEAD, records);

const readUnread = (
  table: Table,
  source: ListSource,
  numbers: readonly number[],
  found: Records,
  budget: ReadBudget,
): Promise<Records> =>
  readRecords(
    table,
    source,
    numbers.filter((number) => !found.has(number)),
    budget,
  );

/** The records of these numbers, in the requested order. */
function itemsOf(numbers: readonly number[], found: Records, { newestFirst }: PageRequest): readonly Item[] {
  const items = numbers.map((number) => found.get(number)).filter(isRecord);
  return newestFirst ? items.reverse() : items;
}

async function readNumberedPage(
  table: Table,
  { partition, count }: NumberedList,
  request: PageRequest,
): Promise<ItemPage> {
  const budget = new ReadBudget(request.timeLimit, request.newestFirst);
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
const readProbe = (
  table: Table,
  partition: string,
  { page, newestFirst, pageSize }: PageRequest,
  budget: ReadBudget,
): Promise<Records> =>
  page === 1 && newestFirst ? readNewest(table, partition, pageSize, budget) : Promise.resolve(new Map());
