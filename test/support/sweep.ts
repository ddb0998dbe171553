/** Whether this is `npm run sweep`, which does all of what `npm test` does a sample of. */
export const IS_WHOLE = process.env.SWEEP === 'whole';

/** How often a property of the storage of lists is tried: `LIST_RUNS`, if it is set. */
export const LIST_RUNS = Number(process.env.LIST_RUNS ?? (IS_WHOLE ? 100 : 12));
