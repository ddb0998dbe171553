import { isDeepStrictEqual } from 'node:util';
import { type Item, ids, indexes, restorable, schema, storedSets, type UnitOfWork } from '@custodia/counted-lists';
import {
  expiryOfNumber,
  gapKeysOf,
  isOverdue,
  LEFT_TO_READERS,
  storedBit,
  storedGap,
  storedTrash,
} from '@custodia/counted-lists/maintenance';
import { changed, type Found, type Look, type VerifyContext } from './difference.ts';
import { readCounter, readTogether } from './reading.ts';
import type { Entry, NumberList } from './scan-records.ts';

/** Verifies one number of a list: its record, its gap and its entries in the indexes, all read at one moment. */

/**
 * Verifies a number in the indexes of its record, and the suspected entries.
 * @throws StaleRead where it changes meanwhile
 */
export async function lookAtNumber(...of: Parameters<typeof read>): Promise<Look> {
  const seen = await read(...of);
  const { list, record, gap, isGap, entries } = seen;
  const wanted = byName(record === undefined ? [] : list.indexes.entriesIn(record));
  return {
    found: differencesIn(seen),
    ...(record === undefined ? {} : { subject: { entity: list.entity.name, id: String(record.id) } }),
    repair: (work) => {
      stageItem(work, seen);
      gap.stage(work, isGap);
      seen.trash.stage(work, seen.isTrashed);
      for (const { entry, stored } of entries) stored.stage(work, wanted.get(indexes.Indexes.nameOf(entry)) ?? false);
    },
  };
}

type Seen = Awaited<ReturnType<typeof read>>;

/** @param now decides whether its writer may still be running; {@link Number.POSITIVE_INFINITY}: no */
async function read(
  scope: VerifyContext,
  list: NumberList,
  number: number,
  suspected: readonly Entry[],
  now = scope.clock(),
) {
  const { partition, next, settled } = list;
  const key = { PK: partition, SK: ids.sortKeyOf(number) };
  const [item, inWord, region, inTrash, ...items] = await readTogether(scope, key, (found) => [
    ...gapKeysOf(partition, number),
    ...entriesOf(list, found, suspected).map((entry) => list.indexes.keyOf(entry, number)),
  ]);
  // Its record with the notes that follow from its fields, and in all declared indexes.
  const record = schema.isRecord(item) ? list.indexes.withNotes(item, [], 'verification') : undefined;
  const counter = record === undefined ? await readCounter(scope, partition) : list.counter;
  const expires = expiryOf(list, counter, number, record);
  const asRead = { number, expires, changed };
  const gap = storedGap(partition, [inWord, region], asRead);
  const trash = storedTrash(partition, inTrash, asRead);
  const isAllocated = number < Math.max(Number(counter.NEXT ?? 0), next);
  const isDue = isOverdue(counter, number, now, settled, scope.repair ? undefined : LEFT_TO_READERS);
  // Whoever puts a tombstone with a time sets the bit next.
  const isClosed = isDue || gap.has() || (item !== undefined && item[schema.AT] === undefined);
  const isTrashed = restorable.isTrashed(item) || (item === undefined && trash.has());
  const isGap = record === undefined && isAllocated && isClosed && !isTrashed;
  // A writer that has crashed leaves entries in advance. They count for nothing, and stay until the number is closed
  // and a repair finds them.
  const isInAdvance = (entry: Item | undefined): boolean =>
    record === undefined && isAllocated && !(isGap && scope.repair) && entry?.[schema.AT] !== undefined;
  const entries = entriesOf(list, item, suspected).flatMap((entry, index) =>
    isInAdvance(items[index]) ? [] : [{ entry, stored: storedEntry(list, entry, items[index], asRead) }],
  );
  return { list, key, item, record, gap, isGap, trash, isTrashed, entries, expires };
}

/** The entries that a record should have, those that it has by its own notes, and the suspected ones. */
function entriesOf({ indexes }: NumberList, item: Item | undefined, suspected: readonly Entry[]): readonly Entry[] {
  const own = schema.isRecord(item)
    ? [...indexes.entriesIn(indexes.withNotes(item, [], 'verification')), ...indexes.entriesIn(item)]
    : [];
  return [...byName([...suspected, ...own.toReversed()]).values()];
}

const byName = (entries: readonly Entry[]): ReadonlyMap<string, Entry> =>
  new Map(entries.map((entry) => [indexes.Indexes.nameOf(entry), entry]));

/** Expiry of a number's bits in epoch seconds, where the list's records expire. */
function expiryOf({ entity }: NumberList, counter: Item, number: number, record: Item | undefined): number | undefined {
  if (entity.retentionDays === undefined) return undefined;
  return record === undefined ? expiryOfNumber(counter, number) : Number(record[schema.TTL]);
}

