/** Declared with the storage code, which stages the events. */
export { auditEventEntity } from '../../shared/table/audit-events.ts';
