import { bitPlace, GROUP_SIZE, STRIPES, WORD_BITS } from '../lists/bits.ts';
import type { NumberSet } from '../lists/number-set.ts';

/** Sets of numbers as they should be, to compare with those that are stored. */

export class ExpectedSet {
  readonly groups = new Map<number, bigint[]>();

  add(number: number): void {
    const group = Math.floor(number / GROUP_SIZE);
    const words = this.groups.get(group) ?? Array<bigint>(STRIPES).fill(0n);
    const stripe = number % STRIPES;
    words[stripe] = (words[stripe] ?? 0n) | bitPlace(number).bit;
    this.groups.set(group, words);
  }

  has(number: number): boolean {
    const words = this.groups.get(Math.floor(number / GROUP_SIZE));
    return ((words?.[number % STRIPES] ?? 0n) & bitPlace(number).bit) !== 0n;
  }
}

/** A word without what does not belong in one. A bit added twice carries over; one taken twice makes the word negative. */
export const sound = (word: bigint): bigint => BigInt.asUintN(WORD_BITS, word);

const EMPTY: readonly bigint[] = [];

/** The numbers that are in one of the sets alone, and of each damaged word one number. */
export function differing(expected: ExpectedSet, stored: NumberSet): number[] {
  const numbers: number[] = [];
  for (const group of new Set([...expected.groups.keys(), ...stored.groups.keys()])) {
    for (let stripe = 0; stripe < STRIPES; stripe++) {
      const word = (stored.groups.get(group) ?? EMPTY)[stripe] ?? 0n;
      const first = group * GROUP_SIZE + stripe;
      let difference = sound(word) ^ ((expected.groups.get(group) ?? EMPTY)[stripe] ?? 0n);
      if (word !== sound(word) && (difference & 1n) === 0n) numbers.push(first);
      for (let number = first; difference > 0n; number += STRIPES, difference >>= 1n) {
        if ((difference & 1n) === 1n) numbers.push(number);
      }
    }
  }
  return numbers;
}
