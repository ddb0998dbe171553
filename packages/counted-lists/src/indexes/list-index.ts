import { numberIn } from '../ids.ts';
import { type Item, KEYS, type Key } from '../schema.ts';

/** Finds records of a list by a condition. */
export interface Finder {
  readonly field: string;
  /** How it finds them; undefined where it says nothing about the condition. */
  answerTo(where: Where): Answer | undefined;
  /** The value of a record that is shown, where another one is stored. */
  shownIn?(item: Item): Scalar;
  /** Tells whether a record has what is wanted, where its own value of the field does not. */
  matcherOf?(where: Where): (item: Item) => boolean;
}

/**
 * Finds or sorts the records of a list. What a record has in an index follows from its item alone: from
 * its fields, and from what it keeps for the index (its notes). So whoever writes a record stages the difference
 * between two items (`indexes.ts`), and whoever verifies one compares an item with what is stored.
 */
export interface ListIndex extends Finder {
  /** As the records in it (`SETS`), and the counter item once it has all records (`FILTERS`), name it. */
  readonly name: string;
  /** The ends of the partition keys of its items, where its entries are items. */
  readonly items?: readonly string[];
  /** Whether a new record's entries are written before it (`entries-in-advance.ts`). */
  readonly isInAdvance?: true;
  /** What a record has in it, as its item says. */
  entriesOf(item: Item): readonly Entry[];
  /**
   * What a record keeps for it: its words, a flag. Attributes, by its fields.
   * @param by a change may keep what another release has noted of the same fields. What follows from a counter is
   * verified with that.
   */
  notesOf?(item: Item, by: 'change' | 'verification'): Item;
  /** Attributes that may change without a new version of the record, and its entries with them. */
  readonly movable?: readonly string[];
  /** Whether new records stay out of it, by a setting of the stage. */
  readonly isLeftOut?: (() => boolean) | undefined;
  /** Whether callers choose the values of its sets. Such a value is noted before its first use. */
  readonly isOpen?: () => boolean;
  /** The order of its entries. */
  readonly order?: Order;
}

/** An order has each record once, under the text by which it is sorted: an empty one where it has none. */
export interface Order {
  readonly field: string;
  readonly items: string;
  readonly textOf: (item: Item) => string;
}

/** How the records of a condition are found: in all of some sets, by lookups, or by their numbers. */
export type Answer =
  | { readonly sets: readonly Clause[] }
  | { readonly lookups: readonly Lookup[] }
  | { readonly numbers: readonly number[] };

/** Where a lookup looks: a range or a prefix of sort keys in an index or another partition, or a single item. */
export type LookupRange =
  | { readonly items: string; readonly keys: SortKeys }
  | { readonly partition: string; readonly keys: SortKeys; readonly numberOf: (item: Item) => number }
  | { readonly key: Key; readonly numberOf: (item: Item) => number };

type SortKeys = { readonly prefix: string } | { readonly from: string; readonly to: string };

/** Records that stand in any of some ranges. */
export interface Lookup {
  readonly ranges: readonly LookupRange[];
  /** Most items that are read of a range: where there are more, the condition is residual. */
  readonly most: number;
  /** Whether the entry of another lookup of the condition also finds the record; undefined where it cannot tell. */
  readonly isFoundBy?: (entry: Item) => boolean | undefined;
}

/** The records that have any of some values of a field, or those that have none of them. */
export interface Clause {
  readonly field: string;
  /** Distinct texts. */
  readonly anyOf: readonly string[];
  readonly isExcluded: boolean;
}

/** Attribute of a record: the names of the indexes in which it is, separated by spaces. */
export const SETS = 'SETS';

/** The names of the indexes in which a record is. */
export function namesIn(item: Item | undefined): readonly string[] {
  const names = item?.[SETS];
  return typeof names === 'string' && names !== '' ? names.split(' ') : [];
}

/** A value of a field. Null: it has none. */
export type Scalar = string | number | boolean | null;

/** A condition on the records of a list. Of several, all must hold. */
export type Where =
  /** Any of some values. */
  | { readonly field: string; readonly anyOf: readonly Scalar[] }
  /** All of some elements of a list, such as tags. */
  | { readonly field: string; readonly allOf: readonly string[] }
  | Range
  /** A value that a test accepts: only the records decide. */
  | { readonly field: string; readonly accepts: (value: unknown) => boolean }
  /** The records with these ids, which have their numbers. The field is that by which a caller has asked for them. */
  | { readonly field: string; readonly ids: ReadonlySet<string> }
  /** Words, each of which begins one of the record's. */
  | { readonly words: string };

/** A value from `from` on, and less than `before` or at most `upTo`. Null is in no range. */
export interface Range {
  readonly field: string;
  readonly from?: string | number | undefined;
  readonly before?: string | number | undefined;
  readonly upTo?: string | number | undefined;
}

/** The name of a condition for words, in place of a field's. */
export const QUERY = 'q';

/** Whether a condition is a range of its field. */
export const isRange = (where: Where): where is Range =>
  !('words' in where || 'anyOf' in where || 'allOf' in where || 'accepts' in where || 'ids' in where);

/** The field of a condition. */
export const fieldOf = (where: Where): string => ('words' in where ? QUERY : where.field);

