import { builtFilters, largestNoted } from './counter-item.ts';
import { PageIncomplete } from './errors.ts';
import { MOST_UNITS } from './fence.ts';
import { entryIn, itemsPartition, WITH_TEXT, WITHOUT_TEXT } from './indexes/entry.ts';
import type { Order } from './indexes/list-index.ts';
import { compareBy } from './indexes/where.ts';
import type { Members } from './number-set.ts';
import { fenceOverdue, maintain } from './page-maintenance.ts';
import type { ItemPage, PageRequest } from './page-numbers.ts';
import { between, queryUpTo } from './queries.ts';
import type { ListQuery } from './query.ts';
import { ReadBudget } from './read-budget.ts';
import { type Records, readEach } from './read-records.ts';
import { type Item, isRecord } from './schema.ts';
import type { Table } from './table.ts';
import type { View } from './view.ts';

/**
 * Reads pages of a list in the order of an index: the numbers of its records, and beside them the order from the requested end, of which the members of
 * the list are kept (`docs/counted-lists.md#orders`).
 */

/** Most bytes of an order that are read for a page: 512 read units. */
const MOST_BYTES = 2 * 1_048_576;
/** Bytes of an entry besides its partition key: the names of both keys, a time and a number. */
const ENTRY_BYTES = 4 + 24 + 1 + 12;
/** Entries of an order that one read unit reads, about. A record takes one unit at least. */
const ENTRIES_A_UNIT = 36;
/** Entries that are read beyond a page, and fewest of a further query. */
const LOOK_AHEAD = 25;
const FURTHER = 500;
/** Most entries that have moved during a scan: a tenant can move 500 in a second. */
const MOST_MOVED = 1_000;

/** First and last sort key. */
type Keys = { readonly from: string; readonly to: string };

/** The numbers of a list in an order, from one end, as far as they were read: those without a value come last. Strongly consistent. */
export class OrderScan {
  readonly #table: Table;
  readonly #partition: string;
  readonly #descending: boolean;
  /** What is left to read, one after the other. */
  #ranges: readonly Keys[];
  /** With their texts. One that was found twice, because it moved meanwhile, keeps its first place. */
  #texts = new Map<number, string>();
  #first: string | undefined;
  #last: Record<string, unknown> | undefined;
  #queries = 0;
  #count = 0;

  constructor(table: Table, query: ListQuery, order: Order) {
    this.#table = table;
    this.#partition = itemsPartition(query.partition, order.items);
    this.#descending = query.sort[0]?.descending === true;
    const given = rangeIn(query, order);
    this.#ranges = (given === undefined ? [WITH_TEXT, WITHOUT_TEXT] : [given]).filter(({ from, to }) => from <= to);
  }

  get texts(): ReadonlyMap<number, string> {
    return this.#texts;
  }

  /** Whether the other end was reached. */
  get isComplete(): boolean {
    return this.#ranges.length === 0;
  }

