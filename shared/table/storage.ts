/**
 * The second door, for modules that read or write items themselves (`shared/tenancy`, `shared/maintenance`) and for the
 * policies of the stack: keys of items and attributes of records.
 */

export {
  appCodeIn,
  appKey,
  budgetKey,
  cascadeDeletePartition,
  childPartition,
  credentialsKey,
  dataKeyKey,
  deduplicationKey,
  HEALTH_KEY,
  loginFailureKey,
  quotaKey,
  readsKey,
  recordsPartition,
  refusalsKey,
  suspensionKey,
  tenantIdOf,
  uniqueKey,
  valueKey,
  valuesPartition,
} from './keys.ts';
export { cascadeDeletesOf, finishCascadeDeletes } from './repository/cascade-delete.ts';
export { CHILDREN } from './repository/children.ts';
export { MOVES } from './repository/derived-fields.ts';
export { toAttributes, toRecord } from './repository/entity.ts';
export { notedIn, noteOf, SETS } from './repository/entity-lists.ts';
export { putValue, readValues, valueExpiry } from './repository/filter-values.ts';
export { indexedValueIn, indexesOf, prefixFieldOf, prefixIndexesOf, textOf } from './repository/list-indexes.ts';
