import { GROUP_SIZE, STRIPES, WORD_BITS } from './bits.ts';

/**
 * The bits of a group's numbers in an array: four lanes of 32 bits for the word of each stripe, the lowest first. The bits of words are looked
 * at here, a lane at a time: a `bigint` for each word and each step takes ten times as long.
 */
export type GroupBits = Uint32Array;

const LANES_A_WORD = 4;
export const LANES = STRIPES * LANES_A_WORD;

export const noBits = (): GroupBits => new Uint32Array(LANES);

/** @param place of a number in its group */
const laneOf = (place: number): number => (place % STRIPES) * LANES_A_WORD + Math.floor(place / (STRIPES * 32));
const bitOf = (place: number): number => 1 << (Math.floor(place / STRIPES) % 32);

export const hasBit = (group: GroupBits, place: number): boolean => ((group[laneOf(place)] ?? 0) & bitOf(place)) !== 0;

export function setBit(group: GroupBits, place: number, isSet = true): void {
  const lane = laneOf(place);
  const others = (group[lane] ?? 0) & ~bitOf(place);
  group[lane] = isSet ? others | bitOf(place) : others;
}

/** Two halves of a word, and the same bytes as lanes. The processors that Node runs on store the lowest byte first. */
const halves = new BigUint64Array(2);
const lanesOfHalves = new Uint32Array(halves.buffer);

const FULL_WORD = (1n << BigInt(WORD_BITS)) - 1n;
/** Of a word's last lane. */
const LAST_LANE = 2 ** (WORD_BITS % 32) - 1;

/**
 * Sets the word of a stripe.
 * @param word as it is stored
 * @returns whether it is a word's value; of any other, as adding a bit twice leaves, the bits of a word count
 * @throws SyntaxError, RangeError, TypeError where it is no whole number
 */
export function putWord(group: GroupBits, stripe: number, word: unknown): boolean {
  const first = stripe * LANES_A_WORD;
  const bits = BigInt(word as bigint);
  halves[0] = bits;
  halves[1] = bits >> 64n;
  group.set(lanesOfHalves, first);
  group[first + 3] = (group[first + 3] ?? 0) & LAST_LANE;
  return bits >= 0n && bits <= FULL_WORD;
}

/** The places of its bits, in no order. */
export function* placesIn(group: GroupBits): Generator<number> {
  for (const [lane, bits] of group.entries())
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      const inWord = (lane % LANES_A_WORD) * 32 + 31 - Math.clz32(rest & -rest);
      yield inWord * STRIPES + Math.floor(lane / LANES_A_WORD);
    }
}

/** The bits of the numbers from `from` up to, not including, `to`, both relative to the group's first number. */
export function bitsBetween(from: number, to: number): GroupBits {
  const group = noBits();
  for (let place = from; place < to; place++) setBit(group, place);
  return group;
}

export const EMPTY_GROUP: GroupBits = noBits();
export const FULL_GROUP: GroupBits = bitsBetween(0, GROUP_SIZE);

/** The bits that both have. */
export const commonBits = (one: GroupBits, other: GroupBits): GroupBits =>
  one.map((lane, index) => lane & (other[index] ?? 0));

/** The bits that one of them has. */
export const eitherBits = (one: GroupBits, other: GroupBits): GroupBits =>
  one.map((lane, index) => lane | (other[index] ?? 0));

/** How many bits of a group another does not have, among those of a window. */
export function countWithout(group: GroupBits, excluded: GroupBits, window = FULL_GROUP): number {
  let count = 0;
  for (let lane = 0; lane < LANES; lane++) {
    count += bitCount((group[lane] ?? 0) & ~(excluded[lane] ?? 0) & (window[lane] ?? 0));
  }
  return count;
}

/** How many of the 32 bits are set. */
function bitCount(lane: number): number {
  let bits = lane - ((lane >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
