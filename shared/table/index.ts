export { configureTable, environmentTable, readWarmKey, tableOf, tenantClient } from './connection/client.ts';
export { NotUnique, RecordTooLarge, StaleRead } from './errors.ts';
export { JournalReader } from './journal-reader.ts';
export {
  DEDUPLICATED,
  EMPTY_KEYS,
  PLATFORM,
  type TenantId,
  tenantIdOf,
  tenantKey,
  tenantPartition,
  uniqueKey,
  valueKey,
  valuesPartition,
} from './keys.ts';
export { recordsById } from './records-by-id.ts';
export { auditEventEntity } from './repository/audit-events.ts';
export type { DeduplicationStore } from './repository/deduplication-store.ts';
export { claimed, type Entity, entity, exact, flag, order, queue, set, storedAs, words } from './repository/entity.ts';
export {
  eventTypeOf,
  type JournalEvent,
  journalEntity,
  recordTypeOf,
  stagePing,
} from './repository/journal.ts';
export { changesOf, type Page, type PageQuery, type Stored } from './repository/records.ts';
export { Repository } from './repository/repository.ts';
export { RequestSession } from './session/request-session.ts';
export { Tenant } from './tenant.ts';
