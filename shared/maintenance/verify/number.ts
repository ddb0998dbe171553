import { type Item, ids, indexes, type Key, schema, storedSets, type UnitOfWork } from '#lists';
import { bitPlace, type Entry, entryName, gapRegions, gracePeriod, keyOfEntry, periods } from '#lists/maintenance';
import { type Comparison, changed, type Difference, Moved, type VerifyContext } from './difference.ts';
import { readItem, readTogether } from './reading.ts';
import { type RecordScan, readCounterWithRetries } from './scan-records.ts';
import { StoredBit, StoredGap, StoredItem, type StoredMembership } from './stored-membership.ts';

/** Verifies one number of a list: its record, the bit of its gap and its entries in the indexes, all read at one moment. */

/** The list of a number. */
type NumberList = Pick<RecordScan, 'entity' | 'partition' | 'indexes' | 'counter' | 'next' | 'settled'>;

/**
 * Verifies a number in the indexes of its record, and the suspected entries.
 * @param now decides whether its writer may still be running; {@link Number.POSITIVE_INFINITY}: no
 */
export async function lookAtNumber(
  scope: VerifyContext,
  list: NumberList,
  number: number,
  suspected: readonly Entry[],
  now = scope.clock(),
): Promise<Comparison | Moved> {
  const { partition, entity } = list;
  const recordKey: Key = { PK: partition, SK: ids.sortKeyOf(number) };
  const before = await readItem(scope, recordKey);
  const counter = schema.isRecord(before) ? list.counter : await readCounterWithRetries(scope, partition);
  const places = placesOf(list.indexes, before, suspected);
  const { sortKey: SK, ...place } = bitPlace(number);
  const PK = storedSets.partitionOf(partition);
  const regionKey = { PK, SK: gapRegions.regionKey(gapRegions.regionOf(number)) };
  const keys = places.map((entry) => keyOfEntry(partition, entry, number));
  const [record, gapItem, region, ...items] = await readTogether(scope, [recordKey, { PK, SK }, regionKey, ...keys]);
  const seen = [schema.VERSION, schema.TOMBSTONE, indexes.SETS, ...list.indexes.movable];
  if (seen.some((attribute) => record?.[attribute] !== before?.[attribute])) {
    const text = `${entity.name} with number ${number} changes too fast to be verified`;
    return new Moved({ entity: entity.name, text });
  }
  const stored = places.map((entry, index): StoredMembership => {
    const key = keys[index] as Key;
    return 'items' in entry ? new StoredItem(partition, key, items[index]) : new StoredBit(key, place, items[index]);
  });
  const gap = new StoredGap(number, new StoredBit({ PK, SK }, place, gapItem), regionKey, region);
  const isDue = (scope.repair ? gracePeriod.isOverdue : gracePeriod.isLeftBehind)(counter, number, now, list.settled);
  return compareNumber({ list, number, record, counter, places, gap, stored, isDue });
}

/** The entries that a record should have, those that it has by its own notes, and the suspected ones. */
function placesOf(list: indexes.Indexes, record: Item | undefined, suspected: readonly Entry[]): readonly Entry[] {
  const own = schema.isRecord(record)
    ? [...list.entriesIn(list.noted(record, [], 'verification')), ...list.entriesIn(record)]
    : [];
  return [...new Map([...suspected, ...own.toReversed()].map((entry) => [entryName(entry), entry])).values()];
}

interface Seen {
  readonly list: NumberList;
  readonly number: number;
  readonly record: Item | undefined;
  readonly counter: Item;
  readonly places: readonly Entry[];
  readonly gap: StoredGap;
  readonly stored: readonly StoredMembership[];
  /** Whether it is to be closed if it has no record. */
  readonly isDue: boolean;
}

/** A number as seen, with what follows from it. */
interface NumberState extends Seen {
  /** Its record, with the notes that follow from its fields, and in all declared indexes. */
  readonly right: Item | undefined;
  /** What it should have in the indexes in which it is now. */
  readonly expected: ReadonlyMap<string, Entry>;
  readonly wrongNotes: ReadonlyMap<string, Item>;
  /** The indexes in which it is not yet. */
  readonly notBuilt: readonly string[];
  /** Whether it should be a gap. */
  readonly isGap: boolean;
}

function stateOf(seen: Seen): NumberState {
  const { list, record } = seen;
  if (!schema.isRecord(record))
    return {
      ...seen,
      right: undefined,
      expected: new Map(),
      wrongNotes: new Map(),
      notBuilt: [],
      isGap: isClosed(seen),
    };
  const right = list.indexes.noted(record, [], 'verification');
  const had = indexes.namesIn(record);
  return {
    ...seen,
    right,
    expected: byName(list.indexes.entriesIn({ ...right, [indexes.SETS]: record[indexes.SETS] })),
    wrongNotes: list.indexes.wrongNotesIn(record),
    notBuilt: indexes.namesIn(right).filter((name) => !had.includes(name)),
    isGap: false,
  };
}

const byName = (entries: readonly Entry[]): ReadonlyMap<string, Entry> =>
  new Map(entries.map((entry) => [entryName(entry), entry]));

