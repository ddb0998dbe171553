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

const FULL_WORD = (1n << BigInt(WORD_BITS)) - 1n;

/** The words of a bucket that holds no record any more. */
export const ALL_HOLES: Words = Array.from({ length: WORDS }, () => FULL_WORD);

export const isFull = (words: Words): boolean => ALL_HOLES.every((full, index) => words[index] === full);

/** The numbers whose holes are marked in a bucket. */
export const numbersIn = (bucket: number, words: Words): number[] =>
  words.flatMap((word, index) =>
    word === 0n
      ? []
      : Array.from({ length: WORD_BITS }, (_, bit) => bit)
          .filter((bit) => isSet(word, bit))
          .map((bit) => bucket * BUCKET_SIZE + index * WORD_BITS + bit),
  );

/** The bits of a word from `from` up to, not including, `to`. */
const mask = (from: number, to: number): bigint => (1n << BigInt(to)) - (1n << BigInt(from));

/** How many holes a word has from bit `from` up to, not including, `to`. */
function holesIn(word: bigint, from: number, to: number): number {
  if (from >= to || word === 0n) return 0;
  if (word === FULL_WORD) return to - from;
  return bitCount(to - from === WORD_BITS ? word : word & mask(from, to));
}

/** A bucket as far as it counts, between floor and next. */
interface Span {
  readonly words: Words;
  /** First number of the bucket. */
  readonly base: number;
  readonly start: number;
  readonly end: number;
  readonly holes: number;
}

/** A list's numbers as known at one moment: given out from `floor` up to `next`, without the holes. Everything below is arithmetic. */
export class Numbers {
  readonly floor: number;
  readonly next: number;
  readonly #buckets: ReadonlyMap<number, Words>;
  /** Where there are holes, in order. */
  readonly #spans: readonly Span[];
  /** How many records the list holds. */
  readonly total: number;

  constructor(floor: number, next: number, buckets: ReadonlyMap<number, Words>) {
    this.floor = Math.min(floor, next);
    this.next = next;
    this.#buckets = buckets;
    this.#spans = [...buckets]
      .sort(([a], [b]) => a - b)
      .map(([bucket, words]) => this.#span(bucket * BUCKET_SIZE, words))
      .filter(({ start, end }) => start < end);
    this.total = this.next - this.floor - this.#spans.reduce((sum, { holes }) => sum + holes, 0);
  }

  /** The number of the `rank`-th record, counted from 0 at the oldest. `rank` is below `total`. */
  select(rank: number): number {
    let number = this.floor;
    let rest = rank;
    for (const span of this.#spans) {
      if (rest < span.start - number) return number + rest;
      rest -= span.start - number;
      const live = span.end - span.start - span.holes;
      if (rest < live) return selectIn(span, rest);
      rest -= live;
      number = span.end;
    }
    return number + rest;
  }

  isHole(number: number): boolean {
    const words = this.#buckets.get(Math.floor(number / BUCKET_SIZE));
    const inBucket = number % BUCKET_SIZE;
    return isSet(words?.[Math.floor(inBucket / WORD_BITS)] ?? 0n, inBucket % WORD_BITS);
  }

  #span(base: number, words: Words): Span {
    const start = Math.max(base, this.floor);
    const end = Math.min(base + BUCKET_SIZE, this.next);
    let holes = 0;
    for (let index = 0; index < WORDS; index++) {
      const first = base + index * WORD_BITS;
      holes += holesIn(words[index] ?? 0n, Math.max(start - first, 0), Math.min(end - first, WORD_BITS));
    }
    return { words, base, start, end, holes };
  }
}

const isSet = (word: bigint, bit: number): boolean => ((word >> BigInt(bit)) & 1n) === 1n;

/** The number of a bucket's `rank`-th record: whole words are passed over, the last one bit by bit. */
function selectIn({ words, base, start, end }: Span, rank: number): number {
  let rest = rank;
  for (let index = 0; index < WORDS; index++) {
    const word = words[index] ?? 0n;
    const first = base + index * WORD_BITS;
    const to = Math.min(end - first, WORD_BITS);
    const from = Math.max(start - first, 0);
    const live = Math.max(to - from, 0) - holesIn(word, from, to);
    if (rest >= live) {
      rest -= live;
      continue;
    }
    for (let bit = from; bit < to; bit++) if (!isSet(word, bit) && rest-- === 0) return first + bit;
  }
  throw new RangeError(`bucket ${base / BUCKET_SIZE} holds no record of rank ${rank}`);
}
