import type { Members, Run } from './number-set.ts';
import type { Reading } from './read-budget.ts';
import type { Item } from './schema.ts';
import { type ListSource, membersOf, type View } from './view.ts';

/** Which page of a list. */
export interface PageRange {
  /** Counted from 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly newestFirst: boolean;
}

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
}

/** The rank of the lowest number of a page, and how many it has; or of `length` numbers from its start. */
export function ranksOf(
  total: number,
  { page, pageSize, newestFirst }: PageRange,
  length = pageSize,
): readonly [rank: number, size: number] {
  const skipped = (page - 1) * pageSize;
  const size = Math.max(0, Math.min(length, total - skipped));
  return [newestFirst ? total - skipped - size : skipped, size];
}

/** The numbers of a page, in order, with what was read of the list to know them. */
export class PageNumbers {
  readonly #source: ListSource;
  readonly #range: PageRange;
  readonly #now: number;
  readonly #absent = new Set<number>();
  readonly #view: View;
  #members: Members;

  /** @param now epoch milliseconds */
  constructor(source: ListSource, view: View, range: PageRange, now: number) {
    this.#source = source;
    this.#range = range;
    this.#now = now;
    this.#view = view;
    this.#members = membersOf(source, view, this.#absent, now);
  }

  get total(): number {
    return this.#members.total;
  }

  /** How many members there are in each group. */
  get runs(): readonly Run[] {
    return this.#members.runs;
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
