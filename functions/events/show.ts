import type { RecordOf } from '#contract';
import type { JournalEvent } from '#table';
import type { event } from './contract.ts';

type Event = RecordOf<typeof event>;

/** An event as the API returns it. */
export const showEvent = ({
  id,
  type,
  occurred_at,
  record_type,
  record_id,
  parent_id = null,
  version,
  changed_fields,
  actor_id,
  request_id,
}: Stored): Event => ({
  id,
  type,
  occurred_at,
  record_type,
  record_id,
  parent_id,
  version,
  changed_fields: changed_fields && [...changed_fields],
  actor_id,
  request_id,
});

type Stored = Omit<JournalEvent, 'parent_id'> & { readonly parent_id?: string | null };
