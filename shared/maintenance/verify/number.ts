import { type Item, ids, type Key, schema, storedSets, type UnitOfWork } from '#lists';
import { bitPlace, gapRanges, gracePeriod, periods, textIndex } from '#lists/maintenance';
import { entriesOf, flags, indexedValuesIn, indexesOf, notedIn, noteOf, recordWords, SETS } from '#table/storage';
import { corrected, expectedAt, type IndexEntry, storedIn } from './corrected.ts';
import { type Comparison, changed, type Difference, Moved, type VerifyContext } from './difference.ts';
import { readItem, readTogether } from './reading.ts';
import { type RecordScan, readCounterWithRetries } from './scan-records.ts';
import { StoredEntry, StoredGap, type StoredMembership, StoredWord } from './stored-membership.ts';

/** Verifies one number of a list: its record, the bit of its gap and its bits in the sets of filters, all read at one moment. */

/** The list of a number. */
type NumberList = Pick<RecordScan, 'entity' | 'partition' | 'counter' | 'next' | 'settled'>;

/**
 * Verifies a number in the sets of its record's values, and in the suspected ones.
 * @param now decides whether its writer may still be running; {@link Number.POSITIVE_INFINITY}: no
 */
export async function lookAtNumber(
  scope: VerifyContext,
  list: NumberList,
  number: number,
  suspected: readonly IndexEntry[],
  now = scope.clock(),
): Promise<Comparison | Moved> {
  const { partition, entity } = list;
  const recordKey: Key = { PK: partition, SK: ids.sortKeyOf(number) };
  const before = await readItem(scope, recordKey);
  const counter = schema.isRecord(before) ? list.counter : await readCounterWithRetries(scope, partition);
  const places = placesOf(corrected(entity, before), [...suspected, ...storedIn(entity, before)], indexesOf(entity));
  const { sortKey, word } = bitPlace(number);
  const PK = storedSets.partitionOf(partition);
  const gapKey = { PK, SK: sortKey };
  const rangesKey = { PK, SK: gapRanges.rangesKey(gapRanges.regionOf(number)) };
  const keys = [gapKey, rangesKey, ...places.map((place) => keyOf(place, partition, number))];
  const [record, ...items] = await readTogether(scope, [recordKey, ...keys]);
  const seen = [
    schema.VERSION,
    schema.TOMBSTONE,
    SETS,
    ...entity.orders,
    ...Object.keys({ ...entity.flags, ...recordWords.wordsAsRead(before ?? {}) }),
  ];
  const isSame = seen.every((attribute) => record?.[attribute] === before?.[attribute]);
  if (!isSame) {
    return new Moved({
      entity: entity.name,
      text: `${entity.name} with number ${number} changes too fast to be verified`,
    });
  }
  const [gapItem, ranges, ...others] = items;
  const sets = places.map(({ field, value }, index): StoredMembership => {
    const key = keys[index + 2] as Key;
    const item = others[index];
    if (entriesOf(field) !== undefined) return new StoredEntry(key, item, expectedAt(entity, record, { field, value }));
    return new StoredWord(key, word, item);
  });
  const gap = new StoredGap(number, new StoredWord(gapKey, word, gapItem), rangesKey, ranges);
  const isDue = (scope.repair ? gracePeriod.isOverdue : gracePeriod.isLeftBehind)(counter, number, now, list.settled);
  return compareNumber({ list, number, record, counter, places, gap, sets, isDue });
}

/** The item that says whether a number is in a set or an index. */
function keyOf({ field, value }: IndexEntry, partition: string, number: number): Key {
  const index = entriesOf(field);
  if (index !== undefined) return textIndex.entryKey({ partition, index, text: value, number });
  return { PK: storedSets.partitionOf(partition, field, value), SK: bitPlace(number).sortKey };
}

/** The sets of the record's values, then the suspected ones. */
function placesOf(
  record: Item | undefined,
  suspected: readonly IndexEntry[],
  declared: readonly string[],
): IndexEntry[] {
  const own = [...new Set([...declared, ...notedIn(record)])].flatMap((field) =>
    schema.isRecord(record) ? indexedValuesIn(record, field).map((value) => ({ field, value })) : [],
  );
  const isAt =
    ({ field, value }: IndexEntry) =>
    (other: IndexEntry): boolean =>
      other.field === field && other.value === value;
  const all = [...own, ...suspected];
  return all.filter((place, index) => all.findIndex(isAt(place)) === index);
}

