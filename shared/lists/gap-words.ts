import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { bitPlace } from './bits.ts';
import { type Item, TTL } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import type { Table } from './table.ts';
import { RETURNED, updateRequest } from './transaction/pending-write.ts';

/** A number without a record. */
export interface Unwritten {
  /** Partition of the list's records. */
  readonly partition: string;
  readonly number: number;
  /** In epoch seconds, where the list's records expire. */
  readonly expires: number | undefined;
}

/** Whether the gap bit of a number is set in an item as read. */
export function isGapIn(item: Item | undefined, { number }: Unwritten): boolean {
  const { word, bit } = bitPlace(number);
  return (wordIn(item ?? {}, word) & bit) !== 0n;
}

const wordIn = (item: Item, word: string): bigint => BigInt((item[word] as number | bigint | undefined) ?? 0);

/**
 * Sets the gap bits of numbers of one item, on condition that its words are as read: no bit is added twice, however often the change is sent. One write
 * unit. The item does not expire before the last of its gaps.
 * @param seen the item as read, before the numbers were found to have no record
 * @throws ConditionalCheckFailedException with the item, when its words are no longer as read
 */
export async function setGaps(table: Table, unwritten: readonly Unwritten[], seen: Item = {}): Promise<void> {
  const [first] = unwritten;
  if (first === undefined) return;
  const words: Record<string, bigint> = {};
  let latest = Number(seen[TTL] ?? 0);
  for (const { number, expires } of unwritten) {
    const { word, bit } = bitPlace(number);
    words[word] = (words[word] ?? wordIn(seen, word)) | bit;
    if (expires !== undefined) latest = Math.max(latest, storedSets.expiryAfter(expires));
  }
  const request = updateRequest(table.name, {
    key: { PK: storedSets.partitionOf(first.partition), SK: bitPlace(first.number).sortKey },
    set: { ...words, ...(latest === 0 ? {} : { [TTL]: latest }) },
    condition: { equals: Object.fromEntries(Object.keys(words).map((word) => [word, seen[word]])) },
  });
  await table.client.send(new UpdateCommand({ ...request, ...RETURNED }));
}
