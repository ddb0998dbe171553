import type { Table } from '../connection/client.ts';
import { ListNotBuilt } from '../errors.ts';
import { HEAD, setPartition } from '../keys.ts';
import type { Item } from '../schema.ts';
import type { TimeLimit } from '../transaction/retry.ts';
import { compact } from './compact.ts';
import { fence, isLate } from './fence.ts';
import type { List } from './head.ts';
import { Members, NumberSet } from './number-set.ts';
import { expiryOf, floorOf } from './periods.ts';
import { ReadBudget } from './read-budget.ts';
import { type Records, readBetween, readEach, readNewest } from './read-records.ts';
import { readHead, readSet } from './read-set.ts';

/**
 * Any page of a list in two rounds of reads: which numbers its records have, then the records (`docs/counted-lists.md`).
 */

/** The records of a list that have these values: by field, as texts. */
export interface Filter {
  readonly [field: string]: string;
}

/** A list as its readers know it. */
export interface ListSource extends List {
  readonly filter: Filter;
  /** Whether a record has the values of the filter. */
  readonly matches: (item: Item) => boolean;
}

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
  /** Whether these are only the first records of the page: together they were more than one request reads. */
  readonly isCut: boolean;
}

/** What was read of a list's numbers at one moment. */
interface View {
  readonly head: Item;
  /** Of a list without a filter: the numbers that have no record. */
  readonly gaps: NumberSet;
  /** Of a filtered list: the numbers of the records that match. */
  readonly included: NumberSet | undefined;
  /** All items of the sets. */
  readonly items: readonly Item[];
}

/** Times that a page is put together anew because records went or came while it was read, or numbers were lost. */
const TRIES = 10;
/** So many numbers are looked at from the second time on: many may have been lost at once. */
const LOOK_AHEAD = 100;

export async function readPage(table: Table, source: ListSource, request: PageRequest): Promise<ItemPage> {
  const reading = new ReadBudget(request.timeLimit, request.newestFirst);
  const [view, newest] = await Promise.all([
    readView(table, source),
    isWhole(source) ? readProbe(table, source.partition, request, reading) : [],
  ]);
  const absent = new Set<number>();
  const found = new Map(newest);
  let page = membersOf(source, view, absent, request.now);
  for (let tries = 1; tries <= TRIES; tries++) {
    const ahead = tries === 1 ? 0 : Math.min(LOOK_AHEAD, reading.records);
    const numbers = pageOf(page, request, Math.max(request.pageSize, ahead));
    const unread = numbers.filter((number) => !found.has(number));
    const [read] = await Promise.all([
      readNumbers(table, source, unread, reading),
      view.included !== undefined && tries === 1 && compact(table, view.items),
    ]);
    for (const [number, item] of read) found.set(number, item);
    if (reading.isCut) break;
    const missing = unread.filter((number) => !found.has(number));
    if (missing.length === 0) break;
    for (const number of missing) absent.add(number);
    page = membersOf(source, view, absent, request.now);
  }
  if (view.included === undefined) await fenceLate(table, source, absent, { view, now: request.now });
  const items = pageOf(page, request)
    .map((number) => found.get(number))
    .filter((item) => item !== undefined);
  return { items: request.newestFirst ? items.reverse() : items, total: page.total, isCut: reading.isCut };
}

const isWhole = ({ filter }: ListSource): boolean => Object.keys(filter).length === 0;

/** @throws ListNotBuilt for a filter that some records do not stand in yet */
export async function readView(table: Table, source: ListSource): Promise<View> {
  const { partition, filter, retentionDays } = source;
  if (isWhole(source)) {
    const items = await readSet(table, setPartition(partition));
    return {
      head: items.find(({ SK }) => SK === HEAD) ?? {},
      gaps: NumberSet.ofItems(items),
      included: undefined,
      items,
    };
  }
  const [head, sets] = await Promise.all([
    readHead(table, partition, retentionDays !== undefined),
    Promise.all(Object.entries(filter).map(([field, value]) => readSet(table, setPartition(partition, field, value)))),
  ]);
  assertBuilt(head, source);
  const included = NumberSet.common(sets.map((items) => NumberSet.ofItems(items)));
  return { head, gaps: NumberSet.EMPTY, included, items: sets.flat() };
}

