import { compactGaps } from './compact-gaps.ts';
import { largestNoted } from './counter-item.ts';
import { deleteEmptyItems } from './empty-items.ts';
import { PageIncomplete } from './errors.ts';
import { fence, MOST_UNITS } from './fence.ts';
import { isOverdue, settledUpTo } from './grace-period.ts';
import { numberIn } from './ids.ts';
import { Members } from './number-set.ts';
import { PageNumbers, type PageRange, ranksOf } from './page-numbers.ts';
import { expiryOfNumber } from './periods.ts';
import { ReadBudget, type Reading } from './read-budget.ts';
import { type Records, readNewest, readNext } from './read-records.ts';
import { readNeighbours, readRecords } from './scattered.ts';
import { type Item, isRecord } from './schema.ts';
import { sizesOf } from './set-sizes.ts';
import type { Table } from './table.ts';
import { isBounded, isWhole, type ListSource, readView, type View } from './view.ts';

/**
 * Reads any page of a list in two round trips: the numbers of its records, then the records (`docs/counted-lists.md`).
 */

interface PageRequest extends PageRange {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly timeLimit: Reading;
}

interface ItemPage {
  readonly items: readonly Item[];
  readonly total: number;
  /** Whether these are only the first records of the page, because all of them are more than one request may read. */
  readonly isCut: boolean;
}

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

/** @throws PageIncomplete when so many numbers have no record that one request cannot fence them */
export const readPage = (table: Table, source: ListSource | NumberedList, request: PageRequest): Promise<ItemPage> =>
  'count' in source ? readNumberedPage(table, source, request) : readCountedPage(table, source, request);

async function readCountedPage(table: Table, source: ListSource, request: PageRequest): Promise<ItemPage> {
  const budget = new ReadBudget(request.timeLimit, request.newestFirst);
  const [view, newest] = await Promise.all([
    readView(table, source, request.now, placeOf(request), request.timeLimit),
    isWhole(source) ? readProbe(table, source.partition, request, budget) : [],
  ]);
  budget.noteLargest(largestNoted(view.counter));
  const found = new Map(newest);
  const isListed = (item: Item | undefined): boolean => isRecord(item) && source.matches(item);
  const page = new PageNumbers(source, view, request, request.now);
  let isComplete = false;
  for (let tries = 1; tries <= TRIES && !isComplete && page.absent.size <= MOST_UNITS; tries++) {
    const numbers = await page.read(Math.max(request.pageSize, lookAheadIn(tries, budget)));
    const [read] = await Promise.all([
      readUnread(table, source, numbers, found, budget),
      tries === 1 && maintain(table, source, view, page, request.now),
    ]);
    for (const [number, item] of read) found.set(number, item);
    if (budget.isCut) break;
    page.exclude(numbers.filter((number) => !isListed(found.get(number))));
    isComplete = (await page.read()).every((number) => isListed(found.get(number)));
  }
  const isFenced = await fenceOverdue(table, source, page.absent, { view, found, request, budget });
  if (!budget.isCut && !(isComplete && isFenced)) throw new PageIncomplete();
  return { items: itemsOf(await page.read(), found, request), total: page.total, isCut: budget.isCut };
}

const placeOf = ({ page, pageSize, newestFirst }: PageRange) => ({ newestFirst, skip: (page - 1) * pageSize });

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

/** Deletes empty items of the sets of a filtered list, and notes their sizes. Compacts the gaps of the whole list, unless they expire. */
async function maintain(
  table: Table,
  source: ListSource,
  { items, gaps, gapItems }: View,
  { runs }: PageNumbers,
  now: number,
): Promise<void> {
  const { partition, retentionDays } = source;
  if (!isWhole(source))
    await Promise.all([deleteEmptyItems(table, items), sizesOf(table, partition).writeNote(table, partition, now)]);
  else if (retentionDays === undefined) await compactGaps(table, { partition, gapItems, gaps, runs }, now);
}

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

interface Read {
  readonly view: View;
  /** Records and tombstones. */
  readonly found: ReadonlyMap<number, Item>;
  readonly request: PageRequest;
  readonly budget: ReadBudget;
}

/**
 * Fences the numbers of a list that is not bounded by sets whose grace period is over, and completes those with a tombstone.
 * @returns whether there were no more than one request may fence
 */
async function fenceOverdue(
  table: Table,
  source: ListSource,
  absent: ReadonlySet<number>,
  { view: { counter, gapItems }, found, request, budget }: Read,
): Promise<boolean> {
  if (isBounded(source)) return true;
  const { partition, retentionDays, createdAt } = source;
  const { now, page, newestFirst } = request;
  const numbers = [...absent]
    .filter((number) => !isRecord(found.get(number)))
    .map((number) => ({ number, isFenced: found.has(number) }));
  let settled = settledUpTo(found, createdAt, now);
  const isOpen = ({ number, isFenced }: (typeof numbers)[number]) =>
    !isFenced && !isOverdue(counter, number, now, settled);
  const open = numbers.filter(isOpen);
  // The first page, newest first, has read all later ones.
  if (open.length > 0 && !(newestFirst && page === 1)) {
    const next = await readNext(table, partition, Math.max(...open.map(({ number }) => number)), budget);
    if (next !== undefined)
      settled = Math.max(settled, settledUpTo([[numberIn(String(next.SK)), next]], createdAt, now));
  }
  const overdue = numbers
    .filter((one) => !isOpen(one))
    .map((one) => ({
      ...one,
      partition,
      expires: retentionDays === undefined ? undefined : expiryOfNumber(counter, one.number),
    }));
  return fence(table, overdue, { gaps: gapItems, now });
}
