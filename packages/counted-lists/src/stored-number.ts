import { bitPlace, trashKeyOf, WORD_BITS } from './bits.ts';
import { COMPRESSED, compressedWithout, regionKey, regionOf } from './gap-regions.ts';
import type { Entry } from './indexes/list-index.ts';
import { NumberSet } from './number-set.ts';
import { type Item, type Key, TTL } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import type { OnConditionFailed } from './transaction/pending-write.ts';
import type { UnitOfWork } from './transaction/unit-of-work.ts';

/** How a number stands in the gaps and indexes of its list, and the writes by which that becomes as it should be. */

/** What is stored of a number: an entry, or that it is a gap. As read. */
export interface Stored {
  /** Whether the word of its bit is one. */
  readonly isSound: boolean;
  /** @param wanted an entry with other attributes does not count */
  has(wanted?: Entry): boolean;
  /** Stages that it is there or not, on condition that what is stored is as read. */
  stage(work: UnitOfWork, wanted: Entry | boolean): void;
}

/** What is read of a number. */
interface AsRead {
  readonly number: number;
  /** When the number expires, in epoch seconds, where the list's records do. */
  readonly expires: number | undefined;
  /** Returns the error where it is not as read any more. */
  readonly changed: OnConditionFailed;
}

/**
 * A bit of a word. Where the list's records expire, a change extends the item's expiry to that of this number, and
 * never shortens it, because it contains bits of other numbers too.
 */
export function storedBit(key: Key, item: Item = {}, { number, expires, changed }: AsRead): Stored {
  const { word, bit } = bitPlace(number);
  const { [word]: raw, [TTL]: ttl } = item;
  const stored = BigInt((raw as number | undefined) ?? 0);
  // Adding a bit twice damages a word by a carry; removing a bit twice makes it negative.
  const bits = BigInt.asUintN(WORD_BITS, stored);
  return {
    isSound: bits === stored,
    has: () => (bits & bit) !== 0n,
    stage: (work, wanted) => {
      const after = wanted === false ? bits & ~bit : bits | bit;
      if (after === stored) return;
      const isLater = expires !== undefined && storedSets.expiryAfter(expires) > Number(ttl ?? 0);
      work.update(key, {
        set: { [word]: after, ...(isLater ? { [TTL]: storedSets.expiryAfter(expires) } : {}) },
        condition: { equals: { [word]: raw, ...(isLater ? { [TTL]: ttl } : {}) } },
        onConditionFailed: changed,
      });
    },
  };
}

/** The keys of the items that may say that a number is a gap: by a bit of a word, of its region, or of the trash. */
export function gapKeysOf(list: string, number: number): readonly [ofWord: Key, ofRegion: Key, ofTrash: Key] {
  const PK = storedSets.partitionOf(list);
  return [
    { PK, SK: bitPlace(number).sortKey },
    { PK, SK: regionKey(regionOf(number)) },
    { PK, SK: trashKeyOf(number) },
  ];
}

/** Whether a number is among those of the trash. */
export const storedTrash = (list: string, item: Item | undefined, asRead: AsRead): Stored =>
  storedBit(gapKeysOf(list, asRead.number)[2], item, asRead);

/** A number among the gaps of its list: in a word, among the compressed bits of its region, or in both. */
export function storedGap(list: string, [inWord, region = {}]: readonly (Item | undefined)[], asRead: AsRead): Stored {
  const { number, changed } = asRead;
  const [keyOfWord, keyOfRegion] = gapKeysOf(list, number);
  const bit = storedBit(keyOfWord, inWord, asRead);
  const isCompressed = NumberSet.ofItems([region]).has(number);
  return {
    isSound: bit.isSound,
    has: () => bit.has() || isCompressed,
    stage: (work, wanted) => {
      bit.stage(work, wanted);
      if (wanted || !isCompressed) return;
      work.update(keyOfRegion, {
        set: { [COMPRESSED]: compressedWithout(region, number) },
        condition: { equals: { [COMPRESSED]: region[COMPRESSED] } },
        onConditionFailed: changed,
      });
    },
  };
}
