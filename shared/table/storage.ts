/**
 * How records are stored, for what reads or writes items itself (`shared/tenancy`, `operator/maintenance`): their
 * attributes, what they are listed by, the notes of filter values, cascade deletes.
 */

export { TenantSessions } from './connection/tenant-sessions.ts';
export { CHILDREN, cascadeDeletesOf, finishCascadeDeletes } from './repository/cascade-delete.ts';
export { MOVES, stageFlag } from './repository/derived-fields.ts';
export { indexesOf, toAttributes, toRecord } from './repository/entity.ts';
export { EVENTS } from './repository/journal.ts';
export {
  CLAIMED,
  claimedIn,
  isClaimOfOwn,
  putValue,
  readValues,
  valueExpiry,
} from './repository/stored-values.ts';
export { DELETED, entryKey, isTombstoneOf, lostEntryOf, readPlace } from './repository/trash.ts';
export { bytesKey, stageBytes, uploadKey, VOID } from './repository/uploads.ts';