  /** Most entries that are read. */
  get most(): number {
    return Math.floor(MOST_BYTES / (this.#partition.length + ENTRY_BYTES));
  }

  /** Whether no more may be read. */
  get isExhausted(): boolean {
    return this.#count >= this.most;
  }

  /** Reads up to this many further entries. */
  async read(wanted: number): Promise<void> {
    const end = Math.min(this.#count + wanted, this.most);
    while (this.#count < end) {
      const [range, ...others] = this.#ranges;
      if (range === undefined) return;
      const { items, queries, last } = await this.#query(range, end - this.#count, this.#last);
      this.#queries += queries;
      this.#count += items.length;
      this.#first ??= items[0] === undefined ? undefined : String(items[0].SK);
      this.#last = last;
      if (last === undefined) this.#ranges = others;
      for (const [number, text] of textsIn(items)) if (!this.#texts.has(number)) this.#texts.set(number, text);
    }
  }

  /**
   * Where times were read from the latest one by several queries, reads what has moved to that end meanwhile: such a number is there, and may have been
   * in none of the queries.
   */
  async readMoved(): Promise<void> {
    if (!this.#descending || this.#queries < 2 || this.#first === undefined) return;
    this.#queries = 1;
    const { items } = await this.#query({ from: `${this.#first} `, to: WITH_TEXT.to }, MOST_MOVED);
    const moved = new Map(textsIn(items));
    this.#texts = new Map([...moved, ...[...this.#texts].filter(([number]) => !moved.has(number))]);
  }

  #query({ from, to }: Keys, most: number, after?: Record<string, unknown>) {
    const query = { ...between(this.#partition, [from, to]), ScanIndexForward: !this.#descending };
    return queryUpTo(this.#table, query, most, after);
  }
}

/** The part of an order that a condition on its field leaves. */
function rangeIn({ conditions }: ListQuery, { field, items }: Order): Keys | undefined {
  const lookups = conditions.flatMap((one) =>
    one.field === field && one.answer && 'lookups' in one.answer ? one.answer.lookups : [],
  );
  for (const range of lookups.flatMap(({ ranges }) => ranges))
    if ('items' in range && range.items === items && 'from' in range.keys) return range.keys;
  return undefined;
}

const textsIn = (items: readonly Item[]): [number: number, text: string][] =>
  items.flatMap(({ SK }) => {
    const entry = entryIn(String(SK));
    return entry === undefined ? [] : [[entry.number, entry.text]];
  });

/** Whether a list has an order of its own that holds all of its records. */
export const isInOrder = ({ order }: ListQuery, counter: Item): boolean =>
  order !== undefined && (counter.NEXT === undefined || builtFilters(counter).includes(order.name));

/** How many entries are read of an order before the list is known. */
export const entriesToBegin = ({ page, pageSize }: PageRequest, isBounded: boolean): number =>
  page * pageSize * (isBounded ? 2 : 1) + LOOK_AHEAD;

/** Whether it is cheaper to read and sort the records of a list than to read its order as far as the page. */
export function isSortedCheaply(
  { total }: Members,
  { counter }: View,
  { page, pageSize }: PageRequest,
  { most }: OrderScan,
): boolean {
  const end = Math.min(page * pageSize, total);
  const expected = Math.ceil((end / total) * Number(counter.NEXT ?? 0));
  return expected > most || total * ENTRIES_A_UNIT < expected;
}

interface Reading {
  readonly table: Table;
  readonly query: ListQuery;
  readonly order: Order;
  readonly request: PageRequest;
  readonly view: View;
  readonly members: Members;
  readonly scan: OrderScan;
}

/**
 * @returns undefined where records moved while it was read; `too-far` where the page is too far from that end
 * @throws PageIncomplete
 */
export const readOrderedPage = (reading: Reading): Promise<ItemPage | 'too-far' | undefined> =>
  Promise.all([new OrderedRead(reading).page(), maintained(reading)]).then(([page]) => page);

const maintained = ({ table, query, view, request }: Reading): Promise<void> =>
  maintain(table, query, view, request.now);

/** One try to read a page. */
class OrderedRead {
  readonly #reading: Reading;
  readonly #budget: ReadBudget;
  /** Records and tombstones. */
  readonly #found = new Map<number, Item>();
  readonly #absent = new Set<number>();

  constructor(reading: Reading) {
    this.#reading = reading;
    // Numbers are given to it in the order of the page, whichever that is.
    this.#budget = new ReadBudget(reading.request.timeLimit, false);
    this.#budget.noteLargest(largestNoted(reading.view.counter));
  }

  async page(): Promise<ItemPage | 'too-far' | undefined> {
    const { request, members } = this.#reading;
    const skip = (request.page - 1) * request.pageSize;
    for (;;) {
      const total = members.total - this.#absent.size;
      if (total <= skip) return { items: [], total, isCut: false };
      const end = Math.min(skip + request.pageSize, total);
      if (!(await this.#fill(end))) return 'too-far';
      const listed = this.#listed();
      if (listed.length < end) {
        if (!(await this.#areAbsent())) return undefined;
        continue;
      }
      const numbers = listed.slice(skip, end);
      if (await this.#areListed(numbers)) return this.#asRead(numbers, total);
    }
  }

  /**
   * Reads the order until it has this many members of the list, or ends.
   * @returns whether one or the other was reached
   */
  async #fill(end: number): Promise<boolean> {
    const { scan } = this.#reading;
    for (;;) {
      const found = this.#listed().length;
      if (found >= end || scan.isComplete) break;
      if (scan.isExhausted) return false;
      // As many as the rest takes if members go on as they began, and some more.
      await scan.read(Math.max(FURTHER, Math.ceil(((end - found) * 1.25 * scan.texts.size) / Math.max(found, 1))));
    }
    await scan.readMoved();
    return true;
  }

  /** The members of the list in the order, as far as it was read. */
  #listed(): number[] {
    const { scan, members } = this.#reading;
    return Array.from(scan.texts.keys()).filter((number) => members.has(number) && !this.#absent.has(number));
  }

  /** Reads the records of these numbers, and notes those that do not belong to the list any more. @returns whether there were none, as far as they may be read */
  async #areListed(numbers: readonly number[]): Promise<boolean> {
    const unread = numbers.filter((number) => !this.#found.has(number));
    for (const [number, item] of await this.#read(unread)) this.#found.set(number, item);
    if (this.#budget.isCut) return true;
    const absent = numbers.filter((number) => !this.#isListed(number));
    for (const number of absent) this.#absent.add(number);
    return absent.length === 0;
  }

  async #asRead(numbers: readonly number[], total: number): Promise<ItemPage> {
    if (!(await this.#fence())) throw new PageIncomplete();
    const items = numbers.map((number) => this.#found.get(number)).filter(isRecord);
    // By what the records say now: one that has moved since the order was read does not stand in its old place.
    return { items: items.toSorted(compareBy(this.#reading.query.sort)), total, isCut: this.#budget.isCut };
  }

  /**
   * Where the whole order has fewer numbers than the list, which is not bounded by indexes: notes those without a record. Their writers have ended, or
   * are still at work.
   * @returns whether there was one, and no other number was missing
   * @throws PageIncomplete where there are more than one request may fence; as many as may be are fenced
   */
  async #areAbsent(): Promise<boolean> {
    const { table, query, view, members, scan } = this.#reading;
    if (view.included !== undefined) return false;
    const isMissing = (number: number) => !scan.texts.has(number) && !this.#absent.has(number);
    const all = members.slice(0, members.total).filter(isMissing);
    const missing = all.slice(0, MOST_UNITS);
    const { records } = await readEach(table, query.partition, missing, true, this.#budget);
    for (const [number, item] of records) this.#found.set(number, item);
    for (const number of missing) this.#absent.add(number);
    if (missing.some((number) => this.#isListed(number))) return false;
    if (missing.length === all.length) return missing.length > 0;
    await this.#fence();
    throw new PageIncomplete();
  }

  /** @returns whether there were no more than one request may fence */
  #fence(): Promise<boolean> {
    const { table, query, view, request } = this.#reading;
    const read = { view, found: this.#found, budget: this.#budget, now: request.now, hasNewest: false };
    return fenceOverdue(table, query, this.#absent, read);
  }

  /** Reads records at half the price, and again strongly consistently those that are not as the order and the indexes say. */
  async #read(numbers: readonly number[]): Promise<Records> {
    const { table, query, order, scan } = this.#reading;
    if (numbers.length === 0) return new Map();
    this.#budget.expect(numbers.length, false);
    const { records } = await readEach(table, query.partition, numbers, false, this.#budget);
    const isCurrent = (number: number): boolean => {
      const item = records.get(number);
      return isRecord(item) && query.matches(item) && order.textOf(item) === scan.texts.get(number);
    };
    const doubtful = numbers.filter((number) => !isCurrent(number));
    const again =
      doubtful.length === 0 ? [] : (await readEach(table, query.partition, doubtful, true, this.#budget)).records;
    return new Map([...Array.from(records).filter(([number]) => isCurrent(number)), ...again]);
  }

  #isListed(number: number): boolean {
    const item = this.#found.get(number);
    return isRecord(item) && this.#reading.query.matches(item);
  }
}
