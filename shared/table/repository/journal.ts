import type { RequestSession } from '../session/request-session.ts';
import { type Entity, entity, type RecordObserver, type Verb } from './entity.ts';
import { differing } from './records.ts';
import type { Repository } from './repository.ts';

/**
 * The journal of a tenant (`docs/decisions/0201-events.md`) has an event for each change of its records, written in the
 * transaction of the change. A change allocates the event's number after it has read the record, and a re-run allocates
 * a later one, so the events of a record are in the order of its versions. Events never change; they expire.
 */
export interface JournalEvent {
  readonly id: string;
  /** `ticket.updated`. */
  readonly type: string;
  readonly occurred_at: string;
  /** Name of the record in the OpenAPI document: `Ticket`. */
  readonly record_type: string;
  readonly record_id: string;
  /** Id of the record that it is below: the ticket of a message. Only there where it is below one. */
  readonly parent_id?: string;
  /** That of the record after the change; of a deletion one more than it had. */
  readonly version: number;
  /** Names of the fields that an update has changed. Null where an event cannot name all, and for other events. */
  readonly changed_fields: readonly string[] | null;
  /** The integration that made the change; null for others, such as the operator. */
  readonly actor_id: string | null;
  readonly request_id: string | null;
}

const RETENTION_DAYS = 30;

export const journalEntity = entity<JournalEvent>('EVENT', {
  createdAt: 'occurred_at',
  retentionDays: RETENTION_DAYS,
  ordered: true,
});

type Named = Pick<Entity, 'record' | 'audited' | 'name'>;
type Journal = Named & Pick<Entity, 'journaled'>;

/** Records of an entity as events name them: `Ticket`. */
export const recordTypeOf = ({ record, audited, name }: Named): string => record?.name ?? audited ?? name;

/** The type of an event, also of webhook events: `ticket_message.created` of a `TicketMessage`. */
export const eventTypeOf = (recordType: string, verb: Verb): string =>
  `${recordType.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()}.${verb}`;

/** Most bytes of the names of changed fields, so that an event has half a KB at most, whatever its record is. */
const MOST_NAMED = 120;

/** What all events of a kind have. */
function eventOf(events: Repository<JournalEvent>, kind: Journal, verb: Verb) {
  const record_type = recordTypeOf(kind);
  return { type: eventTypeOf(record_type, verb), record_type, changed_fields: null, ...originOf(events.session) };
}

/** Stages an event that is of no change: a trial. */
export const stagePing = async (
  events: Repository<JournalEvent>,
  kind: Journal,
  { id, version }: { readonly id: string; readonly version: number },
): Promise<JournalEvent> =>
  (await events.create({ fields: { ...eventOf(events, kind, 'pinged'), record_id: id, version } })).record;

/** Stages events of records of one kind. @param parentId of the record that they are below */
export function journalOf(events: Repository<JournalEvent>, kind: Journal, parentId?: string): RecordObserver {
  const { quiet = [], isLoud } = kind.journaled ?? {};
  const below = parentId === undefined ? {} : { parent_id: parentId };
  return async ({ verb, id, version, before = {}, after = {} }) => {
    const changed = verb === 'updated' ? Object.keys(differing(before, after)).toSorted() : undefined;
    if (changed?.every((field) => quiet.includes(field)) && !isLoud?.(before as never, after as never)) return;
    const changed_fields = changed === undefined ? null : named(changed);
    await events.create<'record_id'>({
      fields: { ...eventOf(events, kind, verb), ...below, version, changed_fields },
      deferred: async () => ({ record_id: await id }),
      // The first event of a record is before all others, whenever its number was allocated.
      mayBeEarly: verb === 'created',
    });
  };
}

/** The names, each of which takes a byte more; null where they are too many. */
const named = (fields: readonly string[]): readonly string[] | null =>
  fields.reduce((bytes, { length }) => bytes + length + 1, 0) > MOST_NAMED ? null : fields;

/** Who makes the changes of a session, and when. Unlike audited records, others may be changed without an origin. */
function originOf({ audit: { origin }, timestamp }: RequestSession) {
  const { actor, requestId = null } = origin ?? {};
  return {
    occurred_at: timestamp,
    actor_id: actor?.type === 'integration' ? actor.integrationId : null,
    request_id: requestId,
  };
}
