/** Declared in the storage code, which stages the events. */
export { auditEventEntity } from '#table';
