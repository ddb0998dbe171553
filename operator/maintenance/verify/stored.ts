import { isDeepStrictEqual } from 'node:util';
import { type Item, type Key, schema, storedSets, type UnitOfWork } from '@custodia/counted-lists';
import {
  bitPlace,
  type Entry,
  entryOfItem,
  gapRegions,
  keyOfEntry,
  NumberSet,
  WORD_BITS,
} from '@custodia/counted-lists/maintenance';
import { changed } from './difference.ts';

/** What is stored of a number: an entry, or that it is a gap. As read. */
export interface Stored {
  /** Whether the word of its bit is one. */
  readonly isSound: boolean;
  /** @param wanted an entry with other attributes does not count */
  has(wanted?: Entry): boolean;
  /** Stages that it is there or not, on condition that what is stored is as read. */
  stage(work: UnitOfWork, wanted: Entry | boolean): void;
}

/** An entry of a number. @param list partition of the records @param expires as of {@link storedBit} */
export function storedEntry(list: string, entry: Entry, number: number, item?: Item, expires?: number): Stored {
  const key = keyOfEntry(list, entry, number);
  return 'items' in entry ? storedItem(list, key, item) : storedBit(key, number, item, expires);
}

function storedItem(list: string, key: Key, item: Item | undefined): Stored {
  const entry = item === undefined ? undefined : entryOfItem(list, item)?.entry;
  const has: Stored['has'] = (wanted) =>
    entry !== undefined && (wanted === undefined || isDeepStrictEqual(entry, wanted));
  return {
    isSound: true,
    has,
    stage: (work, wanted) => {
      if (typeof wanted === 'boolean') {
        if (item !== undefined) work.delete(key, { equals: item }, changed);
      } else if (!has(wanted) && 'items' in wanted)
        work.put({ ...wanted.attributes, ...key }, changed, item === undefined ? { exists: false } : { equals: item });
    },
  };
}

/**
 * A bit of a word. Where the list's records expire, a change extends the item's expiry to that of this number, and
 * never shortens it, because it contains bits of other numbers too.
 * @param expires of the number, in epoch seconds
 */
export function storedBit(key: Key, number: number, item: Item = {}, expires?: number): Stored {
  const { word, bit } = bitPlace(number);
  const { [word]: raw, [schema.TTL]: ttl } = item;
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
        set: { [word]: after, ...(isLater ? { [schema.TTL]: storedSets.expiryAfter(expires) } : {}) },
        condition: { equals: { [word]: raw, ...(isLater ? { [schema.TTL]: ttl } : {}) } },
        onConditionFailed: changed,
      });
    },
  };
}

/** A number among the gaps of its list: in a word, among the compressed bits of its region, or in both. */
export function storedGap(bit: Stored, number: number, key: Key, region: Item = {}): Stored {
  const { COMPRESSED, compressedWithout } = gapRegions;
  const isCompressed = NumberSet.ofItems([region]).has(number);
  return {
    isSound: bit.isSound,
    has: () => bit.has() || isCompressed,
    stage: (work, wanted) => {
      bit.stage(work, wanted);
      if (wanted || !isCompressed) return;
      work.update(key, {
        set: { [COMPRESSED]: compressedWithout(region, number) },
        condition: { equals: { [COMPRESSED]: region[COMPRESSED] } },
        onConditionFailed: changed,
      });
    },
  };
}
