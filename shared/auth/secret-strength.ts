/**
 * Estimates how hard a supplied secret is to guess. An attacker who has its SHA-256 from the table, or an intercepted
 * webhook delivery, can try secrets without limit. So the measure is the number of guesses of an attacker who knows
 * what people choose (`docs/decisions/0011`).
 */

/** Three years at 10^12 guesses a second. */
const ENOUGH_GUESSES = 1e20;

/**
 * How many characters are estimated. A strong secret is strong within them, and an anonymous caller must not cause long
 * estimates.
 */
const LOOKED_AT = 96;

/** @param appCode app code of the integration, which an attacker tries first */
export async function isStrong(secret: string, appCode: string): Promise<boolean> {
  const { estimateGuesses } = await import('./guesses.ts');
  const known = [appCode, ...appCode.split(/[^A-Za-z0-9]+/)].filter((word) => word !== '');
  return estimateGuesses(secret.slice(0, LOOKED_AT), known) >= ENOUGH_GUESSES;
}
