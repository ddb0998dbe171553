/**
 * The second door, for code that scans and repairs lists (`operator/maintenance`): the storage of their sets, marks and
 * indexes.
 */

export { inTrash } from './bits.ts';
export { builtFilters, counterKeyOf } from './counter-item.ts';
export { isOverdue, LEFT_TO_READERS, settledUpTo } from './grace-period.ts';
export { NumberSet } from './number-set.ts';
export { expiryOfNumber, floorOf, markOf, marksOf } from './periods.ts';
export { readSet } from './queries.ts';
export { readRecordsByNumber } from './read-records.ts';
export { gapKeysOf, storedBit, storedGap, storedTrash } from './stored-number.ts';
