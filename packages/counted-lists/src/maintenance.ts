/**
 * The second door, for code that scans and repairs lists (`operator/maintenance`): the storage of their sets, marks and
 * indexes.
 */

export { bitPlace, GROUP_SIZE, STRIPES, WORD_BITS } from './bits.ts';
export { builtFilters, COUNTER } from './counter-item.ts';
export * as gapRegions from './gap-regions.ts';
export * as gracePeriod from './grace-period.ts';
export { type Entry, entryName, entryOfItem, keyOfEntry } from './indexes/list-index.ts';
export { Members, NumberSet } from './number-set.ts';
export * as periods from './periods.ts';
export { readSet } from './queries.ts';
export { readRecordsByNumber } from './read-records.ts';
export { itemSizeOf } from './table.ts';