/** A key by which records are sorted. */
export interface SortKey {
  readonly field: string;
  readonly descending: boolean;
}

/** A key with the value that a record has for it, where that is another one than it is stored with. */
export interface ComparedKey extends SortKey {
  readonly shownIn?: ((item: Item) => Scalar) | undefined;
}

/** Whether a record has what is wanted, by its own value of the field. Words are looked for by their index alone. */
export function hasWanted(item: Item, where: Exclude<Where, { readonly words: string }>): boolean {
  const value = item[where.field] ?? null;
  if ('anyOf' in where) return where.anyOf.some((wanted) => wanted === value);
  if ('allOf' in where) return where.allOf.every((wanted) => textsOf(value).includes(wanted));
  if ('accepts' in where) return where.accepts(value);
  if ('ids' in where) return where.ids.has(String(item.id));
  return isWithin(value, where);
}

function isWithin(value: unknown, { from, before, upTo }: Range): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  return (
    (from === undefined || value >= from) &&
    (before === undefined || value < before) &&
    (upTo === undefined || value <= upTo)
  );
}

/** What is true of records at the moment, by the names of the flags. */
export type Flags = Readonly<Record<string, Flag>>;

interface Flag {
  readonly isTrue: (item: Item) => boolean;
  /** What all records have of which it is true, for indexes. */
  readonly implies?: readonly Where[];
}

/** A flag that is true after the time in a field, of records whose other fields have one of some values. */
interface PassedTime {
  readonly time: string;
  readonly among: Readonly<Record<string, readonly string[]>>;
}

/** @param timestamp the moment */
export function flagsAt(timestamp: string, declared: Readonly<Record<string, PassedTime>> = {}): Flags {
  const flags = Object.entries(declared).map(([name, { time, among }]) => {
    const implies = Object.entries(among).map(([field, anyOf]) => ({ field, anyOf }));
    const isPast = { field: time, before: timestamp };
    return [name, { implies, isTrue: (item: Item) => [...implies, isPast].every((each) => hasWanted(item, each)) }];
  });
  return Object.fromEntries(flags);
}

/**
 * Compares records by some keys: null after all values, whichever the direction, and records that are alike by their
 * numbers, in the direction of the first key.
 */
export function compareBy(keys: readonly ComparedKey[]): (one: Item, other: Item) => number {
  const byNumber = { field: KEYS.sort, descending: keys[0]?.descending === true };
  const all: readonly ComparedKey[] = [...keys, byNumber];
  const valueIn = ({ field, shownIn }: ComparedKey, item: Item): unknown => shownIn?.(item) ?? item[field];
  return (one, other) =>
    all.reduce((order, key) => order || compare(valueIn(key, one), valueIn(key, other), key.descending), 0);
}

function compare(one: unknown = null, other: unknown = null, descending = false): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  return (one as string) < (other as string) === descending ? 1 : -1;
}

/**
 * How many elements of a list a record is found by, such as tags: each is two write units, and up to four for a change
 * of all of them. A release with another number needs an index of another name: a record is in the sets of what these
 * are, and not of what they were.
 */
const MOST_ELEMENTS = 20;

/** A field's texts: of a list the first distinct elements; none of null. */
export function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return [...new Set(value.map(String))].slice(0, MOST_ELEMENTS);
  return value === undefined || value === null ? [] : [String(value)];
}

/** How entries of indexes are stored. */

/** What a record has in an index: a bit in a set, or an item with its number in the sort key. */
export type Entry = BitEntry | ItemEntry;

export interface BitEntry {
  readonly field: string;
  readonly value: string;
}

interface ItemEntry {
  /** The end of the partition key: `WORDS#3`. */
  readonly items: string;
  readonly text: string;
  /** What the item says of the record, besides its key. */
  readonly attributes?: Item;
}

/** A name that equal entries share. */
export const entryName = (entry: Entry): string =>
  'items' in entry ? `${entry.items}${END}${entry.text}` : `${entry.field}=${entry.value}`;

/** Between text and number. No text contains it, so that a text cannot match the number of another. */
export const END = '\n';

/** Partition of the items of an index: `ORG#<tenant>#CLIENT#WORDS#3`. */
export const itemsPartition = (list: string, items: string): string => `${list}#${items}`;

const ENTRY = new RegExp(`^([^${END}]*)${END}([0-9a-f]{12})$`);

/** The parsed sort key of such an item; undefined for a key that is no entry's. */
export function entryIn(sortKey: string): { readonly text: string; readonly number: number } | undefined {
  const [, text, number] = ENTRY.exec(sortKey) ?? [];
  return text === undefined || number === undefined ? undefined : { text, number: numberIn(number) };
}

/** Bounds of sort keys: up to a text's entries, and before them. `\v` follows {@link END}. */
export const upToText = (text: string): string => `${text}\v`;
export const beforeText = (text: string): string => `${text}${END}`;
/** All entries with a text, and those without. */
export const WITH_TEXT = { from: '\v', to: '\u{10FFFF}' } as const;
export const WITHOUT_TEXT = { from: END, to: '\v' } as const;

/** The entries that are not among the others. */
export const without = <E>(entries: readonly E[], others: readonly E[], isOne: (one: E, other: E) => boolean): E[] =>
  entries.filter((entry) => !others.some((other) => isOne(entry, other)));
