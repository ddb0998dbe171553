import { invalidField } from '../contract/problem.ts';

/**
 * How hard a supplied secret is to guess. Its SHA-256 is in the table, and a delivery that was overheard can be tried against for ever: so
 * what counts is how many guesses somebody needs who knows what people take for secrets (`docs/decisions/0074`).
 */

/** A machine that tries 10^12 secrets a second tries so many in three years. */
const ENOUGH_GUESSES = 1e20;

/** What is hard to guess is so within as many characters; each more costs time, of which an anonymous caller may ask. */
const LOOKED_AT = 96;

/**
 * Checks a secret that somebody chose.
 * @param appCode the integration's, which is the first thing to be tried in and around its secret
 * @throws Problem `invalid-body` that points at `secret`
 */
export async function checkStrength(secret: string, appCode: string): Promise<void> {
  if (await isStrong(secret, appCode)) return;
  throw invalidField('secret', 'is too easy to guess: leave it out to have one made');
}

export async function isStrong(secret: string, appCode: string): Promise<boolean> {
  const { estimateGuesses } = await import('./guesses.ts');
  const known = [appCode, ...appCode.split(/[^A-Za-z0-9]+/)].filter((word) => word !== '');
  return estimateGuesses(secret.slice(0, LOOKED_AT), known) >= ENOUGH_GUESSES;
}
