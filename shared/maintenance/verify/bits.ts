import { bitPlace, GROUP_SIZE, type NumberSet, STRIPES, WORD_BITS } from '#lists/maintenance';

/** Expected sets of numbers, to compare with the stored ones. */

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

/**
 * A word reduced to its valid bits. Adding a bit twice damages a word by a carry; removing a bit twice makes it
 * negative.
 */
export const maskWord = (word: bigint): bigint => BigInt.asUintN(WORD_BITS, word);

const EMPTY: readonly bigint[] = [];

/** The numbers that are in only one of the sets, and at least one number of each damaged word. */
export function differing(expected: ExpectedSet, stored: NumberSet): number[] {
  const numbers: number[] = [];
  for (const group of new Set([...expected.groups.keys(), ...stored.groups.keys()])) {
    for (let stripe = 0; stripe < STRIPES; stripe++) {
      const word = (stored.groups.get(group) ?? EMPTY)[stripe] ?? 0n;
      const wanted = (expected.groups.get(group) ?? EMPTY)[stripe] ?? 0n;
      numbers.push(...differingInWord(word, wanted, group * GROUP_SIZE + stripe));
    }
  }
  return numbers;
}

/** @param first the number of the word's lowest bit */
function differingInWord(word: bigint, expected: bigint, first: number): number[] {
  const numbers: number[] = [];
  let difference = maskWord(word) ^ expected;
  if (word !== maskWord(word) && (difference & 1n) === 0n) numbers.push(first);
  for (let number = first; difference > 0n; number += STRIPES, difference >>= 1n) {
    if ((difference & 1n) === 1n) numbers.push(number);
  }
  return numbers;
}
