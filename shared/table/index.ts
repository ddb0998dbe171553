export { configureTable, environmentTable, tableOf, tenantClient } from './connection/client.ts';
export { NotUnique, RecordTooLarge, StaleRead } from './errors.ts';
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
  PLATFORM,
  quotaKey,
  readsKey,
  recordsPartition,
  refusalsKey,
  suspensionKey,
  type TenantId,
  tenantIdOf,
  uniqueKey,
  valueKey,
  valuesPartition,
} from './keys.ts';
export { auditEventEntity } from './repository/audit-events.ts';
export { cascadeDeletesOf, finishCascadeDeletes } from './repository/cascade-delete.ts';
export { type Changes, changesOf, isEmptyChange } from './repository/changes.ts';
export { CHILDREN } from './repository/children.ts';
export { DeduplicationStore, eventsOf, requestKeysOf } from './repository/deduplication-store.ts';
export { MOVES } from './repository/derived-fields.ts';
export { type AnyEntity, type Entity, entity, storedAs, toAttributes, toRecord } from './repository/entity.ts';
export { notedIn, noteOf, SETS } from './repository/entity-lists.ts';
export { putValue, readValues, valueExpiry } from './repository/filter-values.ts';
export { indexedValueIn, indexesOf, prefixFieldOf, prefixIndexesOf, textOf } from './repository/list-indexes.ts';
export type { CursorPage, Filter, NewRecordPlace, Page, PageQuery, Stored } from './repository/records.ts';
export { Repository } from './repository/repository.ts';
export { environmentSession, RequestSession } from './session/request-session.ts';
export { Tenant } from './tenant.ts';
