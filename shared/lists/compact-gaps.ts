import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { BLOCK_SIZE, GROUP_SIZE, placeOfItem, WORDS } from './bits.ts';
import { deleteAsRead } from './empty-items.ts';
import { encoded, RANGES, type Range, REGION_BLOCKS, REGION_SIZE, rangesKey, regionIn } from './gap-ranges.ts';
import { NumberSet, type Run } from './number-set.ts';
import { AT, type Item } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import type { Table } from './table.ts';
import { putRequest } from './transaction/expressions.ts';

/**
 * Compaction of a list's gaps: where nearly all numbers were deleted, bits become ranges, which take a hundredth of
 * their place. It changes how gaps are stored and never which numbers are gaps (`docs/counted-lists.md`):
 *
 *     bits ── note them as ranges too ──▶ bits and ranges ── a day later: delete the bits ──▶ ranges
 *
 * Readers count the union, so each step may be repeated, left out, or done by two readers at once.
 */

/** Fewest items with bits for which ranges are worth their writes. */
const WORTHWHILE = 64;

/** Most regions whose ranges one request notes. */
const MOST_REGIONS = 4;

/** The ranges of a block take at most so many bytes for each item with bits that they replace: about a quarter. */
const BYTES_AN_ITEM = 256;

/** Most bytes of a range, with the numbers before it. */
const BYTES_A_RANGE = 4;

/**
 * From when ranges are noted to when bits are deleted. A query that began before the note has ended by then, and so has
 * the deployment of the first release that reads ranges. In milliseconds.
 */
const DAY = 86_400_000;

/** The gaps of a list, as read. */
export interface StoredGaps {
  /** Partition of the list's records. */
  readonly partition: string;
  readonly gapItems: readonly Item[];
  /** The union of bits and ranges. */
  readonly gaps: NumberSet;
  /** How many members there are in each group with gaps. */
  readonly runs: readonly Run[];
}

/** A region with bits, as read. */
interface Region {
  readonly region: number;
  /** Its items with bits. */
  readonly items: readonly Item[];
  readonly ranges: Item | undefined;
  /** The numbers in its ranges. */
  readonly noted: NumberSet;
  /** The items whose numbers are all in its ranges. */
  readonly unneeded: readonly Item[];
}

/**
 * Does a part of the next step, where that is worth it. Best effort: failures are ignored.
 * @param now epoch milliseconds
 */
export async function compactGaps(table: Table, stored: StoredGaps, now: number): Promise<void> {
  const regions = regionsOf(stored.gapItems);
  const unneeded = regions.flatMap((region) => (isDayPast(region, now) ? region.unneeded : []));
  const settled = regions.filter((region) => region.unneeded.length === 0);
  const replaceable = replaceableOf(settled, stored.runs);
  await Promise.all([
    deleteAsRead(table, unneeded),
    Promise.allSettled(replaceable.map((region) => noteRanges(table, stored, region, now))),
  ]);
}

function regionsOf(items: readonly Item[]): Region[] {
  const ranges = new Map(items.map((item) => [regionIn(item), item]));
  const withBits = items.filter((item) => placeOfItem(item) !== undefined);
  const byRegion = Map.groupBy(withBits, (item) => Math.floor(blockOf(item) / REGION_BLOCKS));
  return Array.from(byRegion, ([region, its]) => {
    const own = ranges.get(region);
    if (own === undefined) return { region, items: its, ranges: own, noted: NumberSet.EMPTY, unneeded: [] };
    const noted = NumberSet.ofItems([own]);
    const unneeded = its.filter((item) => noted.hasAll(NumberSet.ofItems([item])));
    return { region, items: its, ranges: own, noted, unneeded };
  });
}

const blockOf = (item: Item): number => placeOfItem(item)?.block ?? 0;

/** A time in the future is that of a wrong clock, and counts like one in the past: correctness does not rest on it. */
const isDayPast = ({ ranges }: Region, now: number): boolean => Math.abs(now - Number(ranges?.[AT] ?? now)) >= DAY;

/** A region, with those of its blocks whose bits are replaced. */
interface Replaceable extends Region {
  readonly blocks: ReadonlySet<number>;
}

/** The regions in which few ranges have the numbers of many items. None where these are too few items in all. */
function replaceableOf(regions: readonly Region[], runs: readonly Run[]): Replaceable[] {
  if (regions.reduce((sum, { items }) => sum + items.length, 0) < WORTHWHILE) return [];
  const bytes = bytesByBlock(runs);
  const replaceable = regions.map((region) => {
    const byBlock = Array.from(Map.groupBy(region.items, blockOf));
    const dense = byBlock.filter(([block, items]) => (bytes.get(block) ?? 0) <= items.length * BYTES_AN_ITEM);
    const count = dense.reduce((sum, [, items]) => sum + items.length, 0);
    return { ...region, blocks: new Set(dense.map(([block]) => block)), count };
  });
  if (replaceable.reduce((sum, { count }) => sum + count, 0) < WORTHWHILE) return [];
  return replaceable
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count)
    .slice(0, MOST_REGIONS);
}

/** The most bytes that the ranges of each block take, as far as there are gaps in it. */
function bytesByBlock(runs: readonly Run[]): ReadonlyMap<number, number> {
  const bytes = new Map<number, number>();
  for (const { first, end, count, isWhole } of runs) {
    if (isWhole) continue;
    const block = Math.floor(first / BLOCK_SIZE);
    const ranges = Math.min(count, end - first - count) + 1;
    bytes.set(block, (bytes.get(block) ?? 0) + ranges * BYTES_A_RANGE);
  }
  return bytes;
}

/** Adds the gaps of blocks to the ranges of their region, on condition that these are as read. */
async function noteRanges(
  table: Table,
  { partition, gaps }: StoredGaps,
  { region, ranges, noted, blocks }: Replaceable,
  now: number,
): Promise<void> {
  const setOf = (group: number): NumberSet => (blocks.has(Math.floor(group / WORDS)) ? gaps : noted);
  const item = {
    PK: storedSets.partitionOf(partition),
    SK: rangesKey(region),
    [RANGES]: encoded(rangesIn(region, setOf), region * REGION_SIZE),
    [AT]: now,
  };
  const condition = { equals: { [RANGES]: ranges?.[RANGES] } };
  await table.client.send(new PutCommand(putRequest(table.name, { item, condition })));
}

/** The numbers of a region that are in the set of their group, as ranges. */
function rangesIn(region: number, setOf: (group: number) => NumberSet): Range[] {
  const ranges: Range[] = [];
  let from: number | undefined;
  const end = (to: number): void => {
    if (from !== undefined) ranges.push({ from, to });
    from = undefined;
  };
  const groups = REGION_SIZE / GROUP_SIZE;
  for (let group = region * groups; group < (region + 1) * groups; group++) {
    const set = setOf(group);
    const first = group * GROUP_SIZE;
    if (!set.groups.has(group)) end(first);
    else if (set.isFull(group)) from ??= first;
    else
      for (let number = first; number < first + GROUP_SIZE; number++) {
        if (set.has(number)) from ??= number;
        else end(number);
      }
  }
  end((region + 1) * REGION_SIZE);
  return ranges;
}
