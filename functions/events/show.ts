import type { JournalEvent } from '#table';
import type { Event } from './contract.ts';

/** An event as the API returns it. */
export const showEvent = (event: JournalEvent): Event => ({
  ...event,
  parent_id: event.parent_id ?? null,
  changed_fields: event.changed_fields && [...event.changed_fields],
});