function differencesIn(seen: Seen): Found[] {
  const { list, item = {}, record, gap, isGap, trash, isTrashed, entries } = seen;
  const wronglyNoted = record === undefined ? [] : list.indexes.wronglyNoted(item);
  const damaged = entries.flatMap(({ entry, stored }) => (stored.isSound ? [] : [list.indexes.titleOf(entry)]));
  return [
    ...(isGap && !gap.has() ? ([['lost-number', 'is counted and has no record']] as const) : []),
    ...(!isGap && gap.has() ? ([['hidden-record', 'is counted as deleted']] as const) : []),
    ...(isTrashed === trash.has() ? [] : ([['trash', `is ${isTrashed ? 'not ' : ''}counted as restorable`]] as const)),
    ...wronglyNoted.map(
      (name): Found => ['wrong-note', `is stored with a note for ${name} that does not follow from its fields`, name],
    ),
    ...misplaced(seen, wronglyNoted),
    ...list.indexes.names
      .filter((name) => record !== undefined && !indexes.Indexes.isIn(item, name))
      .map((name): Found => ['filter-not-built', `is older than the lists by ${name}`, name]),
    ...[...(gap.isSound && trash.isSound ? [] : ['the gaps']), ...damaged].map(
      (place): Found => ['damaged-word', `has a damaged word in ${place}`],
    ),
  ];
}

/**
 * The entries that the record wrongly lacks, or wrongly has, in the indexes in which it is, but for those with wrong
 * notes.
 */
function misplaced({ list, item = {}, record, entries }: Seen, wronglyNoted: readonly string[]): Found[] {
  const { indexes: all } = list;
  const expected = byName(record === undefined ? [] : all.entriesIn({ ...record, [indexes.SETS]: item[indexes.SETS] }));
  const ofWrongNotes = byName(
    wronglyNoted.flatMap((name) => [item, record ?? {}].flatMap((each) => all.named(name).entriesOf(each))),
  );
  return entries.flatMap(({ entry, stored }): Found[] => {
    const wanted = expected.get(indexes.Indexes.nameOf(entry));
    if (ofWrongNotes.has(indexes.Indexes.nameOf(entry)) || (wanted !== undefined) === stored.has(wanted)) return [];
    return wanted === undefined
      ? [['wrongly-in-list', `is in ${all.titleOf(entry)} and does not belong there`]]
      : [['missing-in-list', `is missing in ${all.titleOf(entry)}`]];
  });
}

/** Stages the condition that the item is as read. A record gets the right notes; a gap gets its tombstone. */
function stageItem(work: UnitOfWork, { list, key, item, record, isGap, expires }: Seen): void {
  if (item === undefined && isGap) {
    const ttl = expires === undefined ? {} : { [schema.TTL]: storedSets.expiryAfter(expires) };
    work.put({ ...key, [schema.TOMBSTONE]: true, ...ttl }, changed);
    return;
  }
  const notes = Object.entries(record ?? {}).filter(([attribute, value]) => value !== item?.[attribute]);
  const attributes =
    record === undefined
      ? [schema.TOMBSTONE, restorable.TRASHED]
      : ['id', schema.VERSION, indexes.SETS, ...list.indexes.movable];
  const asRead = Object.fromEntries(attributes.map((attribute) => [attribute, item?.[attribute]]));
  work.update(key, {
    set: Object.fromEntries(notes),
    condition: item === undefined ? { exists: false } : { equals: asRead },
    onConditionFailed: changed,
  });
}

/** An entry of a number, as read: a bit of a set, or an item. */
function storedEntry({ indexes: all }: NumberList, entry: Entry, item: Item | undefined, asRead: AsRead): Stored {
  const key = all.keyOf(entry, asRead.number);
  if (!('items' in entry)) return storedBit(key, item, asRead);
  const found = item && all.entryOf(item)?.entry;
  const has: Stored['has'] = (wanted) =>
    found !== undefined && (wanted === undefined || isDeepStrictEqual(found, wanted));
  return {
    isSound: true,
    has,
    stage: (work, wanted) => {
      if (typeof wanted === 'boolean') {
        if (item !== undefined) work.delete(key, { equals: item }, changed);
      } else if (!has(wanted) && 'items' in wanted)
        work.put({ ...wanted.attributes, ...key }, changed, item === undefined ? { exists: false } : { equals: item });
    },
  };
}

type Stored = ReturnType<typeof storedBit>;
type AsRead = Parameters<typeof storedBit>[2];
