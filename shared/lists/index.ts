export { countTableCalls } from './counted-calls.ts';
export { type AllocatedNumber, compactCounterItem, type List, noteLargest } from './counter-item.ts';
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
export { idOf, numberIn, numberOf, sortKeyOf, tailOf } from './ids.ts';
export { type Key, setPartition } from './keys.ts';
export { NumberPool } from './number-pool.ts';
export { type ItemPage, type PageRequest, readNumberedPage, readPage } from './page.ts';
export { indexRange, stageIndexed, stageUnindexed, type TextRange } from './prefix-index.ts';
export { LARGE } from './read-budget.ts';
export { readPartition } from './read-partition.ts';
export { isRecord, TOMBSTONE } from './read-records.ts';
export { type Item, KEYS, TTL_ATTRIBUTE, VERSION } from './schema.ts';
export { setExpiry, stageEntry, stageExit } from './set-writes.ts';
export { exactNumber, itemOf, type Table } from './table.ts';
export { commit } from './transaction/commit.ts';
export { isMet } from './transaction/conditions.ts';
export type { Condition, OnConditionFailed, PendingWrite } from './transaction/pending-write.ts';
export { refusalOf } from './transaction/rehearsal.ts';
export { isTransient, retry, type TimeLimit } from './transaction/retry.ts';
export { UnitOfWork } from './transaction/unit-of-work.ts';
export { type FilterTexts, type ListSource, PREFIX_PARAMETER, type Prefix } from './view.ts';
