import { compactGaps, deleteEmptyItems } from './compaction.ts';
import { fence } from './fence.ts';
import { isOverdue, settledUpTo } from './grace-period.ts';
import { numberIn } from './ids.ts';
import { expiryOfNumber } from './periods.ts';
import { isWhole, type ListQuery } from './query.ts';
import type { ReadBudget } from './read-budget.ts';
import { readNext } from './read-records.ts';
import { type Item, isRecord } from './schema.ts';
import type { Table } from './table.ts';
import type { View } from './view.ts';

/** What the reader of a page does for later ones: fences numbers without a record, deletes empty items of sets, compacts gaps. */

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
    await compactGaps(table, { partition, gapItems, gaps }, now);
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
 * Fences numbers without a record whose grace period is over, and completes those with a tombstone. In sets there are none.
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
    .filter((number) => !isRecord(found.get(number)))
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
  return fence(table, overdue, { gaps: gapItems, now });
}