/**
 * Whether a number without a record is to be a gap: if it was allocated, and is due, is a gap already, or has a tombstone without a time. Whoever puts
 * a tombstone with a time sets the bit next. For a repair, a number is due once its writer's grace period is over. A verification leaves it to
 * readers for a while, who close such numbers themselves.
 */
function isClosed({ list, number, record, counter, gap, isDue }: Seen): boolean {
  const isAllocated = number < Math.max(Number(counter.NEXT ?? 0), list.next);
  const isOpen = record === undefined || record[schema.AT] !== undefined;
  return isAllocated && (isDue || gap.has() || !isOpen);
}

function differencesOf(state: NumberState): Difference[] {
  const { list, number, right, wrongNotes, notBuilt, gap, isGap } = state;
  const entity = list.entity.name;
  const name = right === undefined ? `number ${number}` : String(right.id);
  const difference = (kind: Difference['kind'], text: string, field?: string): Difference => ({
    kind,
    entity,
    id: right === undefined ? undefined : String(right.id),
    ...(field === undefined ? {} : { field }),
    text: `${entity} ${name} ${text}`,
  });
  return [
    ...(isGap && !gap.has() ? [difference('lost-number', 'is counted and has no record')] : []),
    ...(!isGap && gap.has() ? [difference('hidden-record', 'is counted as deleted')] : []),
    ...Array.from(wrongNotes.keys(), (index) =>
      difference('wrong-note', `is stored with a note for ${index} that does not follow from its fields`, index),
    ),
    ...misplaced(state).map(([kind, text]) => difference(kind, text)),
    ...notBuilt.map((index) => difference('filter-not-built', `is older than the lists by ${index}`, index)),
    ...damagedPlaces(state).map((place): Difference => {
      const text = `${entity} ${place}: the word of ${name} is damaged`;
      return { kind: 'damaged-word', entity, text };
    }),
  ];
}

/** The entries that the record wrongly lacks, or wrongly has, but for those of indexes with wrong notes. */
function misplaced({
  list,
  places,
  stored,
  expected,
  wrongNotes,
  record,
}: NumberState): [Difference['kind'], string][] {
  const noted = Array.from(wrongNotes, ([name, notes]) =>
    [record ?? {}, { ...record, ...notes }].flatMap((item) => list.indexes.named(name).entriesOf(item)),
  );
  const ofWrongNotes = new Set(noted.flat().map(entryName));
  return places.flatMap((entry, index): [Difference['kind'], string][] => {
    if (ofWrongNotes.has(entryName(entry))) return [];
    const wanted = expected.get(entryName(entry));
    if ((wanted !== undefined) === stored[index]?.has(wanted)) return [];
    return wanted === undefined
      ? [['wrongly-in-list', `is in ${list.indexes.titleOf(entry)} and does not belong there`]]
      : [['missing-in-list', `is missing in ${list.indexes.titleOf(entry)}`]];
  });
}

const damagedPlaces = ({ list, gap, stored, places }: NumberState): string[] => [
  ...(gap.isSound ? [] : ['the gaps']),
  ...places.flatMap((entry, index) => (stored[index]?.isSound === false ? [list.indexes.titleOf(entry)] : [])),
];

/** The differences of a number, and the writes that repair them. */
function compareNumber(seen: Seen): Comparison {
  const state = stateOf(seen);
  const { list, counter, number, places, gap, stored, right, isGap } = state;
  const expires = expiryOfBits(list, counter, number, right);
  const expected = byName(right === undefined ? [] : list.indexes.entriesIn(right));
  const repair = (work: UnitOfWork): void => {
    expectRecord(work, state, expires);
    gap.stage(work, isGap, expires);
    for (const [index, entry] of places.entries()) stored[index]?.stage(work, expected.get(entryName(entry)), expires);
  };
  return { differences: differencesOf(state), repair };
}

/** Expiry of a number's bits in epoch seconds, where the list's records expire. */
function expiryOfBits(
  { entity }: NumberList,
  counter: Item,
  number: number,
  record: Item | undefined,
): number | undefined {
  if (entity.retentionDays === undefined) return undefined;
  return record === undefined ? periods.expiryOfNumber(counter, number) : Number(record[schema.TTL]);
}

/** Stages the condition that the record is as read. A live record gets the right notes; a gap gets its tombstone. */
function expectRecord(work: UnitOfWork, { list, number, record, right, isGap }: NumberState, expires?: number): void {
  const key = { PK: list.partition, SK: ids.sortKeyOf(number) };
  if (record === undefined && isGap) {
    const ttl = expires === undefined ? {} : { [schema.TTL]: storedSets.expiryAfter(expires) };
    work.put({ ...key, [schema.TOMBSTONE]: true, ...ttl }, changed);
  } else if (record === undefined || right === undefined) {
    const expect = record === undefined ? { exists: false } : { equals: { [schema.TOMBSTONE]: true } };
    work.update(key, { condition: expect, onConditionFailed: changed });
  } else {
    const asRead = ['id', schema.VERSION, indexes.SETS, ...list.indexes.movable];
    const notes = Object.entries(right).filter(([attribute, value]) => value !== record[attribute]);
    work.update(key, {
      set: Object.fromEntries(notes),
      condition: { equals: Object.fromEntries(asRead.map((attribute) => [attribute, record[attribute]])) },
      onConditionFailed: changed,
    });
  }
}
