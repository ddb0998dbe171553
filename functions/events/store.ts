/** Declared in the storage code, which stages the events. */
export { journalEntity } from '#table';
