/**
 * How much is done of what could go on for ever, and whether what takes long is done at all: `npm test` does a sample,
 * `npm run test:slow` more of it, `npm run sweep` the whole.
 */
export const IS_SAMPLE = process.env.SWEEP === undefined;
export const IS_WHOLE = process.env.SWEEP === 'whole';

/** How often a property of the storage of lists is tried: `LIST_RUNS`, if it is set. */
export const LIST_RUNS = positive('LIST_RUNS') ?? (IS_WHOLE ? 100 : IS_SAMPLE ? 6 : 12);

/** Tries of none would pass whatever is wrong. @throws Error */
function positive(variable: string): number | undefined {
  const text = process.env[variable] || undefined;
  if (text !== undefined && !/^[1-9]\d*$/.test(text)) throw new Error(`${variable} must be a whole number from 1.`);
  return text === undefined ? undefined : Number(text);
}
