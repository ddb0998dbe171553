import { isDeepStrictEqual } from 'node:util';
import { type Item, type Key, schema, storedSets, type UnitOfWork } from '#lists';
import { type Entry, entryOfItem, gapRegions, NumberSet } from '#lists/maintenance';
import { maskWord } from './bits.ts';
import { changed } from './difference.ts';

/** An entry of a number, or its absence, as read. */
export interface StoredMembership {
  readonly isSound: boolean;
  /** @param expected an entry with other attributes does not count */
  has(expected?: Entry): boolean;
  /** Stages that it becomes what is expected, or nothing, on condition that the state is as read. */
  stage(work: UnitOfWork, expected: Entry | undefined, expires: number | undefined): void;
}

/** An entry that is an item. */
export class StoredItem implements StoredMembership {
  readonly isSound = true;
  readonly #key: Key;
  readonly #item: Item | undefined;
  readonly #entry: Entry | undefined;

  /** @param list partition of the records */
  constructor(list: string, key: Key, item: Item | undefined) {
    this.#key = key;
    this.#item = item;
    this.#entry = item === undefined ? undefined : entryOfItem(list, item)?.entry;
  }

  has(expected?: Entry): boolean {
    return this.#entry !== undefined && (expected === undefined || isDeepStrictEqual(this.#entry, expected));
  }

  stage(work: UnitOfWork, expected: Entry | undefined): void {
    const asRead = this.#item === undefined ? { exists: false } : { equals: this.#item };
    if (expected === undefined) {
      if (this.#item !== undefined) work.delete(this.#key, {}, changed);
    } else if (!this.has(expected) && 'items' in expected)
      work.put({ ...expected.attributes, ...this.#key }, changed, asRead);
  }
}

/** A number among the gaps of its list, as read: in a word, among the compressed bits of its region, or in both. */
export class StoredGap {
  readonly #number: number;
  readonly #word: StoredBit;
  readonly #regionKey: Key;
  readonly #region: Item;

  constructor(number: number, word: StoredBit, regionKey: Key, region: Item = {}) {
    this.#number = number;
    this.#word = word;
    this.#regionKey = regionKey;
    this.#region = region;
  }

  get isSound(): boolean {
    return this.#word.isSound;
  }

  has(): boolean {
    return this.#word.has() || this.#isCompressed;
  }

  stage(work: UnitOfWork, isGap: boolean, expires: number | undefined): void {
    this.#word.set(work, isGap, expires);
    if (isGap || !this.#isCompressed) return;
    const { COMPRESSED, compressedWithout } = gapRegions;
    work.update(this.#regionKey, {
      set: { [COMPRESSED]: compressedWithout(this.#region, this.#number) },
      condition: { equals: { [COMPRESSED]: this.#region[COMPRESSED] } },
      onConditionFailed: changed,
    });
  }

  get #isCompressed(): boolean {
    return NumberSet.ofItems([this.#region]).has(this.#number);
  }
}

/** Where the bit of a number is. */
interface BitPlace {
  readonly word: string;
  readonly bit: bigint;
}

/** An entry that is a bit of a word. */
export class StoredBit implements StoredMembership {
  readonly #key: Key;
  readonly #place: BitPlace;
  readonly #raw: unknown;
  readonly #bits: bigint;
  readonly #expires: number | undefined;

  constructor(key: Key, place: BitPlace, item: Item | undefined) {
    this.#key = key;
    this.#place = place;
    this.#raw = item?.[place.word];
    this.#bits = BigInt((this.#raw as number | undefined) ?? 0);
    this.#expires = item?.[schema.TTL] as number | undefined;
  }

  get isSound(): boolean {
    return this.#bits === maskWord(this.#bits);
  }

  has(): boolean {
    return (maskWord(this.#bits) & this.#place.bit) !== 0n;
  }

  stage(work: UnitOfWork, expected: Entry | undefined, expires: number | undefined): void {
    this.set(work, expected !== undefined, expires);
  }

  /**
   * Stages setting or clearing the bit, on condition that the word is as read. Where the list's records expire, the item's expiry is extended to that
   * of this number, and never shortened, because it contains bits of other numbers too.
   */
  set(work: UnitOfWork, isSet: boolean, expires: number | undefined): void {
    const { word, bit } = this.#place;
    const bits = maskWord(this.#bits);
    const after = isSet ? bits | bit : bits & ~bit;
    if (after === this.#bits) return;
    const isLater = expires !== undefined && storedSets.expiryAfter(expires) > (this.#expires ?? 0);
    work.update(this.#key, {
      set: { [word]: after, ...(isLater ? { [schema.TTL]: storedSets.expiryAfter(expires) } : {}) },
      condition: { equals: { [word]: this.#raw, ...(isLater ? { [schema.TTL]: this.#expires } : {}) } },
      onConditionFailed: changed,
    });
  }
}
