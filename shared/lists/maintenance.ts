/**
 * The second door, for code that scans and repairs lists (`shared/maintenance`): the storage of their sets, marks and
 * indexes.
 */

export { bitPlace, GROUP_SIZE, STRIPES, WORD_BITS } from './bits.ts';
export { builtFilters } from './counter-item.ts';
export { AT, isOverdue, settledUpTo } from './grace-period.ts';
export { COUNTER, prefixPartition } from './keys.ts';
export { NumberSet } from './number-set.ts';
export { expiryOfNumber, floorOf, type Mark, markOf, marksOf } from './periods.ts';
export { entryIn, entryKey } from './prefix-index.ts';
export { ReadBudget } from './read-budget.ts';
export { readEach, TOMBSTONE } from './read-records.ts';
export { readCounterItem, readSet } from './read-set.ts';
export { WRITE_ID } from './schema.ts';
