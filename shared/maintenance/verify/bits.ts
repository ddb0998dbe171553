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

/** The numbers that are in only one of the sets, and at least one number of each damaged word. */
export function differing(expected: ExpectedSet, stored: NumberSet): number[] {
  const numbers: number[] = [];
  for (const group of new Set([...expected.groups.keys(), ...stored.groups.keys()])) {
    for (let stripe = 0; stripe < STRIPES; stripe++) {
      const first = group * GROUP_SIZE + stripe;
      const wanted = expected.groups.get(group)?.[stripe] ?? 0n;
      numbers.push(...differingInWord(stored.wordAt(first) ^ wanted, first, stored.damaged.has(first)));
    }
  }
  return numbers;
}

/** @param first the number of the word's lowest bit */
function differingInWord(difference: bigint, first: number, isDamaged: boolean): number[] {
  const numbers: number[] = [];
  if (isDamaged && (difference & 1n) === 0n) numbers.push(first);
  for (let rest = difference, number = first; rest > 0n; number += STRIPES, rest >>= 1n) {
    if ((rest & 1n) === 1n) numbers.push(number);
  }
  return numbers;
}