interface Seen {
  readonly list: NumberList;
  readonly number: number;
  readonly record: Item | undefined;
  readonly counter: Item;
  readonly places: readonly IndexEntry[];
  readonly gap: StoredMembership;
  readonly sets: readonly StoredMembership[];
  /** Whether it is to be closed if it has no record. */
  readonly isDue: boolean;
}

/** A number as seen, with what follows from it. */
interface NumberState extends Seen {
  /** Its record, with its flags and words as they follow from it. */
  readonly live: Item | undefined;
  /** The flags by which it is listed, and with which it should not be stored. */
  readonly wrongFlags: readonly string[];
  /** Whether it stands under other words than its texts have. */
  readonly hasWrongWords: boolean;
  /** The fields by which its record is listed, and those by which it is not yet. */
  readonly noted: readonly string[];
  readonly notBuilt: readonly string[];
  readonly bit: bigint;
  /** Whether it should be a gap. */
  readonly isGap: boolean;
}

function stateOf(seen: Seen): NumberState {
  const { list, number, record } = seen;
  const live = schema.isRecord(record) ? corrected(list.entity, record) : undefined;
  const noted = notedIn(live);
  const wrongFlags = noted.filter((field) => live?.[field] !== record?.[field]);
  const hasWrongWords =
    noted.includes(recordWords.WORDS_INDEX) &&
    Object.keys(recordWords.wordsToCorrect(list.entity, record ?? {})).length > 0;
  const notBuilt = live === undefined ? [] : indexesOf(list.entity).filter((field) => !noted.includes(field));
  const { bit } = bitPlace(number);
  return {
    ...seen,
    live,
    wrongFlags,
    hasWrongWords,
    noted,
    notBuilt,
    bit,
    isGap: live === undefined && isClosed(seen, bit),
  };
}

/**
 * Whether a number without a record is to be a gap: if it was allocated, and is due, is a gap already, or has a tombstone without a time. Whoever puts
 * a tombstone with a time sets the bit next. For a repair, a number is due once its writer's grace period is over. A verification leaves it to
 * readers for a while, who close such numbers themselves.
 */
function isClosed({ list, number, record, counter, gap, isDue }: Seen, bit: bigint): boolean {
  const isAllocated = number < Math.max(Number(counter.NEXT ?? 0), list.next);
  const isOpen = record === undefined || record[schema.AT] !== undefined;
  return isAllocated && (isDue || gap.has(bit) || !isOpen);
}

function differencesOf(state: NumberState): Difference[] {
  const { list, number, live, wrongFlags, hasWrongWords, notBuilt, gap, bit, isGap } = state;
  const entity = list.entity.name;
  const name = live === undefined ? `number ${number}` : String(live.id);
  const of = { entity, id: live === undefined ? undefined : String(live.id) };
  const difference = (kind: Difference['kind'], text: string): Difference => ({
    kind,
    ...of,
    text: `${entity} ${name} ${text}`,
  });
  return [
    ...(isGap && !gap.has(bit) ? [difference('lost-number', 'is counted and has no record')] : []),
    ...(!isGap && gap.has(bit) ? [difference('hidden-record', 'is counted as deleted')] : []),
    ...wrongFlags.map((field) => ({
      ...difference(
        'wrong-flag',
        live?.[field] === true ? `is ${field}, and not stored so` : `is stored as ${field}, and is not`,
      ),
      field,
    })),
    ...(hasWrongWords ? [difference('wrong-words', 'stands under other words than its texts have')] : []),
    ...misplaced(state).map(([kind, text]) => difference(kind, text)),
    ...notBuilt.map((field) => ({
      ...difference('filter-not-built', `is older than the lists by ${field}`),
      field,
    })),
    ...damagedPlaces(state).map((place): Difference => {
      const text = `${entity} ${place}: the word of ${name} is damaged`;
      return { kind: 'damaged-word', entity, text };
    }),
  ];
}

