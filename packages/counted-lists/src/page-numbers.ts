import { entryIn, itemsPartition, type Order, type SortKey, WITH_TEXT, WITHOUT_TEXT } from './indexes/list-index.ts';
import type { Members } from './number-set.ts';
import { between, queryUpTo } from './queries.ts';
import { isBounded, type ListQuery } from './query.ts';
import type { Reading } from './read-budget.ts';
import type { Item } from './schema.ts';
import type { Table } from './table.ts';
import { isUnbuilt, membersOf, type View } from './view.ts';

/** Which page of a list is requested, and how. */
export interface PageRequest {
  /** Counted from 1. */
  readonly page: number;
  readonly pageSize: number;
  /** By default the oldest first. */
  readonly sort: readonly SortKey[];
  /** Epoch milliseconds. */
  readonly now: number;
  readonly timeLimit: Reading;
}

/** Whether a page in the order of the numbers begins with the newest. */
export const isNewestFirst = ({ sort: [first] }: PageRequest): boolean => first?.descending === true;

/** A page as it was read. */
export interface ItemPage {
  readonly items: readonly Item[];
  readonly total: number;
  /** Whether these are only the first records of the page, because all of them are more than one request may read. */
  readonly isCut: boolean;
  /** Read units of what no index answers; undefined where indexes answer all. */
  readonly residualUnits?: number;
}

/** The rank of the lowest number of a page, and how many it has; or of `length` numbers from its start. */
export function ranksOf(
  total: number,
  request: PageRequest,
  length = request.pageSize,
): readonly [rank: number, size: number] {
  const skipped = (request.page - 1) * request.pageSize;
  const size = Math.max(0, Math.min(length, total - skipped));
  return [isNewestFirst(request) ? total - skipped - size : skipped, size];
}

/** The numbers of a page, with what was found of them. */
export class PageNumbers {
  readonly #query: ListQuery;
  readonly #view: View;
  readonly #request: PageRequest;
  /** Undefined: the order of the numbers. */
  readonly #order: OrderScan | undefined;
  readonly #absent = new Set<number>();
  #members: Members;

  constructor(query: ListQuery, view: View, request: PageRequest, order?: OrderScan) {
    this.#query = query;
    this.#view = view;
    this.#request = request;
    this.#order = order;
    this.#members = membersOf(query, view, this.#absent, request.now);
  }

  get total(): number {
    return this.#members.total;
  }

  /** Numbers without a record. */
  get absent(): ReadonlySet<number> {
    return this.#absent;
  }

  exclude(numbers: readonly number[]): void {
    if (numbers.length === 0) return;
    for (const number of numbers) this.#absent.add(number);
    this.#members = membersOf(this.#query, this.#view, this.#absent, this.#request.now);
  }

