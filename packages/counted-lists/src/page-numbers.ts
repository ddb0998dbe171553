import type { SortKey } from './indexes/where.ts';
import type { Members } from './number-set.ts';
import type { OrderScan } from './order-scan.ts';
import type { ListQuery } from './query.ts';
import type { Reading } from './read-budget.ts';
import type { Item } from './schema.ts';
import { membersOf, type View } from './view.ts';

/** Which page of a list. */
export interface PageRange {
  /** Counted from 1. */
  readonly page: number;
  readonly pageSize: number;
  /** By default the oldest first. */
  readonly sort: readonly SortKey[];
}

/** Of pages in the order of the numbers. */
export const isNewestFirst = ({ sort: [first] }: PageRange): boolean => first?.descending === true;

/** How a page is requested. */
export interface PageRequest extends PageRange {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly timeLimit: Reading;
}

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
  range: PageRange,
  length = range.pageSize,
): readonly [rank: number, size: number] {
  const skipped = (range.page - 1) * range.pageSize;
  const size = Math.max(0, Math.min(length, total - skipped));
  return [isNewestFirst(range) ? total - skipped - size : skipped, size];
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

  /** The numbers of the page, or `length` numbers from its start; undefined where the page is too far from the beginning of an order. */
  async read(length = this.#request.pageSize): Promise<number[] | undefined> {
    if (this.#order === undefined) return this.#members.slice(...ranksOf(this.total, this.#request, length));
    const skipped = (this.#request.page - 1) * this.#request.pageSize;
    return this.#order.slice(this.#members, skipped, Math.min(skipped + length, this.total));
  }
}
