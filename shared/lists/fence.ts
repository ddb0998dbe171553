import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { bitPlace } from './bits.ts';
import { setGaps, type Unwritten } from './gap-words.ts';
import { sortKeyOf } from './ids.ts';
import { AT, type Item, TOMBSTONE, TTL, tombstoneOfDay } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import { itemOf, type Table } from './table.ts';
import { putRequest, RETURNED } from './transaction/pending-write.ts';

/**
 * Fences numbers that were allocated but have no record: their writer crashed, or is still running. First a tombstone is put at the number's key, on
 * condition that the key is free: from then on the writer's own condition fails, and it allocates another number. Then the bit of the gap is set, on
 * condition that its word is as read. So correctness does not depend on clocks (`docs/counted-lists.md`). One write unit for each number, and one
 * for each item of gaps.
 */

/** Most write units that one request spends on fencing: a unit for each number, and one for each item of gaps. */
export const MOST_UNITS = 200;

/** A number that a reader found without a record. */
export interface FoundNumber extends Unwritten {
  /** Whether there is a tombstone: only its bit is missing. */
  readonly isFenced: boolean;
}

interface AsRead {
  /** The items of the list's gaps, as read before the numbers were found. */
  readonly gaps: readonly Item[];
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Fences as many of these numbers as {@link MOST_UNITS} allow. Best effort: what fails is left to the next reader, who completes a tombstone without
 * its bit.
 * @returns whether these were all
 */
export async function fence(table: Table, found: readonly FoundNumber[], { gaps, now }: AsRead): Promise<boolean> {
  const affordable = affordableOf(found);
  const tries = affordable.map(async (one) =>
    one.isFenced || (await putTombstone(table, one, now).catch(() => false)) ? [one] : [],
  );
  const fenced = (await Promise.all(tries)).flat();
  const byItem = Map.groupBy(fenced, ({ number }) => bitPlace(number).sortKey);
  await Promise.allSettled(
    Array.from(byItem, ([sortKey, numbers]) =>
      setGaps(
        table,
        numbers,
        gaps.find(({ SK }) => SK === sortKey),
      ),
    ),
  );
  table.observer.count('fences', fenced.length);
  return affordable.length === found.length;
}

/** The first of these numbers, those with a tombstone before the others. */
function affordableOf(found: readonly FoundNumber[]): readonly FoundNumber[] {
  const items = new Set<string>();
  const inOrder = [...found.filter(({ isFenced }) => isFenced), ...found.filter(({ isFenced }) => !isFenced)];
  let tombstones = 0;
  const end = inOrder.findIndex(({ number, isFenced }) => {
    if (!isFenced) tombstones++;
    items.add(bitPlace(number).sortKey);
    return tombstones + items.size > MOST_UNITS;
  });
  return end < 0 ? inOrder : inOrder.slice(0, end);
}

/**
 * Puts a tombstone at a number's key, if that is free. In a list whose records expire, it expires with them.
 * @returns whether there is one now @throws whatever the table throws; then nobody knows
 */
export async function putTombstone(
  table: Table,
  { partition, number, expires }: Unwritten,
  now: number,
  lasting: 'a day' | 'for good' = 'for good',
): Promise<boolean> {
  const item = {
    PK: partition,
    SK: sortKeyOf(number),
    ...(lasting === 'a day' ? tombstoneOfDay(now) : { [TOMBSTONE]: true }),
    [AT]: now,
    ...(expires === undefined ? {} : { [TTL]: storedSets.expiryAfter(expires) }),
  };
  const request = putRequest(table.name, { item, condition: { exists: false } });
  try {
    await table.client.send(new PutCommand({ ...request, ...RETURNED }));
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // Another reader, or an attempt of this one whose reply was lost, may have put it.
    return itemOf(error.Item)?.[TOMBSTONE] !== undefined;
  }
}
