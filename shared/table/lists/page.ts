import type { Table } from '../connection/client.ts';
import type { Item } from '../schema.ts';
import type { TimeLimit } from '../transaction/retry.ts';
import { compact } from './compact.ts';
import { fence, isLate } from './fence.ts';
import { Members } from './number-set.ts';
import { expiryOf } from './periods.ts';
import { ReadBudget } from './read-budget.ts';
import { type Records, readBetween, readEach, readNewest } from './read-records.ts';
import { isWhole, type ListSource, membersOf, readView, type View } from './view.ts';

/**
 * Any page of a list in two rounds of reads: which numbers its records have, then the records (`docs/counted-lists.md`).
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
  /** Whether these are only the first records of the page: together they were more than one request reads. */
  readonly isCut: boolean;
}

/** Times that a page is put together anew because records went or came while it was read, or numbers were lost. */
const TRIES = 10;
/** So many numbers are looked at from the second time on: many may have been lost at once. */
const LOOK_AHEAD = 100;

export async function readPage(table: Table, source: ListSource, request: PageRequest): Promise<ItemPage> {
  const budget = new ReadBudget(request.timeLimit, request.newestFirst);
  const [view, newest] = await Promise.all([
    readView(table, source),
    isWhole(source) ? readProbe(table, source.partition, request, budget) : [],
  ]);
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
  budget: ReadBudget,
): Promise<Records> {
  const { partition, matches } = source;
  if (numbers.length === 0) return new Map();
  if (isWhole(source)) return readBetween(table, partition, numbers, true, budget);
  const read = await (isDense(numbers)
    ? readBetween(table, partition, numbers, false, budget, 1)
    : readEach(table, partition, numbers, false, budget).then(({ records }) => records));
  const right = new Map(Array.from(read).filter(([, item]) => matches(item)));
  const doubtful = numbers.filter((number) => !right.has(number));
  if (doubtful.length === 0) return right;
  const { records: again, unread } = await readEach(table, partition, doubtful, true, budget);
  for (const [number, item] of again) if (matches(item)) right.set(number, item);
  return unread.length === 0 ? right : leadingUpTo(right, unread, budget.newestFirst);
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
  const budget = new ReadBudget(request.timeLimit, request.newestFirst);
  const [to, found] = await Promise.all([count, readProbe(table, partition, request, budget)]);
  const members = new Members({ from: 0, to, absent: new Set() });
  const numbers = pageOf(members, request);
  const unread = numbers.filter((number) => !found.has(number));
  const records = new Map([
    ...found,
    ...(unread.length === 0 ? [] : await readBetween(table, partition, unread, true, budget)),
  ]);
  const items = numbers.map((number) => records.get(number)).filter((item) => item !== undefined);
  return { items: request.newestFirst ? items.reverse() : items, total: members.total, isCut: budget.isCut };
}

/** The end of a list, read beside its count where that is the page asked for. */
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
