import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { GROUP_SIZE, inTrash, isEmpty, placeOfItem, WORD_NAMES, WORDS } from './bits.ts';
import { fence } from './fence.ts';
import { COMPRESSED, compressed, REGION_BLOCKS, regionIn, regionKey } from './gap-regions.ts';
import { isOverdue, settledUpTo } from './grace-period.ts';
import { numberIn } from './ids.ts';
import { NumberSet } from './number-set.ts';
import { expiryOfNumber } from './periods.ts';
import { isWhole, type ListQuery } from './query.ts';
import type { ReadBudget } from './read-budget.ts';
import { readNext } from './read-records.ts';
import { isTrashed } from './restorable.ts';
import { AT, type Item, isRecord } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import type { Table } from './table.ts';
import { conditionOf, putRequest } from './transaction/pending-write.ts';
import type { View } from './view.ts';

/** Work of a reader for later ones: fences numbers without a record, deletes empty items of sets, compacts gaps. */

/** Deletes empty items of the sets of a filtered list. Compacts the gaps of the whole list, unless they expire. */
export async function maintain(
  table: Table,
  source: ListQuery,
  { items, gaps, gapItems }: View,
  now: number,
): Promise<void> {
  const { partition, retentionDays } = source;
  if (!isWhole(source)) await deleteEmptyItems(table, items);
  else if (retentionDays === undefined && gapItems !== undefined)
    await compactGaps(table, partition, gapItems, gaps, now);
}

interface Read {
  readonly view: View;
  /** Records and tombstones. */
  readonly found: ReadonlyMap<number, Item>;
  readonly budget: ReadBudget;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Whether the newest records were read: where there is none after a number, none is written yet. */
  readonly hasNewest: boolean;
}

/**
 * Fences numbers without a record whose grace period is over, and completes those with a tombstone. In sets there are
 * none.
 * @returns whether there were no more than one request may fence
 */
export async function fenceOverdue(
  table: Table,
  source: ListQuery,
  absent: ReadonlySet<number>,
  { view: { counter, gapItems }, found, budget, now, hasNewest }: Read,
): Promise<boolean> {
  if (gapItems === undefined) return true;
  const { partition, retentionDays, createdAt } = source;
  const numbers = [...absent]
    .filter((number) => !isRecord(found.get(number)) && !isTrashed(found.get(number)))
    .map((number) => ({ number, isFenced: found.has(number) }));
  let settled = settledUpTo(found, createdAt, now);
  const isOpen = ({ number, isFenced }: (typeof numbers)[number]) =>
    !isFenced && !isOverdue(counter, number, now, settled);
  const open = numbers.filter(isOpen);
  if (open.length > 0 && !hasNewest) {
    const next = await readNext(table, partition, Math.max(...open.map(({ number }) => number)), budget);
    if (next !== undefined)
      settled = Math.max(settled, settledUpTo([[numberIn(String(next.SK)), next]], createdAt, now));
  }
  const overdue = numbers
    .filter((one) => !isOpen(one))
    .map((one) => ({
      ...one,
      partition,
      expires: retentionDays === undefined ? undefined : expiryOfNumber(counter, one.number),
    }));
  return fence(table, overdue, gapItems, now);
}

/**
 * Compaction of a list's gaps: where nearly all numbers were deleted, their bits are compressed to a hundredth. It
 * changes how gaps are stored and never which numbers are gaps (`docs/counted-lists.md`):
 *
 *     words ── compress them, too ──▶ words and compressed bits ── a day later: delete the words ──▶ compressed bits
 *
 * Readers count the union, so each step may be repeated, left out, or done by two readers at once.
 */

/** Fewest items with words for which compressing is worth its writes. */
const WORTHWHILE = 64;

/** Most regions that one request compresses. */
const MOST_REGIONS = 4;

/**
 * Most exceptions of a block, for each item with words that is replaced: gaps among records, or records among gaps. One
 * takes up to four bytes, so a block becomes a quarter.
 */
const EXCEPTIONS_AN_ITEM = 64;

/**
 * From when bits are compressed to when words are deleted. A query that began before has ended by then, and so has the
 * deployment of the first release that reads them. In milliseconds.
 */
const DAY = 86_400_000;

/** A region with words, as read. */
interface Region {
  readonly region: number;
  /** Its items with words. */
  readonly items: readonly Item[];
  readonly compressed: Item | undefined;
  /** The numbers in its compressed bits. */
  readonly noted: NumberSet;
  /** The items whose numbers are all in its compressed bits. */
  readonly unneeded: readonly Item[];
}

/**
 * Does a part of the next step, where that is worth it. Best effort: failures are ignored.
 * @param all items of the list's gaps, as read @param union of words, compressed bits, and the trash
 * @param now epoch milliseconds
 */
