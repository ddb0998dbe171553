import { firstAbove } from '../statistics.ts';

/**
 * Words as people use them: the word of rank `r` is `r` times as rare as the first (Zipf's law). The same in every run.
 */

/** How many words there are. */
const VOCABULARY = 20_000;
/** Different words of each text. */
const WORDS_A_TEXT = 8;

const LENGTH = 7;
const LETTERS = 26;

/** The word of a rank, from 1. All have the same length, so that none begins another. */
export function zipfWord(rank: number): string {
  let left = (rank * 1_234_577) % LETTERS ** LENGTH;
  let word = '';
  for (let letter = 0; letter < LENGTH; letter++) {
    word += String.fromCharCode(97 + (left % LETTERS));
    left = Math.floor(left / LETTERS);
  }
  return word;
}

/** The ranks of the words of texts that are numbered from 0. */
export class ZipfTexts {
  readonly #ranks: Uint16Array;

  /** @param random 32 bits that look random, by a number */
  constructor(length: number, random: (number: number) => number) {
    this.#ranks = new Uint16Array(length * WORDS_A_TEXT);
    const sums = sumsOfWeights();
    for (let text = 0; text < length; text++) {
      const words = this.#ranks.subarray(text * WORDS_A_TEXT, (text + 1) * WORDS_A_TEXT);
      for (let draw = 0, drawn = 0; drawn < WORDS_A_TEXT; draw++) {
        const drawnAt = (random(text * 64 + draw) / 2 ** 32) * (sums.at(-1) ?? 0);
        const rank = firstAbove(sums, drawnAt) + 1;
        if (!words.includes(rank)) words[drawn++] = rank;
      }
    }
  }

  has(text: number, rank: number): boolean {
    return this.#wordsOf(text).includes(rank);
  }

  textOf(text: number): string {
    return Array.from(this.#wordsOf(text), zipfWord).join(' ');
  }

  #wordsOf(text: number): Uint16Array {
    return this.#ranks.subarray(text * WORDS_A_TEXT, (text + 1) * WORDS_A_TEXT);
  }
}

/** By rank less one: the sum of the weights up to this rank. */
function sumsOfWeights(): Float64Array {
  const sums = new Float64Array(VOCABULARY);
  for (let index = 0, sum = 0; index < VOCABULARY; index++) sums[index] = sum += 1 / (index + 1);
  return sums;
}
