/** Declared in the storage code, which stages the events. */
export { auditEventEntity } from '../../shared/table/repository/audit-events.ts';