/** A head without the note, or none, is that of a list nobody has written yet. */
function assertBuilt({ FILTERS: built }: Item, { filter }: ListSource): void {
  if (!Array.isArray(built)) return;
  const missing = Object.keys(filter).filter((field) => !built.includes(field));
  if (missing.length > 0) throw new ListNotBuilt(missing);
}

export function membersOf(
  { retentionDays }: List,
  { head, gaps, included }: View,
  absent: ReadonlySet<number>,
  now: number,
): Members {
  const next = included === undefined ? Number(head.NEXT ?? 0) : Number.MAX_SAFE_INTEGER;
  const floor = retentionDays === undefined ? 0 : floorOf(head, next, now);
  return new Members({ from: floor, to: next, included, excluded: gaps, absent });
}

/** The numbers of a page, in order; or of `length` numbers from where it begins. */
function pageOf(members: Members, { page, pageSize, newestFirst }: PageRequest, length = pageSize): number[] {
  const skipped = (page - 1) * pageSize;
  const size = Math.min(length, members.total - skipped);
  if (size <= 0) return [];
  return members.slice(newestFirst ? members.total - skipped - size : skipped, size);
}

/**
 * Reads the records of these numbers. Those of a whole list lie side by side and are read as they are now. Those that a filter picks may lie
 * scattered; they are read at half the price, and what is missing or does not match, which a copy that lags may show, is read again as it is now.
 * What lies between them is read along only as far as it is little: one query.
 */
export async function readNumbers(
  table: Table,
  source: ListSource,
  numbers: readonly number[],
  reading: ReadBudget,
): Promise<Records> {
  const { partition, matches } = source;
  if (numbers.length === 0) return new Map();
  if (isWhole(source)) return readBetween(table, partition, numbers, true, reading);
  const read = await (isDense(numbers)
    ? readBetween(table, partition, numbers, false, reading, 1)
    : readEach(table, partition, numbers, false, reading).then(({ records }) => records));
  const right = new Map(Array.from(read).filter(([, item]) => matches(item)));
  const doubtful = numbers.filter((number) => !right.has(number));
  if (doubtful.length === 0) return right;
  const { records: again, unread } = await readEach(table, partition, doubtful, true, reading);
  for (const [number, item] of again) if (matches(item)) right.set(number, item);
  return unread.length === 0 ? right : leadingUpTo(right, unread, reading.newestFirst);
}

/** Of what was read, the records before the first that was not: a page cut short has no holes. */
const leadingUpTo = (records: Records, unread: readonly number[], newestFirst: boolean): Records => {
  const end = newestFirst ? Math.max(...unread) : Math.min(...unread);
  return new Map(Array.from(records).filter(([number]) => (newestFirst ? number > end : number < end)));
};

/** A record read alone costs as much as four of 1 KB that are read in a row. */
const RECORDS_A_UNIT = 4;

const isDense = (numbers: readonly number[]): boolean =>
  (numbers.at(-1) ?? 0) - (numbers[0] ?? 0) < numbers.length * RECORDS_A_UNIT;

/** A page of records that their parent numbers: none is missing, so that their count is all there is to know. */
export async function readNumbered(
  table: Table,
  partition: string,
  count: Promise<number>,
  request: PageRequest,
): Promise<ItemPage> {
  const reading = new ReadBudget(request.timeLimit, request.newestFirst);
  const [to, found] = await Promise.all([count, readProbe(table, partition, request, reading)]);
  const members = new Members({ from: 0, to, absent: new Set() });
  const numbers = pageOf(members, request);
  const unread = numbers.filter((number) => !found.has(number));
  const records = new Map([
    ...found,
    ...(unread.length === 0 ? [] : await readBetween(table, partition, unread, true, reading)),
  ]);
  const items = numbers.map((number) => records.get(number)).filter((item) => item !== undefined);
  return { items: request.newestFirst ? items.reverse() : items, total: members.total, isCut: reading.isCut };
}

/** The end of a list, read beside its count where that is the page asked for. */
const readProbe = (
  table: Table,
  partition: string,
  { page, newestFirst, pageSize }: PageRequest,
  reading: ReadBudget,
): Promise<Records> =>
  page === 1 && newestFirst ? readNewest(table, partition, pageSize, reading) : Promise.resolve(new Map());

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
