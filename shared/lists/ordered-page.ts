import { builtFilters, largestNoted } from './counter-item.ts';
import { ListNotBuilt, PageIncomplete, TooManyToSort } from './errors.ts';
import { MOST_UNITS } from './fence.ts';
import type { Members } from './number-set.ts';
import { type Order, OrderScan } from './order-scan.ts';
import { fenceOverdue, maintain } from './page-maintenance.ts';
import type { ItemPage, PageRequest } from './page-numbers.ts';
import { MAX_READ, ReadBudget } from './read-budget.ts';
import { type Records, readEach, readWithin } from './read-records.ts';
import { type Item, isRecord } from './schema.ts';
import type { Table } from './table.ts';
import { isBounded, type ListSource, membersOf, readView, type View } from './view.ts';

/**
 * Reads pages of a list in another order than that of its numbers: the numbers of its records, and beside them the
 * order from the requested end, of which the members of the list are kept (`docs/counted-lists.md#orders`). Where few
 * records belong to the list, these are read and sorted instead, if that is cheaper or the order is too long.
 */

/** Most records that are read to be sorted. */
const FEW = 500;
/** Entries of an order that one read unit reads, about. A record takes one unit at least. */
const ENTRIES_A_UNIT = 36;
/** Entries that are read beyond a page, and fewest of a further query. */
const LOOK_AHEAD = 25;
const FURTHER = 500;
/** Most tries to read a page while its records move or are deleted. */
const TRIES = 5;

/**
 * @throws TooManyToSort where neither the order nor the records can be read in one request
 * @throws PageIncomplete
 */
export async function readOrderedPage(
  table: Table,
  source: ListSource,
  order: Order,
  request: PageRequest,
): Promise<ItemPage> {
  // Numbers are given to it in the order of the page, whichever that is.
  const budget = new ReadBudget(request.timeLimit, false);
  for (let tries = 1; tries <= TRIES; tries++) {
    const page = await new OrderedRead({ table, source, order, request, budget }).page();
    if (page !== undefined) return page;
  }
  throw new PageIncomplete('moved');
}

interface Reading {
  readonly table: Table;
  readonly source: ListSource;
  readonly order: Order;
  readonly request: PageRequest;
  readonly budget: ReadBudget;
}

/** One try to read a page. */
class OrderedRead {
  readonly #reading: Reading;
  readonly #scan: OrderScan;
  readonly #skip: number;
  /** Records and tombstones. */
  readonly #found = new Map<number, Item>();
  readonly #absent = new Set<number>();

  constructor(reading: Reading) {
    const { table, source, order, request } = reading;
    this.#reading = reading;
    this.#scan = new OrderScan(table, source.partition, order, request.newestFirst);
    this.#skip = (request.page - 1) * request.pageSize;
  }

  /** @returns undefined where records moved while it was read */
  async page(): Promise<ItemPage | undefined> {
    const { table, source, order, request, budget } = this.#reading;
    const { pageSize, now } = request;
    const [view] = await Promise.all([
      readView(table, source, now, request.timeLimit),
      this.#scan.read((this.#skip + pageSize) * (isBounded(source) ? 2 : 1) + LOOK_AHEAD),
    ]);
    assertBuilt(view.counter, source, order);
    budget.noteLargest(largestNoted(view.counter));
    const members = membersOf(source, view, new Set(), now);
    const { total } = members;
    const [page] = await Promise.all([
      total <= this.#skip ? { items: [], total, isCut: false } : this.#pageOf(view, members),
      maintain(table, source, view, members.runs, now),
    ]);
    return page;
  }

