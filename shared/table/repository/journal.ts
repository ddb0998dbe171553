import { type Item, ids } from '@custodia/counted-lists';
import type { RequestSession } from '../session/request-session.ts';
import { type Entity, entity, type RecordObserver, toRecord } from './entity.ts';
import type { Verb } from './journaled.ts';
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
  /** The integration or user that made the change; null for others, such as the operator. */
  readonly actor_id: string | null;
  readonly request_id: string | null;
}

const RETENTION_DAYS = 30;

export const journalEntity = entity<JournalEvent>('EVENT', {
  createdAt: 'occurred_at',
  retentionDays: RETENTION_DAYS,
  ordered: true,
  ofClient: null,
});

type Named = Pick<Entity, 'record' | 'audited' | 'name'>;
type Journal = Named & Pick<Entity, 'journaled' | 'json' | 'encrypted'>;

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
  const { quiet = [], unnamed = [], isLoud, history } = kind.journaled ?? {};
  const below = parentId === undefined ? {} : { parent_id: parentId };
  return async ({ verb, id, version, item = {}, before = {}, after = {} }) => {
    const all = verb === 'updated' || verb === 'moved' ? Object.keys(differing(before, after)).toSorted() : undefined;
    const changed = unnamed.length === 0 ? all : all?.filter((field) => !unnamed.includes(field));
    if (changed?.every((field) => quiet.includes(field)) && !isLoud?.(before as never, after as never)) return {};
    const changed_fields = changed === undefined ? null : named(changed);
    const kept = history && changed && { [CHANGES]: changesIn(kind, changed, before as Item, after as Item) };
    const { record } = await events.create<'record_id'>({
      fields: { ...eventOf(events, kind, verb), ...below, version, changed_fields, ...kept },
      deferred: async () => ({ record_id: await id }),
      // The first event of a record is before all others, whenever its number was allocated.
      mayBeEarly: verb === 'created',
    });
    return history ? withEvent(item, ids.numberOf(record.id)) : {};
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
    actor_id: actor !== undefined && 'id' in actor ? actor.id : null,
    request_id: requestId,
  };
}

/**
 * The history of a record: it keeps the numbers of its last events, and these the values that they have changed. Both
 * are attributes in capitals, which no record has that is read from an item: so no value is in a feed, a delivery, an
 * export.
 */

/** Attribute of a record: the numbers of its last events, up to that of its version. */
export const EVENTS = 'EVENTS';
const MOST_EVENTS = 50;

/** Attribute of the event of an update: its {@link Changes} as JSON. */
const CHANGES = 'CHANGES';
/** Most bytes of that, so that an event has a KB at most. */
const MOST_CHANGES = 500;
/** Most characters of a text that is kept. */
const LONGEST = 100;
/** Fields that follow from each change, and say no more than its time. */
const TIMES: readonly string[] = ['updated_at', 'last_activity_at'];

type Value = string | number | boolean | null;
/** By field the values before and after its change; 0 where they are not kept. */
type Changes = Record<string, readonly [from: Value, to: Value] | 0>;

/** What a change has changed. The longest values are left out where they are too many; names never are. */
function changesIn(kind: Journal, names: readonly string[], before: Item, after: Item): string {
  const fields = names.filter((field) => !TIMES.includes(field));
  const changes: Changes = Object.fromEntries(fields.map((field) => [field, valuesOf(kind, field, before, after)]));
  const text = JSON.stringify(changes);
  let excess = Buffer.byteLength(text) - MOST_CHANGES;
  if (excess <= 0) return text;
  const bytesOf = (field: string): number => Buffer.byteLength(JSON.stringify(changes[field]));
  for (const field of fields.toSorted((one, other) => bytesOf(other) - bytesOf(one))) {
    if (excess > 0) {
      excess -= bytesOf(field) - 1;
      changes[field] = 0;
    }
  }
  return JSON.stringify(changes);
}

function valuesOf({ json, encrypted }: Journal, field: string, before: Item, after: Item): Changes[string] {
  if ([...json, ...encrypted].includes(field)) return 0;
  const [from, to] = [before[field] ?? null, after[field] ?? null];
  return isShort(from) && isShort(to) ? [from, to] : 0;
}

const isShort = (value: unknown): value is Value =>
  value === null ||
  typeof value === 'boolean' ||
  typeof value === 'number' ||
  (typeof value === 'string' && value.length <= LONGEST);

/** A change of a record, with the values where they are kept. */
export interface RecordChange extends JournalEvent {
  readonly changes: Readonly<Record<string, { from: Value; to: Value } | { changed: true }>> | null;
}

/** The change that an event is about. */
export function changeOf(event: Item): RecordChange {
  const { [CHANGES]: text } = event;
  const changes = typeof text === 'string' ? Object.entries(JSON.parse(text) as Changes) : undefined;
  const shown = changes?.map(([field, values]) => [
    field,
    values === 0 ? { changed: true } : { from: values[0], to: values[1] },
  ]);
  return { ...toRecord(journalEntity, event), changes: shown === undefined ? null : Object.fromEntries(shown) };
}

/** A digit of a number in {@link EVENTS} has seven bits of a byte; the eighth says that another one follows. */
const BASE = 128;

/** The numbers of events that a record keeps, in ascending order. */
export function eventNumbersIn({ [EVENTS]: bytes }: Item): number[] {
  const numbers: number[] = [];
  let [number, factor] = [0, 1];
  for (const byte of bytes instanceof Uint8Array ? bytes : []) {
    number += (byte % BASE) * factor;
    factor = byte < BASE ? 1 : factor * BASE;
    if (byte < BASE) numbers.push(number);
  }
  return numbers;
}

/** The attribute with a further number: the first number, then the differences, the lowest digit first. */
export function withEvent(item: Item, next: number): Item {
  const bytes: number[] = [];
  let last = 0;
  for (const number of [...eventNumbersIn(item).filter((each) => each < next), next].slice(-MOST_EVENTS)) {
    let rest = number - last;
    for (; rest >= BASE; rest = Math.floor(rest / BASE)) bytes.push((rest % BASE) + BASE);
    bytes.push(rest);
    last = number;
  }
  return { [EVENTS]: Uint8Array.from(bytes) };
}
