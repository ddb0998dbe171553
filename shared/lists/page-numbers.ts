import type { List } from './counter-item.ts';
import type { SortKey } from './indexes/where.ts';
import type { Members } from './number-set.ts';
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
  readonly scanned?: number;
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

/** The numbers of a page, in order, with what was read of the list to know them. */
export class PageNumbers {
  readonly #source: List;
  readonly #range: PageRange;
  readonly #now: number;
  readonly #absent = new Set<number>();
  readonly #view: View;
  #members: Members;

  /** @param now epoch milliseconds */
  constructor(source: List, view: View, range: PageRange, now: number) {
    this.#source = source;
    this.#range = range;
    this.#now = now;
    this.#view = view;
    this.#members = membersOf(source, view, this.#absent, now);
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
    this.#members = membersOf(this.#source, this.#view, this.#absent, this.#now);
  }

  /** The numbers of the page, or `length` numbers from its start. */
  read(length?: number): number[] {
    return this.#members.slice(...ranksOf(this.total, this.#range, length));
  }
}
