import type { JournalEvent } from '#table';
import type { Event } from './contract.ts';

/** An event as the API returns it, and as it is delivered: the fields in the same order each time, whatever order the table has. */
export const showEvent = (event: JournalEvent): Event => ({
  id: event.id,
  type: event.type,
  occurred_at: event.occurred_at,
  record_type: event.record_type,
  record_id: event.record_id,
  parent_id: event.parent_id ?? null,
  version: event.version,
  changed_fields: event.changed_fields && [...event.changed_fields],
  actor_id: event.actor_id,
  request_id: event.request_id,
});