async function compactGaps(table: Table, list: string, all: readonly Item[], union: NumberSet, now: number) {
  const items = all.filter((item) => inTrash(item) === undefined);
  // What can be restored is never compressed.
  const gaps = items.length === all.length ? union : NumberSet.ofItems(items);
  const regions = regionsOf(items);
  const put = ({ region, compressed: before, noted, blocks }: Compressible) => {
    const added = [...gaps.groups].filter(([group]) => blocks.has(Math.floor(group / WORDS)));
    const item = {
      PK: storedSets.partitionOf(list),
      SK: regionKey(region),
      [COMPRESSED]: compressed(region, new Map([...noted.groups, ...added])),
      [AT]: now,
    };
    const condition = { equals: { [COMPRESSED]: before?.[COMPRESSED] } };
    return table.client.send(new PutCommand(putRequest(table.name, { item, condition })));
  };
  await Promise.all([
    deleteAsRead(
      table,
      regions.flatMap((region) => (isDayPast(region, now) ? region.unneeded : [])),
    ),
    deleteEmptyItems(table, all, inTrash),
    Promise.allSettled(compressibleOf(regions, gaps).map(put)),
  ]);
}

function regionsOf(items: readonly Item[]): Region[] {
  const byRegion = Map.groupBy(
    items.filter((item) => placeOfItem(item) !== undefined),
    (item) => Math.floor(blockOf(item) / REGION_BLOCKS),
  );
  return Array.from(byRegion, ([region, its]) => {
    const before = items.find((item) => regionIn(item) === region);
    const noted = before === undefined ? NumberSet.EMPTY : NumberSet.ofItems([before]);
    const unneeded = its.filter((item) => before !== undefined && noted.hasAll(NumberSet.ofItems([item])));
    return { region, items: its, compressed: before, noted, unneeded };
  });
}

const blockOf = (item: Item): number => placeOfItem(item)?.block ?? 0;

/** A time in the future is that of a wrong clock, and counts like one in the past: correctness does not rest on it. */
const isDayPast = ({ compressed: before }: Region, now: number): boolean =>
  Math.abs(now - Number(before?.[AT] ?? now)) >= DAY;

/** A region, with those of its blocks whose words are replaced. */
interface Compressible extends Region {
  readonly blocks: ReadonlySet<number>;
}

/** The regions with most items of blocks of few exceptions. None where these are too few items in all. */
function compressibleOf(regions: readonly Region[], gaps: NumberSet): Compressible[] {
  if (regions.reduce((sum, { items }) => sum + items.length, 0) < WORTHWHILE) return [];
  const compressible = regions
    .filter(({ unneeded }) => unneeded.length === 0)
    .map((region) => {
      const dense = Array.from(Map.groupBy(region.items, blockOf)).filter(
        ([block, items]) => exceptionsOf(block, gaps) <= items.length * EXCEPTIONS_AN_ITEM,
      );
      const count = dense.reduce((sum, [, items]) => sum + items.length, 0);
      return { ...region, blocks: new Set(dense.map(([block]) => block)), count };
    });
  if (compressible.reduce((sum, { count }) => sum + count, 0) < WORTHWHILE) return [];
  return compressible
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count)
    .slice(0, MOST_REGIONS);
}

/** How many numbers of a block are not as most of their group. */
function exceptionsOf(block: number, gaps: NumberSet): number {
  let exceptions = 0;
  for (let group = block * WORDS; group < (block + 1) * WORDS; group++) {
    const count = gaps.countIn(group);
    exceptions += Math.min(count, GROUP_SIZE - count);
  }
  return exceptions;
}

/** Fewest empty items for which deleting them is worth its writes, and most that are deleted at once. */
const MANY_EMPTY = 8;
const MOST_DELETED = 25;

/**
 * Deletes items of a set without numbers, such as those of tickets that were once open, which every reader of the set
 * would read again. Best effort: failures are ignored.
 */
async function deleteEmptyItems(
  table: Table,
  items: readonly Item[],
  setOf: (item: Item) => Item | undefined = (item) => item,
): Promise<void> {
  const empty = items.filter((item) => isEmpty(setOf(item) ?? {}));
  if (empty.length >= MANY_EMPTY) await deleteAsRead(table, empty);
}

/** Deletes up to {@link MOST_DELETED} items of a set on condition that their words are as read. Best effort. */
async function deleteAsRead(table: Table, items: readonly Item[]): Promise<void> {
  if (items.length === 0) return;
  const removals = await Promise.allSettled(items.slice(0, MOST_DELETED).map((item) => remove(table, item)));
  table.observer.count('compactions', removals.filter(({ status }) => status === 'fulfilled').length);
}

const remove = (table: Table, item: Item) =>
  table.client.send(
    new DeleteCommand({
      TableName: table.name,
      Key: { PK: item.PK, SK: item.SK },
      ...conditionOf({ equals: Object.fromEntries(WORD_NAMES.map((word) => [word, item[word]])) }),
    }),
  );
