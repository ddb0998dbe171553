import { type Item, ids, type OnConditionFailed, storedSets, type UnitOfWork } from '#lists';
import { indexedValuesIn, notedIn, noteOf, SETS } from './list-indexes.ts';

/**
 * Flags: filters whose value follows from the rest of the record, as "over its threshold" does. A record is stored with its flags, `true` or nothing,
 * so that its number is always in the sets of what is stored, also after a release that does not know the flag. Only those for which it is true have
 * a set: the others are all records without these.
 */

/**
 * When a flag is true: by the record's own fields, or where one of its counters is more than 0. Counters change without being read
 * (`derived-fields.ts`), and their flags with them.
 */
export type Flag<T> = ((record: T) => boolean) | { readonly counter: keyof T & string };

/** The only value of a flag that has a set. */
export const TRUE = 'true';

/** A flag as it is stored. */
type StoredFlag = true | null;

export const storedFlag = (isTrue: boolean): StoredFlag => isTrue || null;

/** An entity's declarations about flags (`entity.ts`). */
interface Flagged {
  readonly flags: Readonly<Record<string, Flag<never> | undefined>>;
}

const flagsIn = ({ flags }: Flagged) => Object.entries(flags) as [string, Flag<object>][];

/** Whether a filter is a flag. */
export const isFlag = ({ flags }: Flagged, field: string): boolean => Object.hasOwn(flags, field);

/** The flags of a record that follow from its own fields. */
const flagsByFields = (entity: Flagged, record: object): Readonly<Record<string, StoredFlag>> =>
  Object.fromEntries(
    flagsIn(entity).flatMap(([field, flag]) => (typeof flag === 'function' ? [[field, storedFlag(flag(record))]] : [])),
  );

/** The flags that follow from counters, each with its counter. */
export const flagsByCounters = (entity: Flagged): readonly { readonly flag: string; readonly counter: string }[] =>
  flagsIn(entity).flatMap(([field, flag]) =>
    typeof flag === 'function' ? [] : [{ flag: field, counter: flag.counter }],
  );

/**
 * The flags of a record that were not stored as they follow from it: by a release that does not know them, or not yet. For those by counters, which
 * may change while the record is read, only a record that is older than the flag counts.
 */
export function flagsToCorrect(entity: Flagged, item: Item): Readonly<Record<string, StoredFlag>> {
  const counted = new Set(flagsByCounters(entity).map(({ flag }) => flag));
  const noted = notedIn(item);
  const flags = Object.entries(flagsOf(entity, item));
  return Object.fromEntries(
    flags.filter(([flag, isTrue]) => (item[flag] ?? null) !== isTrue && !(counted.has(flag) && noted.includes(flag))),
  );
}

/** All flags of a record, from its fields and its counters. */
export const flagsOf = (entity: Flagged, record: object): Readonly<Record<string, StoredFlag>> => ({
  ...flagsByFields(entity, record),
  ...Object.fromEntries(
    flagsByCounters(entity).map(({ flag, counter }) => [flag, storedFlag(isMoreThanNone(record as Item, counter))]),
  ),
});

const isMoreThanNone = (record: Readonly<Record<string, unknown>>, counter: string): boolean =>
  Number(record[counter] ?? 0) > 0;

/**
 * Stages that a flag of a record becomes true or not, on condition that what the record says of it is as read: `item`. A record that is older than the
 * flag enters its set.
 */
export function stageFlag(
  work: UnitOfWork,
  item: Item,
  { flag, isTrue }: { readonly flag: string; readonly isTrue: boolean },
  onConditionFailed: OnConditionFailed,
): void {
  const noted = notedIn(item);
  const [PK, SK] = [String(item.PK), String(item.SK)];
  const left = noted.includes(flag) ? indexedValuesIn(item, flag) : [];
  const listed = { partition: PK, number: ids.numberIn(SK), by: { filter: flag } };
  storedSets.stageMove(work, listed, left, isTrue ? [TRUE] : []);
  work.update(
    { PK, SK },
    {
      set: { [flag]: storedFlag(isTrue), ...(noted.includes(flag) ? {} : noteOf([...noted, flag])) },
      condition: { equals: { [flag]: item[flag], [SETS]: item[SETS] } },
      onConditionFailed,
    },
  );
}
