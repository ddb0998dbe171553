import { isDeepStrictEqual } from 'node:util';
import { type Condition, type Item, type Key, schema, storedSets, type UnitOfWork } from '#lists';
import { gapRanges } from '#lists/maintenance';
import { recordWords } from '#table/storage';
import { maskWord } from './bits.ts';
import { changed } from './difference.ts';

/** Whether a number is in a set or an index, as read. */
export interface StoredMembership {
  readonly isSound: boolean;
  has(bit: bigint): boolean;
  /** Stages that it becomes a member or not, on condition that the state is as read. */
  stage(work: UnitOfWork, bit: bigint, isMember: boolean, expires: number | undefined): void;
}

/** An entry of an index of texts, or its absence. */
export class StoredEntry implements StoredMembership {
  readonly isSound = true;
  readonly #key: Key;
  readonly #item: Item | undefined;
  readonly #expected: Item | undefined;

  /** @param expected its attributes but for the key; undefined where it should not be */
  constructor(key: Key, item: Item | undefined, expected: Item | undefined) {
    this.#key = key;
    this.#item = item;
    this.#expected = expected;
  }

  /** One with other attributes than expected does not count. */
  has(): boolean {
    if (this.#item === undefined) return false;
    return this.#expected === undefined || isDeepStrictEqual(recordWords.entryAttributesIn(this.#item), this.#expected);
  }

  stage(work: UnitOfWork, _: bigint, isMember: boolean): void {
    const asRead: Condition = this.#item === undefined ? { exists: false } : { equals: this.#item };
    if (isMember && !this.has()) work.put({ ...this.#expected, ...this.#key }, changed, asRead);
    if (!isMember && this.#item !== undefined) work.delete(this.#key, {}, changed);
  }
}

/** A number among the gaps of its list, as read: it may be a bit of a word, or in a range, or both. */
export class StoredGap implements StoredMembership {
  readonly #number: number;
  readonly #word: StoredWord;
  readonly #rangesKey: Key;
  readonly #item: Item | undefined;
  readonly #ranges: readonly gapRanges.Range[];

  constructor(number: number, word: StoredWord, rangesKey: Key, ranges: Item | undefined) {
    this.#number = number;
    this.#word = word;
    this.#rangesKey = rangesKey;
    this.#item = ranges;
    this.#ranges = ranges === undefined ? [] : gapRanges.rangesOf(ranges);
  }

  get isSound(): boolean {
    return this.#word.isSound;
  }

  has(bit: bigint): boolean {
    return this.#word.has(bit) || this.#isInRange;
  }

  stage(work: UnitOfWork, bit: bigint, isGap: boolean, expires: number | undefined): void {
    this.#word.stage(work, bit, isGap, expires);
    if (isGap || !this.#isInRange) return;
    const left = gapRanges.without(this.#ranges, this.#number);
    const first = gapRanges.regionOf(this.#number) * gapRanges.REGION_SIZE;
    work.update(this.#rangesKey, {
      set: { [gapRanges.RANGES]: gapRanges.encoded(left, first) },
      condition: { equals: { [gapRanges.RANGES]: this.#item?.[gapRanges.RANGES] } },
      onConditionFailed: changed,
    });
  }

  get #isInRange(): boolean {
    return this.#ranges.some(({ from, to }) => from <= this.#number && this.#number < to);
  }
}

/** A word of a set, as read. */
export class StoredWord implements StoredMembership {
  readonly #key: Key;
  readonly #name: string;
  readonly #raw: unknown;
  readonly #bits: bigint;
  readonly #expires: number | undefined;

  constructor(key: Key, name: string, item: Item | undefined) {
    this.#key = key;
    this.#name = name;
    this.#raw = item?.[name];
    this.#bits = BigInt((this.#raw as number | undefined) ?? 0);
    this.#expires = item?.[schema.TTL] as number | undefined;
  }

  get isSound(): boolean {
    return this.#bits === maskWord(this.#bits);
  }

  has(bit: bigint): boolean {
    return (maskWord(this.#bits) & bit) !== 0n;
  }

  /**
   * Stages setting or clearing a bit of the word, on condition that the word is as read. Where the list's records expire, the item's expiry is
   * extended to that of this number, and never shortened, because it contains bits of other numbers too.
   */
  stage(work: UnitOfWork, bit: bigint, isSet: boolean, expires: number | undefined): void {
    const bits = maskWord(this.#bits);
    const after = isSet ? bits | bit : bits & ~bit;
    if (after === this.#bits) return;
    const isLater = expires !== undefined && storedSets.expiryAfter(expires) > (this.#expires ?? 0);
    work.update(this.#key, {
      set: { [this.#name]: after, ...(isLater ? { [schema.TTL]: storedSets.expiryAfter(expires) } : {}) },
      condition: { equals: { [this.#name]: this.#raw, ...(isLater ? { [schema.TTL]: this.#expires } : {}) } },
      onConditionFailed: changed,
    });
  }
}
