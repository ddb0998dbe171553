export { type AllocatedNumber, type List, noteLargest } from './counter-item.ts';
export { readInOrder, readMembers } from './cursor-page.ts';
export {
  ItemTooLarge,
  ListNotBuilt,
  PageIncomplete,
  PageTooLarge,
  TableUnavailable,
  TooManyMatches,
} from './errors.ts';
export { tombstoneOfDay } from './fence.ts';
export { idOf, numberIn, numberOf, sortKeyOf, tailOf } from './ids.ts';
export { type Key, setPartition } from './keys.ts';
export { NumberPool } from './number-pool.ts';
export { type ItemPage, type PageRequest, readNumberedPage, readPage } from './page.ts';
export { indexRange } from './prefix-index.ts';
export { readPartition } from './read-partition.ts';
export { isRecord } from './read-records.ts';
export { type Item, KEYS, TTL_ATTRIBUTE, VERSION } from './schema.ts';
export { setExpiry, stageGap, stageMove } from './set-writes.ts';
export { connectTable, itemOf, type Table } from './table.ts';
export { isMet } from './transaction/conditions.ts';
export type { Condition, OnConditionFailed, PendingWrite } from './transaction/pending-write.ts';
export { isTransient, retry, type TimeLimit } from './transaction/retry.ts';
export { UnitOfWork } from './transaction/unit-of-work.ts';
export type { ListSource, Prefix } from './view.ts';
