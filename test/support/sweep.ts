/** Whether this is `npm run sweep`, which does all of what `npm test` does a sample of. */
export const IS_WHOLE = process.env.SWEEP === 'whole';

/** How often a property of the storage of lists is tried: `LIST_RUNS`, if it is set. */
export const LIST_RUNS = positive('LIST_RUNS') ?? (IS_WHOLE ? 100 : 12);

/** Tries of none would pass whatever is wrong. @throws Error */
function positive(variable: string): number | undefined {
  const text = process.env[variable] || undefined;
  if (text !== undefined && !/^[1-9]\d*$/.test(text)) throw new Error(`${variable} must be a whole number from 1.`);
  return text === undefined ? undefined : Number(text);
}
