import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { bitPlace } from './bits.ts';
import { sortKeyOf } from './ids.ts';
import { isTrashed } from './restorable.ts';
import { AT, type Item, TOMBSTONE, TTL, tombstoneOfDay } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import { itemOf, retry, type Table, type TimeLimit, WAITS } from './table.ts';
import { type Contention, isConflict } from './transaction/contention.ts';
import { putRequest, RETURNED, updateRequest } from './transaction/pending-write.ts';

/**
 * Closes numbers that were allocated but have no record. First a tombstone is put at the number's key, on condition
 * that the key is free: from then on the condition of a record there fails. Then the bit of the gap is set, on
 * condition that its word is as read. So correctness does not depend on clocks (`docs/counted-lists.md`). One write
 * unit for each number, and one for each item of gaps.
 */

/** A number without a record. */
interface Unwritten {
  /** Partition of the list's records. */
  readonly partition: string;
  readonly number: number;
  /** In epoch seconds, where the list's records expire. */
  readonly expires: number | undefined;
}

/** Most write units that one request spends on fencing: a unit for each number, and one for each item of gaps. */
export const MOST_UNITS = 200;

/** A number that a reader found without a record. */
interface FoundNumber extends Unwritten {
  /** Whether there is a tombstone: only its bit is missing. */
  readonly isFenced: boolean;
}

/**
 * Fences numbers whose writer has crashed, or is still running: as many as {@link MOST_UNITS} allow. A writer whose
 * number is fenced allocates another one. Best effort: what fails is left to the next reader, who completes a tombstone
 * without its bit.
 * @param gaps the items of the list's gaps, as read before the numbers were found @param now epoch milliseconds
 * @returns whether these were all
 */
export async function fence(
  table: Table,
  found: readonly FoundNumber[],
  gaps: readonly Item[],
  now: number,
): Promise<boolean> {
  const affordable = affordableOf(found);
  const tries = affordable.map(async (one) =>
    one.isFenced || (await putTombstone(table, one, now).catch(() => false)) ? [one] : [],
  );
  const fenced = (await Promise.all(tries)).flat();
  const setting = Array.from(byItem(fenced), ([sortKey, numbers]) => {
    const seen = gaps.find(({ SK }) => SK === sortKey);
    return setGaps(table, numbers, seen);
  });
  await Promise.allSettled(setting);
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

/** The gap's word is not known at first. Each refusal returns it. */
const TRIES = 4;

/** The outcome of sending a record. Without a response it may be written later. */
export type Sent = 'responded' | 'no-response';

interface Releasing<N> extends TimeLimit {
  readonly contention: Contention;
  readonly sent: Sent | undefined;
  /** Is called once the number can have no record any more, before its gap is noted. */
  readonly withdraw: (unwritten: N) => Promise<void>;
}

/**
 * The writer of numbers of a list that have no records for it releases them: their gap bits are set, those of an item
 * together, on condition that its words are as read. Where the records were sent, tombstones come first. That of a
 * record which got a response expires after a day: it is there for a request that is carried out once more. Best
 * effort: one that fails keeps no other.
 */
export async function releaseNumbers<N extends Unwritten>(
  table: Table,
  numbers: readonly N[],
  { contention, sent, withdraw, ...limit }: Releasing<N>,
): Promise<void> {
  const now = limit.clock();
  // The transaction that was refused may still hold the key.
  const retried = <T>(call: () => Promise<T>): Promise<T> =>
    retry(call, limit, WAITS, (error, pause) => {
      if (isConflict(error)) contention.meet([], error, pause);
    });
  const put = (one: N) => putTombstone(table, one, now, sent === 'responded' ? 'a day' : 'for good');
  const closing = numbers.map(async (one) => {
    if (sent !== undefined && !(await retried(() => put(one)))) return [];
    await withdraw(one);
    return [one];
  });
  const closed = (await Promise.allSettled(closing)).flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const setting = Array.from(byItem(closed).values(), async (some) => {
    let seen: Item | undefined;
    for (let tries = 1; tries <= TRIES && !some.every((one) => isGapIn(seen, one)); tries++) {
      try {
        await retried(() => setGaps(table, some, seen));
        return table.observer.count('releases', some.length);
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        seen = itemOf(error.Item);
        if (tries > 1) contention.meet([], error, 0);
      }
    }
  });
  await Promise.allSettled(setting);
}

/** Numbers by the sort key of the item with their gaps. */
const byItem = <N extends Unwritten>(numbers: readonly N[]): ReadonlyMap<string, readonly N[]> =>
  Map.groupBy(numbers, ({ number }) => bitPlace(number).sortKey);

/**
 * Puts a tombstone at a number's key, if that is free. In a list whose records expire, it expires with them.
 * @returns whether there is one now @throws whatever the table throws; then nobody knows
 */
async function putTombstone(
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
    const found = itemOf(error.Item);
    return found?.[TOMBSTONE] !== undefined && !isTrashed(found);
  }
}

/** Whether the gap bit of a number is set in an item as read. */
function isGapIn(item: Item | undefined, { number }: Unwritten): boolean {
  const { word, bit } = bitPlace(number);
  return (wordIn(item ?? {}, word) & bit) !== 0n;
}

const wordIn = (item: Item, word: string): bigint => BigInt((item[word] as number | bigint | undefined) ?? 0);

/**
 * Sets the gap bits of numbers of one item, on condition that its words are as read: no bit is added twice, however
 * often the change is sent. One write unit. The item does not expire before the last of its gaps.
 * @param seen the item as read, before the numbers were found to have no record
 * @throws ConditionalCheckFailedException with the item, when its words are no longer as read
 */
async function setGaps(table: Table, unwritten: readonly Unwritten[], seen: Item = {}): Promise<void> {
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