/** The lists that wrongly lack the record, or wrongly have it, but for those of wrong flags and words. */
const misplaced = ({
  places,
  noted,
  live,
  wrongFlags,
  hasWrongWords,
  sets,
  bit,
}: NumberState): [Difference['kind'], string][] =>
  places.flatMap(({ field, value }, index): [Difference['kind'], string][] => {
    if (wrongFlags.includes(field) || (hasWrongWords && field === recordWords.WORDS_INDEX)) return [];
    const belongs = noted.includes(field) && indexedValuesIn(live, field).includes(value);
    const stands = sets[index]?.has(bit) === true;
    if (belongs === stands) return [];
    return belongs
      ? [['missing-in-list', `is missing in ${field}=${value}`]]
      : [['wrongly-in-list', `is in ${field}=${value} and does not belong there`]];
  });

const damagedPlaces = ({ gap, sets, places }: NumberState): string[] =>
  [gap, ...sets].flatMap((stored, index) => {
    if (stored.isSound) return [];
    return [index === 0 ? 'the gaps' : `${places[index - 1]?.field}=${places[index - 1]?.value}`];
  });

/** The differences of a number, and the writes that repair them. */
function compareNumber(seen: Seen): Comparison {
  const state = stateOf(seen);
  const { list, number, record, counter, places, gap, sets, live, noted, notBuilt, bit, isGap } = state;
  const expires = expiryOfBits(list, counter, number, live);
  const repair = (work: UnitOfWork): void => {
    expectRecord(work, { list, number, record, notes: [...noted, ...notBuilt], isGap, expires });
    gap.stage(work, bit, isGap, expires);
    for (const [index, { field, value }] of places.entries()) {
      const stands =
        live !== undefined && [...noted, ...notBuilt].includes(field) && indexedValuesIn(live, field).includes(value);
      sets[index]?.stage(work, bit, stands, expires);
    }
  };
  return { differences: differencesOf(state), repair };
}

/** Expiry of a number's bits in epoch seconds, where the list's records expire. */
function expiryOfBits(
  { entity }: NumberList,
  counter: Item,
  number: number,
  live: Item | undefined,
): number | undefined {
  const { retentionDays } = entity;
  if (retentionDays === undefined) return undefined;
  return live === undefined ? periods.expiryOfNumber(counter, number) : Number(live[schema.TTL]);
}

interface ExpectedRecord {
  readonly list: NumberList;
  readonly number: number;
  readonly record: Item | undefined;
  readonly notes: readonly string[];
  readonly isGap: boolean;
  readonly expires: number | undefined;
}

/** Stages the condition that the record is as read. A live record's `SETS` is updated; a gap gets its tombstone. */
function expectRecord(work: UnitOfWork, { list, number, record, notes, isGap, expires }: ExpectedRecord): void {
  const key = { PK: list.partition, SK: ids.sortKeyOf(number) };
  if (record === undefined && isGap) {
    const ttl = expires === undefined ? {} : { [schema.TTL]: storedSets.expiryAfter(expires) };
    work.put({ ...key, [schema.TOMBSTONE]: true, ...ttl }, changed);
  } else if (!schema.isRecord(record)) {
    const expect = record === undefined ? { exists: false } : { equals: { [schema.TOMBSTONE]: true } };
    work.update(key, { condition: expect, onConditionFailed: changed });
  } else {
    const note = noteOf(notes);
    const flagged = [
      ...Object.keys(list.entity.flags),
      ...flags.flagsByCounters(list.entity).map((each) => each.counter),
      ...list.entity.orders,
    ];
    const equals = {
      id: record.id,
      ...Object.fromEntries([schema.VERSION, SETS, ...flagged].map((attribute) => [attribute, record[attribute]])),
      ...recordWords.wordsAsRead(record),
    };
    work.update(key, {
      set: {
        ...(note[SETS] === record[SETS] ? {} : note),
        ...flags.flagsToCorrect(list.entity, record),
        ...recordWords.wordsToCorrect(list.entity, record),
      },
      condition: { equals },
      onConditionFailed: changed,
    });
  }
}
