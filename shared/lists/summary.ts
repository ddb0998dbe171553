import { BLOCK_SIZE, placeOfItem, STRIPES, WORD_NAMES } from './bits.ts';
import { Members, NumberSet } from './number-set.ts';
import { beginningWith, queryAll } from './queries.ts';
import type { Item } from './schema.ts';
import type { Table } from './table.ts';
import type { Condition } from './transaction/conditions.ts';

/**
 * The summary of a set: how many members each of its items of bits has, in further items of its partition. A count is changed in the transaction
 * that changes the bit, so it is exact, and a reader learns the total without reading the bits. It costs a write for each bit, so a filter
 * declares it.
 */

/** Blocks whose counts are in one item, which stays below 1 KB. */
const BLOCKS = 100;

/** Where a number is counted. */
interface CountPlace {
  /** Sort key of the item in the set's partition. Like bits, neighbours are counted in different items. */
  readonly sortKey: string;
  /** Name of the attribute. */
  readonly count: string;
}

export function countPlace(number: number): CountPlace {
  const block = Math.floor(number / BLOCK_SIZE);
  const part = String(Math.floor(block / BLOCKS)).padStart(8, '0');
  return { sortKey: `N#${part}#${String(number % STRIPES).padStart(2, '0')}`, count: `N${block % BLOCKS}` };
}

const SORT_KEY = /^N#(\d{8})#(\d{2})$/;
const COUNT = /^N(\d{1,2})$/;

/** The count of an item of bits. */
interface StripeCount {
  readonly block: number;
  readonly stripe: number;
  readonly count: number;
}

/** The counts in an item; none in an item of another kind. */
export function countsIn(item: Item): StripeCount[] {
  const [, part, stripe] = SORT_KEY.exec(String(item.SK)) ?? [];
  if (part === undefined) return [];
  return Object.entries(item).flatMap(([attribute, count]) => {
    const [, block] = COUNT.exec(attribute) ?? [];
    return block === undefined
      ? []
      : [{ block: Number(part) * BLOCKS + Number(block), stripe: Number(stripe), count: Number(count) }];
  });
}

/** Members of each block of a set. Blocks without any are left out. */
export type BlockCounts = ReadonlyMap<number, number>;

/** Reads the summary of a set, strongly consistent. @param set its partition */
export async function readSummary(table: Table, set: string): Promise<BlockCounts> {
  const counts = new Map<number, number>();
  for (const { block, count } of (await queryAll(table, beginningWith(set, 'N#'))).flatMap(countsIn))
    counts.set(block, (counts.get(block) ?? 0) + count);
  return new Map([...counts].filter(([, count]) => count > 0));
}

/** The members of an item of bits, and their count in the summary. */
interface Compared {
  members: number;
  counted: number;
}

/**
 * Compares the bits of a set with its summary, by the lowest number that an item of bits can have.
 * @param items some items of the set's partition
 * @param floor the list's first number: what is in blocks below it has expired
 */
export function compareCounts(items: readonly Item[], floor = 0): ReadonlyMap<number, Readonly<Compared>> {
  const compared = new Map<number, Compared>();
  const at = (block: number, stripe: number): Compared => {
    const first = block * BLOCK_SIZE + stripe;
    const known = compared.get(first) ?? { members: 0, counted: 0 };
    if ((block + 1) * BLOCK_SIZE > floor) compared.set(first, known);
    return known;
  };
  for (const { block, stripe, count } of items.flatMap(countsIn)) at(block, stripe).counted += count;
  for (const item of items) {
    const place = placeOfItem(item);
    if (place !== undefined) at(place.block, place.stripe).members = sizeOf(item);
  }
  return compared;
}

function sizeOf(item: Item): number {
  const included = NumberSet.ofItems([item]);
  return new Members({ from: 0, to: Number.MAX_SAFE_INTEGER, included, absent: new Set() }).total;
}

/** The condition that the bits of an item are as read. */
export const bitsAsRead = (item: Item | undefined): Condition => ({
  equals: Object.fromEntries(WORD_NAMES.map((word) => [word, item?.[word]])),
});
