/**
 * How records are stored, for what reads or writes items itself (`shared/tenancy`, `shared/maintenance`): their attributes, what they are listed by,
 * the notes of filter values, cascade deletes.
 */

export * as tenantSessions from './connection/tenant-sessions.ts';
export { cascadeDeletesOf, finishCascadeDeletes } from './repository/cascade-delete.ts';
export { CHILDREN } from './repository/children.ts';
export { MOVES } from './repository/derived-fields.ts';
export { toAttributes, toRecord } from './repository/entity.ts';
export * as exactValues from './repository/exact-values.ts';
export { putValue, readValues, valueExpiry } from './repository/filter-values.ts';
export * as flags from './repository/flags.ts';
export {
  entriesOf,
  indexedValuesIn,
  indexesOf,
  notedIn,
  noteOf,
  SETS,
} from './repository/list-indexes.ts';
export * as recordWords from './repository/record-words.ts';
