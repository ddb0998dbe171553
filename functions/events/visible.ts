import { includeAll, type Permissions } from '#identity';
import type { JournalEvent } from '#table';
import { kinds } from './kinds.static.ts';

/** The types of all events. */
export const eventTypes: readonly string[] = kinds.flatMap(({ types }) => types).toSorted();

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
