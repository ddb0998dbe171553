import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { isKnownDigest, withoutKnown } from './known-secrets.ts';

/** The estimator and its 400 KB of word lists. This module is imported on first use: few requests need it. */
const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tMaxSubstitutions: 10 });

/**
 * A strong text has at least so many characters that cannot be predicted from earlier ones. 32 random digits almost
 * always have 18.
 */
const FEWEST_NEW = 18;

/** The time of an estimate grows faster than the length, so long parts are estimated in pieces. */
const PARTS = /[a-z0-9]{1,32}/g;

/**
 * The number of guesses of an attacker who first tries repetitions, sequences, keyboard patterns, dates, common
 * passwords and published texts.
 * @param words further words that the attacker tries, such as the app code
 */
export function estimateGuesses(text: string, words: readonly string[]): number {
  if (newCharacters(text) < FEWEST_NEW || isKnownDigest(text, words)) return 1;
  // zxcvbn assumes at least 10^4 guesses for each part of a text, however common it is. So the parts are estimated one
  // by one.
  const parts = new Set(withoutKnown(text, words).toLowerCase().match(PARTS));
  return [...parts].reduce((guesses, part) => guesses * zxcvbn.check(part, [...words]).guesses, 1);
}

/**
 * The number of characters that cannot be predicted from the character at a fixed distance before, by repeating it or
 * by adding the most frequent difference: `abcabc`, `aabbcc` and `a1b2c3` have few. The distance is the one that
 * predicts most.
 */
function newCharacters(text: string): number {
  const codes = Array.from(text, (character) => character.charCodeAt(0));
  const counts = codes.slice(1).map((_, index) => {
    const distance = index + 1;
    const steps = new Map<number, number>();
    for (let at = distance; at < codes.length; at++) {
      const step = (codes[at] as number) - (codes[at - distance] as number);
      steps.set(step, (steps.get(step) ?? 0) + 1);
    }
    return codes.length - Math.max(...steps.values());
  });
  return Math.min(codes.length, ...counts);
}
