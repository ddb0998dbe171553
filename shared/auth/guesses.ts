import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { isKnownDigest, withoutKnown } from './known-secrets.ts';

/** The estimator with its 400 KB of words. Imported when first needed: most functions never do, and few requests. */
const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tMaxSubstitutions: 10 });

/** Characters of a text that do not follow from those before them. Of 32 random digits 18 practically always are such. */
const FEWEST_NEW = 18;

/** The work of an estimate grows more than in proportion to the length, so that of long parts is done in pieces. */
const PARTS = /[a-z0-9]{1,32}/g;

/**
 * How many guesses a text takes, of one who tries repetitions, sequences, keyboards, dates, common passwords and published texts first.
 * @param words what is known of the one who chose it
 */
export function estimateGuesses(text: string, words: readonly string[]): number {
  if (newCharacters(text) < FEWEST_NEW || isKnownDigest(text, words)) return 1;
  // Of a text with many parts zxcvbn makes 10^4 guesses for each, however common it is. So the parts are estimated one by one.
  const parts = new Set(withoutKnown(text, words).toLowerCase().match(PARTS));
  return [...parts].reduce((guesses, part) => guesses * zxcvbn.check(part, [...words]).guesses, 1);
}

/**
 * How many characters are new to one who looks a fixed distance back, and goes on with what was there, or as far above it as most are:
 * `abcabc`, `aabbcc`, `a1b2c3`. The distance is the one at which fewest are.
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
