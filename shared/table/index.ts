export { configureTable, environmentTable, tenantClient } from './connection/client.ts';
export { NotUnique, RecordTooLarge, StaleRead } from './errors.ts';
export { auditEventEntity } from './repository/audit-events.ts';
export type { DeduplicationStore } from './repository/deduplication-store.ts';
export { type Entity, entity, storedAs } from './repository/entity.ts';
export { changesOf, type Stored } from './repository/records.ts';
export { Repository } from './repository/repository.ts';
export { RequestSession } from './session/request-session.ts';
export { Tenant } from './tenant.ts';
