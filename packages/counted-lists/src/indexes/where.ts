import { type Item, KEYS } from '../schema.ts';

/** A value of a field. Null: it has none. */
export type Scalar = string | number | boolean | null;

/** What the records of a list have. Of several, all must hold. */
export type Where =
  /** Any of some values. */
  | { readonly field: string; readonly anyOf: readonly Scalar[] }
  /** All of some elements of a list, such as tags. */
  | { readonly field: string; readonly allOf: readonly string[] }
  | Range
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

/**
 * Compares records by some keys: null after all values, whichever the direction, and records that are alike by their numbers, in the direction of the
 * first key.
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
 * How many elements of a list a record is found by, such as tags: each is two write units, and up to four for a change of all of them. A release with
 * another number needs an index of another name: a record is in the sets of what these are, and not of what they were.
 */
const MOST_ELEMENTS = 20;

/** A field's texts: of a list the first distinct elements; none of null. */
export function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return [...new Set(value.map(String))].slice(0, MOST_ELEMENTS);
  return value === undefined || value === null ? [] : [String(value)];
}