  /** The numbers of the page, or `length` numbers from its start; undefined where it is too far into the order. */
  async read(length = this.#request.pageSize): Promise<number[] | undefined> {
    if (this.#order === undefined) return this.#members.slice(...ranksOf(this.total, this.#request, length));
    const skipped = (this.#request.page - 1) * this.#request.pageSize;
    return this.#order.slice(this.#members, skipped, Math.min(skipped + length, this.total));
  }
}

/** Reads the numbers of a list in the order of an index, from the requested end (`docs/counted-lists.md#orders`). */

/** Most bytes of an order that are read for a page: 512 read units. */
const MOST_BYTES = 2 * 1_048_576;
/** Bytes of an entry besides its partition key: the names of the keys, a time, a number, the time of writing. */
const ENTRY_BYTES = 4 + 24 + 1 + 12 + 10;
/** Entries of an order that one read unit reads, about. A record takes one unit at least. */
const ENTRIES_A_UNIT = 33;
/** Entries that are read beyond a page, and fewest of a further query. */
const LOOK_AHEAD = 25;
const FURTHER = 500;
/** Most entries that have moved during a scan: a tenant can move 500 in a second. */
const MOST_MOVED = 1_000;

/** First and last sort key. */
type Keys = { readonly from: string; readonly to: string };

/**
 * The numbers of a list in an order, as far as they were read: those without a value come last. Strongly consistent.
 */
export class OrderScan {
  readonly #table: Table;
  readonly #query: ListQuery;
  readonly #order: Order;
  readonly #request: PageRequest;
  readonly #partition: string;
  /** What is left to read, one after the other. */
  #ranges: readonly Keys[];
  /** With their texts. One that was found twice, because it moved meanwhile, keeps its first place. */
  #texts = new Map<number, string>();
  #first: string | undefined;
  #last: Record<string, unknown> | undefined;
  #queries = 0;
  #count = 0;

  constructor(table: Table, query: ListQuery, order: Order, request: PageRequest) {
    this.#table = table;
    this.#query = query;
    this.#order = order;
    this.#request = request;
    this.#partition = itemsPartition(query.partition, order.items);
    const given = rangeIn(query, order);
    this.#ranges = (given === undefined ? [WITH_TEXT, WITHOUT_TEXT] : [given]).filter(({ from, to }) => from <= to);
  }

  /** Whether all of it was read. */
  get isComplete(): boolean {
    return this.#ranges.length === 0;
  }

  /** Most entries that are read. */
  get #most(): number {
    return Math.floor(MOST_BYTES / (this.#partition.length + ENTRY_BYTES));
  }

  /** Reads what the page probably takes, before the members of the list are known. */
  begin(): Promise<void> {
    const { page, pageSize } = this.#request;
    return this.#read(page * pageSize * (isBounded(this.#query) ? 2 : 1) + LOOK_AHEAD);
  }

  /** Whether to read a page by this order: it has all records, and costs no more than to read and sort them. */
  isWorthwhile({ total }: Members, counter: Item): boolean {
    const { page, pageSize } = this.#request;
    const end = Math.min(page * pageSize, total);
    const expected = Math.ceil((end / total) * Number(counter.NEXT ?? 0));
    const isDear = expected > this.#most || total * ENTRIES_A_UNIT < expected;
    return !isDear && !isUnbuilt(counter, this.#query.order?.name);
  }

  /** Whether a record is as the order has it. */
  hasAsIs(number: number, item: Item): boolean {
    return this.#order.textOf(item) === this.#texts.get(number);
  }

  /** Whether any of these has no entry. */
  hasMissed(numbers: readonly number[]): boolean {
    return numbers.some((number) => !this.#texts.has(number));
  }

  /**
   * Members from one place in the order to before another. Those without an entry come last: they have no record, or
   * it has just moved.
   * @returns undefined where that is too far from the beginning
   */
  async slice(members: Members, from: number, to: number): Promise<number[] | undefined> {
    for (;;) {
      const { length } = this.#among(members);
      if (length >= to || this.isComplete) break;
      if (this.#count >= this.#most) return undefined;
      // As many as the rest takes if members continue at this rate, and some more.
      await this.#read(Math.max(FURTHER, Math.ceil(((to - length) * 1.25 * this.#texts.size) / Math.max(length, 1))));
    }
    await this.#readMoved();
    const found = this.#among(members);
    const others =
      found.length >= to ? [] : members.slice(0, members.total).filter((number) => !this.#texts.has(number));
    return [...found, ...others].slice(from, to);
  }

  #among(members: Members): readonly number[] {
    return Array.from(this.#texts.keys()).filter((number) => members.has(number));
  }

  /** Reads up to this many further entries. */
  async #read(wanted: number): Promise<void> {
    const end = Math.min(this.#count + wanted, this.#most);
    this.#request.timeLimit.expectUnits?.((end - this.#count) / ENTRIES_A_UNIT);
    while (this.#count < end) {
      const [range, ...others] = this.#ranges;
      if (range === undefined) return;
      const { items, queries, last } = await this.#send(range, end - this.#count, this.#last);
      this.#queries += queries;
      this.#count += items.length;
      this.#first ??= items[0] === undefined ? undefined : String(items[0].SK);
      this.#last = last;
      if (last === undefined) this.#ranges = others;
      for (const [number, text] of textsIn(items)) if (!this.#texts.has(number)) this.#texts.set(number, text);
    }
  }

  /**
   * Where times were read from the latest one by several queries, reads what has moved to that end meanwhile: such a
   * number is there, and may have been in none of the queries.
   */
  async #readMoved(): Promise<void> {
    if (!this.#isDescending || this.#queries < 2 || this.#first === undefined) return;
    this.#queries = 1;
    const { items } = await this.#send({ from: `${this.#first} `, to: WITH_TEXT.to }, MOST_MOVED);
    const moved = new Map(textsIn(items));
    this.#texts = new Map([...moved, ...[...this.#texts].filter(([number]) => !moved.has(number))]);
  }

  get #isDescending(): boolean {
    return this.#query.sort[0]?.descending === true;
  }

  #send({ from, to }: Keys, most: number, after?: Record<string, unknown>) {
    const query = { ...between(this.#partition, [from, to]), ScanIndexForward: !this.#isDescending };
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