  async #pageOf(view: View, members: Members): Promise<ItemPage | undefined> {
    const { source, request } = this.#reading;
    const { total } = members;
    const isFew = isBounded(source) && total <= FEW;
    const end = Math.min(this.#skip + request.pageSize, total);
    const expected = Math.ceil((end / total) * Number(view.counter.NEXT ?? 0));
    const entries = Math.min(expected, this.#scan.most);
    if (isFew && (expected > this.#scan.most || total * ENTRIES_A_UNIT < entries)) {
      const sorted = await this.#sorted(members);
      if (sorted !== undefined) return sorted;
    }
    if (await this.#fill(members, end)) return this.#inOrder(view, members);
    const sorted = isFew ? await this.#sorted(members) : undefined;
    if (sorted === undefined) throw new TooManyToSort();
    return sorted;
  }

  /** Reads all records of the list and sorts them. @returns undefined where that is more than one request may read */
  async #sorted(members: Members): Promise<ItemPage | undefined> {
    const { table, source, request, budget } = this.#reading;
    const numbers = members.slice(0, members.total);
    const limits = { most: MAX_READ, largest: budget.largest, timeLimit: request.timeLimit };
    const records = await readWithin(table, source.partition, numbers, limits);
    if (records === undefined) return undefined;
    const listed = Array.from(records.values()).filter((item) => isRecord(item) && source.matches(item));
    const page = this.#sort(listed).slice(this.#skip, this.#skip + request.pageSize);
    return { items: page, total: listed.length, isCut: false };
  }

  /**
   * Reads the order until it has this many members of the list, or ends.
   * @returns whether one or the other was reached
   */
  async #fill(members: Members, end: number): Promise<boolean> {
    const scan = this.#scan;
    for (;;) {
      const found = this.#listed(members).length;
      if (found >= end || scan.isComplete) break;
      if (scan.isExhausted) return false;
      // As many as the rest takes if members go on as they began, and some more.
      await scan.read(Math.max(FURTHER, Math.ceil(((end - found) * 1.25 * scan.texts.size) / Math.max(found, 1))));
    }
    await scan.readMoved();
    return true;
  }

  /** The members of the list in the order, as far as it was read. */
  #listed = (members: Members): number[] =>
    Array.from(this.#scan.texts.keys()).filter((number) => members.has(number) && !this.#absent.has(number));

  /** The page, once the order was read. @returns undefined where records moved meanwhile */
  async #inOrder(view: View, members: Members): Promise<ItemPage | undefined> {
    const { request } = this.#reading;
    for (;;) {
      const total = members.total - this.#absent.size;
      const end = Math.min(this.#skip + request.pageSize, total);
      if (!(await this.#fill(members, end))) throw new TooManyToSort();
      const listed = this.#listed(members);
      if (listed.length < end) {
        if (!(await this.#areAbsent(view, members))) return undefined;
      } else {
        const numbers = listed.slice(this.#skip, end);
        if (await this.#areListed(numbers)) return this.#asRead(view, numbers, total);
      }
    }
  }

  /** Reads the records of these numbers, and notes those that do not belong to the list any more. @returns whether there were none, as far as they may be read */
  async #areListed(numbers: readonly number[]): Promise<boolean> {
    const unread = numbers.filter((number) => !this.#found.has(number));
    for (const [number, item] of await this.#read(unread)) this.#found.set(number, item);
    if (this.#reading.budget.isCut) return true;
    const absent = numbers.filter((number) => !this.#isListed(number));
    for (const number of absent) this.#absent.add(number);
    return absent.length === 0;
  }

  async #asRead(view: View, numbers: readonly number[], total: number): Promise<ItemPage> {
    if (!(await this.#fence(view))) throw new PageIncomplete();
    const items = numbers.map((number) => this.#found.get(number)).filter(isRecord);
    return { items: this.#sort(items), total, isCut: this.#reading.budget.isCut };
  }

  /**
   * Where the whole order has fewer numbers than the list, which is not bounded by sets: notes those without a record. Their writers have ended, or
   * are still at work.
   * @returns whether there was one, and no other number was missing
   * @throws PageIncomplete where there are more than one request may fence; as many as may be are fenced
   */
  async #areAbsent(view: View, members: Members): Promise<boolean> {
    const { table, source, budget } = this.#reading;
    if (isBounded(source)) return false;
    const isMissing = (number: number) => !this.#scan.texts.has(number) && !this.#absent.has(number);
    const all = members.slice(0, members.total).filter(isMissing);
    const missing = all.slice(0, MOST_UNITS);
    const { records } = await readEach(table, source.partition, missing, true, budget);
    for (const [number, item] of records) this.#found.set(number, item);
    for (const number of missing) this.#absent.add(number);
    if (missing.some((number) => this.#isListed(number))) return false;
    if (missing.length === all.length) return missing.length > 0;
    await this.#fence(view);
    throw new PageIncomplete();
  }

  /** @returns whether there were no more than one request may fence */
  #fence(view: View): Promise<boolean> {
    const { table, source, request, budget } = this.#reading;
    return fenceOverdue(table, source, this.#absent, {
      view,
      found: this.#found,
      budget,
      now: request.now,
      hasNewest: false,
    });
  }

  /** Reads records at half the price, and again strongly consistently those that are not as the order and the sets say. */
  async #read(numbers: readonly number[]): Promise<Records> {
    const { table, source, order, budget } = this.#reading;
    if (numbers.length === 0) return new Map();
    budget.expect(numbers.length, false);
    const { records } = await readEach(table, source.partition, numbers, false, budget);
    const isCurrent = (number: number): boolean => {
      const item = records.get(number);
      return isRecord(item) && source.matches(item) && order.textOf(item) === this.#scan.texts.get(number);
    };
    const doubtful = numbers.filter((number) => !isCurrent(number));
    const again =
      doubtful.length === 0 ? [] : (await readEach(table, source.partition, doubtful, true, budget)).records;
    return new Map([...Array.from(records).filter(([number]) => isCurrent(number)), ...again]);
  }

  #isListed(number: number): boolean {
    const item = this.#found.get(number);
    return isRecord(item) && this.#reading.source.matches(item);
  }

  /** By what the records say now: one that has moved since the order was read does not stand in its old place. Equal texts by number. */
  #sort(items: readonly Item[]): Item[] {
    const { order, request } = this.#reading;
    const sorted = items.toSorted((one, other) => compare(keyOf(order, one), keyOf(order, other)));
    return request.newestFirst ? sorted.reverse() : sorted;
  }
}

const keyOf = ({ textOf }: Order, item: Item): string => `${textOf(item)}\n${String(item.SK)}`;

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** @throws ListNotBuilt for an order that lacks older records. A list without a counter item has none. */
function assertBuilt(counter: Item, { partition }: ListSource, { index }: Order): void {
  if (counter.NEXT !== undefined && !builtFilters(counter).includes(index)) throw new ListNotBuilt(partition, ['sort']);
}
