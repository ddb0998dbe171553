import { BLOCK_SIZE, firstOfBlock, STRIPES, sortKeysOfBlock } from './bits.ts';
import type { CountedBlocks } from './block-members.ts';
import { builtFilters } from './counter-item.ts';
import { NumberSet } from './number-set.ts';
import { between, type Query, queryUpTo } from './queries.ts';
import type { Item } from './schema.ts';
import { bitsOf, type WantedSet } from './set-read.ts';
import type { SetSizes } from './set-sizes.ts';
import { readSummary } from './summary.ts';
import type { Table } from './table.ts';

/**
 * Reads one set that has a summary (`summary.ts`): first the counts of its blocks, and beside them the blocks at the end at which its pages begin;
 * then the blocks of the page that are missing.
 */

/** Most items that are read beside the summary: two blocks, and one more that shows whether there are others. */
const LOOK = 2 * STRIPES + 1;

/** Sets below this size are read as a whole: their summary and two blocks cost as much. In read units. */
const WORTHWHILE = 30;

/** Most blocks that a page reads: a set whose page needs more is sparse, and read as a whole. */
const MOST_BLOCKS = 6;

/** The page that is to be read. */
export interface PagePlace {
  readonly newestFirst: boolean;
  /** How many members are before it. */
  readonly skip: number;
}

/** A set as far as it was read: all of its items, or some of its blocks. */
export interface SummarizedRead {
  readonly items: readonly Item[];
  readonly blocks?: CountedBlocks;
}

/** Whether a set has a summary, and is not known to be small. */
export const isWorthSummary = ({ name, summary }: WantedSet, sizes: SetSizes, now: number): boolean =>
  summary !== undefined && (sizes.get(name, now)?.whole ?? WORTHWHILE) >= WORTHWHILE;

/** Reads a set for a page: as a whole, where it is small or its summary is not built. */
export async function readSummarized(
  table: Table,
  set: WantedSet,
  place: PagePlace,
  { counter, sizes, now }: { readonly counter: Promise<Item>; readonly sizes: SetSizes; readonly now: number },
): Promise<SummarizedRead> {
  const query: Query = { ...bitsOf(set), ScanIndexForward: !place.newestFirst };
  const [item, counts, look] = await Promise.all([
    counter,
    readSummary(table, set.partition),
    // A page that is further away is in none of these blocks.
    place.skip >= 2 * BLOCK_SIZE ? undefined : queryUpTo(table, query, LOOK),
  ]);
  const last = look?.last === undefined ? undefined : String(look.last.SK);
  if (look !== undefined && last === undefined) {
    sizes.learn(set.name, { whole: look.units, reach: look.items.length }, now);
    return { items: look.items };
  }
  if (!builtFilters(item).includes(set.summary ?? '')) {
    const { items } = await queryUpTo(table, query, undefined, look?.last);
    return { items: [...(look?.items ?? []), ...items] };
  }
  const end = last === undefined ? undefined : blockAt(last);
  const isRead = (block: number): boolean => end !== undefined && (place.newestFirst ? block > end : block < end);
  const items = (look?.items ?? []).filter(({ SK }) => isRead(blockAt(String(SK))));
  const read = new Set([...counts.keys(), ...items.map(({ SK }) => blockAt(String(SK)))].filter(isRead));
  return { items, blocks: { counts, read, included: NumberSet.ofItems(items) } };
}

const blockAt = (sortKey: string): number => firstOfBlock(sortKey) / BLOCK_SIZE;

/** Reads further blocks of a set; the whole set, where there are many. */
export async function readBlocks(
  table: Table,
  set: WantedSet,
  before: SummarizedRead,
  blocks: readonly number[],
): Promise<SummarizedRead> {
  if (before.blocks === undefined) return before;
  if (blocks.length > MOST_BLOCKS) return { items: (await queryUpTo(table, bitsOf(set))).items };
  const reads = await Promise.all(
    blocks.map((block) => queryUpTo(table, between(set.partition, sortKeysOfBlock(block)))),
  );
  const items = [...before.items, ...reads.flatMap((read) => read.items)];
  const { counts, read } = before.blocks;
  return { items, blocks: { counts, read: new Set([...read, ...blocks]), included: NumberSet.ofItems(items) } };
}
