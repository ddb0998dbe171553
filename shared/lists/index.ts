export { bitPlace, GROUP_SIZE, STRIPES, WORD_BITS } from './bits.ts';
export { countTableCalls } from './counted-calls.ts';
export { type AllocatedNumber, builtFilters, compactCounterItem, type List, noteLargest } from './counter-item.ts';
export { readInOrder, readMembers } from './cursor-page.ts';
export {
  ItemTooLarge,
  ListNotBuilt,
  PageIncomplete,
  PageTooLarge,
  TableUnavailable,
  TooManyMatches,
} from './errors.ts';
export { TOMBSTONE_SECONDS } from './fence.ts';
export { AT, isOverdue, settledUpTo } from './grace-period.ts';
export { idOf, numberIn, numberOf, sortKeyOf, tailOf } from './ids.ts';
export { COUNTER, type Key, prefixPartition, setPartition } from './keys.ts';
export { NumberPool } from './number-pool.ts';
export { NumberSet } from './number-set.ts';
export { type ItemPage, type PageRequest, readNumberedPage, readPage } from './page.ts';
export { expiryOfNumber, floorOf, type Mark, markOf, marksOf } from './periods.ts';
export { entryIn, entryKey, numberInEntry, stageIndexed, stageUnindexed, type TextRange } from './prefix-index.ts';
export { LARGE, ReadBudget } from './read-budget.ts';
export { readPartition } from './read-partition.ts';
export { isRecord, readEach, TOMBSTONE } from './read-records.ts';
export { readCounterItem, readSet } from './read-set.ts';
export { type Item, KEYS, MOVES, TTL_ATTRIBUTE, VERSION, WRITE_ID } from './schema.ts';
export { setExpiry, stageEntry, stageExit } from './set-writes.ts';
export { exactNumber, itemOf, type Table } from './table.ts';
export { commit } from './transaction/commit.ts';
export { isMet } from './transaction/conditions.ts';
export type { Condition, OnConditionFailed, PendingWrite } from './transaction/pending-write.ts';
export { refusalOf } from './transaction/rehearsal.ts';
export { isTransient, retry, type TimeLimit } from './transaction/retry.ts';
export { UnitOfWork } from './transaction/unit-of-work.ts';
export { type FilterTexts, type ListSource, PREFIX_PARAMETER, type Prefix } from './view.ts';
