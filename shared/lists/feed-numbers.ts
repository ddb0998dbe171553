import { BLOCK_SIZE, sortKeysOfBlock } from './bits.ts';
import type { List } from './counter-item.ts';
import { fence } from './fence.ts';
import { isOverdue, settledUpTo } from './grace-period.ts';
import { NUMBERS, numberIn, sortKeyOf } from './ids.ts';
import { NumberSet } from './number-set.ts';
import { expiryOfNumber } from './periods.ts';
import { between, queryAll, queryUpTo } from './queries.ts';
import type { Item } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import type { Table } from './table.ts';

/** What a reader who follows a list (`feed.ts`) finds at its numbers. */

/** A list that can be followed. Its records have 1 KB at most. */
export interface FollowedList extends List {
  readonly retentionDays: number;
  /** The field with the time of a record's creation. */
  readonly createdAt: string;
}

/** The next number that a list allocates. */
export const nextIn = ({ NEXT: next }: Item): number => Number(next ?? 0);

/** What there is at some neighbouring numbers of a block. */
export interface Stretch {
  /** Records and tombstones. */
  readonly found: ReadonlyMap<number, Item>;
  /** One after the last number that was looked at. */
  readonly end: number;
}

/** Reads the first records and tombstones from a number on, within its block. */
export async function readStretch(table: Table, { partition }: List, from: number, most: number): Promise<Stretch> {
  // A cursor may name any number, also of the last block, which is a shorter one.
  const endOfBlock = Math.min((Math.floor(from / BLOCK_SIZE) + 1) * BLOCK_SIZE, NUMBERS);
  const range = between(partition, [sortKeyOf(from), sortKeyOf(endOfBlock - 1)]);
  const { items, last } = await queryUpTo(table, range, most);
  const found = new Map(items.map((item) => [numberIn(String(item.SK)), item]));
  return { found, end: last === undefined ? endOfBlock : numberIn(String(last.SK)) + 1 };
}

/** Numbers of a stretch, as far as they are allocated. */
export class Numbers {
  readonly #list: FollowedList;
  readonly #counter: Item;
  readonly #found: Stretch['found'];
  readonly #now: number;
  readonly #settled: number;
  #gapItems: readonly Item[] = [];
  #gaps = NumberSet.EMPTY;
  readonly end: number;

  constructor(list: FollowedList, counter: Item, { found, end }: Stretch, now: number) {
    this.#list = list;
    this.#counter = counter;
    this.#found = found;
    this.#now = now;
    this.#settled = settledUpTo(found, list.createdAt, now);
    this.end = Math.min(end, nextIn(counter));
  }

  /** Whether there is a record, or can never be one. */
  isClosed(number: number): boolean {
    return this.#found.has(number) || this.#gaps.has(number);
  }

  isOverdue(number: number): boolean {
    return isOverdue(this.#counter, number, this.#now, this.#settled);
  }

  /** Reads the gap bits, unless all numbers are closed without: after the records, because none of a followed list is deleted before it expires. */
  async readGaps(table: Table, from: number): Promise<void> {
    let open = from;
    while (open < this.end && this.isClosed(open)) open++;
    if (open === this.end) return;
    const sets = storedSets.partitionOf(this.#list.partition);
    this.#gapItems = await queryAll(table, between(sets, sortKeysOfBlock(Math.floor(from / BLOCK_SIZE))));
    this.#gaps = NumberSet.ofItems(this.#gapItems);
  }

  /** Fences the overdue numbers from this one on, as many as one request may. */
  async fenceOverdue(table: Table, from: number): Promise<void> {
    const overdue = [];
    for (let number = from; number < this.end; number++)
      if (!this.isClosed(number) && this.isOverdue(number)) overdue.push(this.#unwritten(number));
    await fence(table, overdue, { gaps: this.#gapItems, now: this.#now });
  }

  #unwritten(number: number) {
    const { partition } = this.#list;
    return { partition, number, expires: expiryOfNumber(this.#counter, number), isFenced: false };
  }
}
