/**
 * The second door, for code that scans and repairs lists (`operator/maintenance`): the storage of their sets, marks and
 * indexes.
 */

export { bitPlace, GROUP_SIZE, STRIPES, WORD_BITS } from './bits.ts';
export { builtFilters, COUNTER } from './counter-item.ts';
export { COMPRESSED, compressed, compressedWithout, regionKey, regionOf } from './gap-regions.ts';
export { isLeftBehind, isOverdue, LEFT_TO_READERS, settledUpTo } from './grace-period.ts';
export { type Entry, entryName, entryOfItem, keyOfEntry } from './indexes/list-index.ts';
export { Members, NumberSet } from './number-set.ts';
export { compactionOf, endAt, expiryOfNumber, floorOf, type Mark, markOf, marksOf, newestEnd } from './periods.ts';
export { readSet } from './queries.ts';
export { readRecordsByNumber } from './read-records.ts';
export { itemSizeOf } from './table.ts';
