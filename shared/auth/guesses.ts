import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

/** The estimator with its 400 KB of words. Imported when first needed: most functions never do, and few requests. */
const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/** How many guesses a text takes, of one who tries repetitions, sequences, keyboards, dates and common passwords first. */
export const estimateGuesses = (text: string, known: readonly string[]): number =>
  zxcvbn.check(text, [...known]).guesses;
