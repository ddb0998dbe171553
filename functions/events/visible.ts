import { nearestName } from '#contract';
import { includeAll, type Permissions } from '#identity';
import type { JournalEvent } from '#table';
import type { Event } from './contract.ts';
import { invalidInput, type Place } from './cursor.ts';
import { kinds } from './kinds.static.ts';

/** The types of all events. */
const eventTypes: readonly string[] = kinds.flatMap(({ types }) => types).toSorted();

/**
 * Which events somebody with these permissions is shown: those of records that they may read, and of these types.
 * @param types null or missing: of all types
 */
export function visibleTo(
  permissions: Permissions,
  types?: readonly string[] | null,
): (event: JournalEvent) => boolean {
  const readable = kinds
    .filter(({ permission }) => includeAll(permissions, [permission]))
    .flatMap((kind) => kind.types);
  const visible = new Set(types == null ? readable : readable.filter((type) => types.includes(type)));
  return ({ type }) => visible.has(type);
}

/** An event as the API returns it, and as it is delivered: the fields in this order, whatever order the table has. */
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

/**
 * An endpoint as somebody with these permissions sees it: path and query of its `url` may be what keeps others from
 * sending to it, so only who may change it sees them.
 */
export const withVisibleAddress = <T extends { readonly url: string }>(endpoint: T, permissions: Permissions): T =>
  includeAll(permissions, ['webhook-endpoints:write']) ? endpoint : { ...endpoint, url: new URL(endpoint.url).origin };

/** Most unknown types that are named: looking for near ones is work. */
const MOST_NAMED = 10;

/**
 * @param placeOf where a type was sent, by its index
 * @throws Problem `invalid-parameter` or `invalid-body` for types that no event has
 */
export function requireKnownTypes(types: readonly string[], placeOf: (index: number) => Place): void {
  const errors = types
    .flatMap((type, index) => (eventTypes.includes(type) ? [] : [{ type, place: placeOf(index) }]))
    .slice(0, MOST_NAMED)
    .map(({ type, place }) => ({ ...place, detail: unknownType(type) }));
  if (errors.length > 0) throw invalidInput(errors);
}

function unknownType(type: string): string {
  const near = nearestName(type, eventTypes);
  return `\`${type}\` is no type of events${near === undefined ? '' : `; did you mean \`${near}\`?`}`;
}
