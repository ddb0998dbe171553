import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { bitPlace } from './bits.ts';
import { type Item, type Key, TTL } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import type { Table } from './table.ts';
import type { PendingUpdate } from './transaction/pending-write.ts';
import { updateRequest } from './transaction/pending-write.ts';

/** A number without a record. */
export interface Unwritten {
  /** Partition of the list's records. */
  readonly partition: string;
  readonly number: number;
  /** In epoch seconds, where the list's records expire. */
  readonly expires: number | undefined;
}

/** The item with the gap bit of a number. */
export const gapKeyOf = ({ partition, number }: Unwritten): Key => ({
  PK: storedSets.partitionOf(partition),
  SK: bitPlace(number).sortKey,
});

/**
 * The change that sets the gap bits of numbers of one item, on condition that its words are as read: no bit is added twice, however often the
 * change is sent. The item does not expire before the last of its gaps.
 */
export function gapsOf(
  unwritten: readonly Unwritten[],
  seen: Item = {},
): Pick<PendingUpdate, 'set'> & { readonly condition: { readonly equals: Item } } {
  const words = new Map<string, bigint>();
  let latest = Number(seen[TTL] ?? 0);
  for (const { number, expires } of unwritten) {
    const { word, bit } = bitPlace(number);
    words.set(word, (words.get(word) ?? wordIn(seen, word)) | bit);
    if (expires !== undefined) latest = Math.max(latest, storedSets.expiryAfter(expires));
  }
  return {
    set: { ...Object.fromEntries(words), ...(latest === 0 ? {} : { [TTL]: latest }) },
    condition: { equals: Object.fromEntries(Array.from(words.keys(), (word) => [word, seen[word]])) },
  };
}

const wordIn = (item: Item, word: string): bigint => BigInt((item[word] as number | bigint | undefined) ?? 0);

/** Whether the gap bit of a number is set in an item as read. */
export function isGapIn(item: Item | undefined, { number }: Unwritten): boolean {
  const { word, bit } = bitPlace(number);
  return (wordIn(item ?? {}, word) & bit) !== 0n;
}

/**
 * Sets the gap bits of numbers of one item: one write unit.
 * @param seen the item as read, before the numbers were found to have no record
 * @throws ConditionalCheckFailedException when its words are no longer as read
 */
export async function setGaps(table: Table, unwritten: readonly Unwritten[], seen: Item | undefined): Promise<void> {
  const [first] = unwritten;
  if (first === undefined) return;
  const change = { kind: 'update', key: gapKeyOf(first), add: {}, remove: [], ...gapsOf(unwritten, seen) } as const;
  await table.client.send(new UpdateCommand(updateRequest(table.name, change)));
}
