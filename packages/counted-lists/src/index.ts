/**
 * Counted lists. Their words:
 *
 *     number         a record's place in the order of creation: 0, 1, 2, …; allocated once, and the record's sort key
 *     counter item   the item of a list with its next number, and the names of the indexes that have all records
 *     gap            a number without a record: a bit in a word, compressed where nearly all numbers are gaps
 *     tombstone      an item at a number's key, by which no record can be written there any more
 *     fence          to close a number without a record, by a reader: a tombstone, then its gap
 *     release        to close a number that its own writer does not use
 *     stock          numbers that are allocated for several requests: those of a batch
 *     compaction     compressing gaps, deleting empty items of sets
 *     index          by what records are found or sorted: sets of a field's values, flags, words, exact values, orders
 *     set            numbers as bits: the gaps of a list, or the records with a value of a field
 *     entry          what a record has in an index: its bit in a set, or an item with a text and its number
 *     note           what a record keeps for its indexes besides its fields: their names, its words, its flags
 *     candidates     the numbers that indexes give for some conditions: those of the records, or of some more
 *     residual       a condition that no index decides: the records of the candidates do
 *     page           records by their place in a list, with the total of all
 */

export { readCursorPage } from './cursor-page.ts';
export * as listErrors from './errors.ts';
export { Feed } from './feed.ts';
export * as ids from './ids.ts';
export * as indexes from './indexes/kinds.ts';
export { flagsAt, type SortKey, type Where } from './indexes/list-index.ts';
export { readHolders, readQueue } from './indexes/lookup.ts';
export { NumberPool } from './number-pool.ts';
export { readPage } from './page.ts';
export { readItems, readPartition } from './queries.ts';
export * as restorable from './restorable.ts';
export type { Item, Key } from './schema.ts';
export * as schema from './schema.ts';
export * as storedSets from './stored-sets.ts';
export { isTransient, type Observer, retry, serverTime, Table } from './table.ts';
export { Contended, Contention, isConflict } from './transaction/contention.ts';
export { Condition, type OnConditionFailed, updateRequest } from './transaction/pending-write.ts';
export { UnitOfWork } from './transaction/unit-of-work.ts';
