/**
 * The numbers of a list that hold no record: deleted, moved to another list, or lost in a crash. They are kept as bits:
 * a bucket is one item of the table for 1,000 numbers, with ten words of 100 bits, `W0` to `W9`. A word is a DynamoDB
 * number (exact to 38 digits; 100 bits need 31), so that one blind `ADD W3 2^45` marks hole 345 of its bucket.
 */

export const WORD_BITS = 100;
export const WORDS = 10;
export const BUCKET_SIZE = WORD_BITS * WORDS;

export interface HolePlace {
  readonly bucket: number;
  /** Attribute of the bucket's item. */
  readonly word: string;
  readonly bit: bigint;
}

/** Where the hole of a number is marked. */
export const holePlace = (number: number): HolePlace => {
  const inBucket = number % BUCKET_SIZE;
  return {
    bucket: Math.floor(number / BUCKET_SIZE),
    word: `W${Math.floor(inBucket / WORD_BITS)}`,
    bit: 1n << BigInt(inBucket % WORD_BITS),
  };
};

/** Words of one bucket, by index. */
export type Words = readonly bigint[];

const LOW_BITS = (1n << 32n) - 1n;

/** How many bits of a word are set. */
export function bitCount(word: bigint): number {
  let total = 0;
  for (let rest = word; rest > 0n; rest >>= 32n) total += bitCount32(Number(rest & LOW_BITS));
  return total;
}

function bitCount32(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** The bits of a word from `from` up to, not including, `to`. */
const mask = (from: number, to: number): bigint => (1n << BigInt(to)) - (1n << BigInt(from));

/** A list's numbers as known at one moment: given out from `floor` up to `next`, without the holes. Everything below is arithmetic. */
export class Numbers {
  readonly floor: number;
  readonly next: number;
  readonly #buckets: readonly (readonly [bucket: number, words: Words])[];
  /** How many records the list holds. */
  readonly total: number;

  constructor(floor: number, next: number, buckets: ReadonlyMap<number, Words>) {
    this.floor = Math.min(floor, next);
    this.next = next;
    this.#buckets = [...buckets].sort(([a], [b]) => a - b);
    this.total =
      this.next - this.floor - this.#buckets.reduce((sum, [bucket, words]) => sum + this.#holes(bucket, words), 0);
  }

  /** The number of the `rank`-th record, counted from 0 at the oldest. `rank` is below `total`. */
  select(rank: number): number {
    let number = this.floor;
    let rest = rank;
    for (const [bucket, words] of this.#buckets) {
      const [start, end] = this.#span(bucket);
      if (start >= end) continue;
      if (rest < start - number) return number + rest;
      rest -= start - number;
      const live = end - start - this.#holes(bucket, words);
      if (rest < live) return this.#selectIn(bucket, words, rest);
      rest -= live;
      number = end;
    }
    return number + rest;
  }

  isHole(number: number): boolean {
    const bucket = Math.floor(number / BUCKET_SIZE);
    const words = this.#buckets.find(([other]) => other === bucket)?.[1];
    const inBucket = number % BUCKET_SIZE;
    return ((words?.[Math.floor(inBucket / WORD_BITS)] ?? 0n) & (1n << BigInt(inBucket % WORD_BITS))) !== 0n;
  }

  /** The part of a bucket that counts, between floor and next. */
  #span(bucket: number): readonly [start: number, end: number] {
    const start = bucket * BUCKET_SIZE;
    return [Math.max(start, this.floor), Math.min(start + BUCKET_SIZE, this.next)];
  }

  #holes(bucket: number, words: Words): number {
    const [start, end] = this.#span(bucket);
    let total = 0;
    for (let index = 0; index < WORDS; index++) {
      const first = bucket * BUCKET_SIZE + index * WORD_BITS;
      const from = Math.max(start - first, 0);
      const to = Math.min(end - first, WORD_BITS);
      if (from < to) total += bitCount((words[index] ?? 0n) & mask(from, to));
    }
    return total;
  }

  #selectIn(bucket: number, words: Words, rank: number): number {
    const [start, end] = this.#span(bucket);
    let rest = rank;
    for (let number = start; number < end; number++) {
      const inBucket = number - bucket * BUCKET_SIZE;
      const word = words[Math.floor(inBucket / WORD_BITS)] ?? 0n;
      const hole = (word >> BigInt(inBucket % WORD_BITS)) & 1n;
      if (hole === 0n && rest-- === 0) return number;
    }
    throw new RangeError(`bucket ${bucket} holds no record of rank ${rank}`);
  }
}
