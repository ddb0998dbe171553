import { hash } from 'node:crypto';
import { numberOf } from '../ids.ts';
import type { Item, Key } from '../schema.ts';
import {
  beforeText,
  type Finder,
  type ListIndex,
  namesIn,
  textsOf,
  upToText,
  type Where,
  WITH_TEXT,
} from './list-index.ts';

/** A set for each value of a field, or of its elements. Null has none. @param isOpen whether callers choose the values */
export const setIndex = (field: string, isOpen: () => boolean): ListIndex => ({
  name: field,
  field,
  isOpen,
  entriesOf: (item) => textsOf(item[field]).map((value) => ({ field, value })),
  answerTo: (where) => {
    if ('words' in where || where.field !== field) return undefined;
    const setOf = (anyOf: readonly string[]) => ({ field, anyOf, isExcluded: false });
    if ('allOf' in where) return { sets: where.allOf.map((value) => setOf([value])) };
    if (!('anyOf' in where) || where.anyOf.includes(null)) return undefined;
    return { sets: [setOf([...new Set(where.anyOf.map(String))])] };
  },
});

/**
 * When a flag is true: by the record's own fields, or where one of its counters is more than 0. Counters change without
 * being read, and their flags with them.
 */
type FlagRule = ((item: never) => boolean) | { readonly counter: string };

export interface FlagIndex extends ListIndex {
  /** The counter that it follows. */
  readonly counter?: string;
}

/** The only value that has a set: the other records are all without these. */
const TRUE = 'true';

/** A flag as it is stored. */
const storedFlag = (isTrue: boolean): true | null => isTrue || null;

/**
 * The records of which a rule is true, as "over its threshold" is. They are stored with it, so that a number is in the
 * set of what is stored, also after a release that does not know the flag.
 */
export function flagIndex(field: string, rule: FlagRule): FlagIndex {
  const counter = typeof rule === 'function' ? undefined : rule.counter;
  const isTrue = (item: Item): boolean =>
    typeof rule === 'function' ? rule(item as never) : Number(item[rule.counter] ?? 0) > 0;
  return {
    name: field,
    field,
    ...(counter === undefined ? {} : { counter }),
    movable: counter === undefined ? [field] : [field, counter],
    entriesOf: (item) => (item[field] === true ? [{ field, value: TRUE }] : []),
    notesOf: (item, by) => {
      if (by === 'verification' && counter !== undefined && namesIn(item).includes(field)) return {};
      const flag = storedFlag(isTrue(item));
      return flag === (item[field] ?? null) ? {} : { [field]: flag };
    },
    answerTo: (where) => {
      if ('words' in where || where.field !== field || !('anyOf' in where) || new Set(where.anyOf).size > 1)
        return undefined;
      return { sets: [{ field, anyOf: [TRUE], isExcluded: where.anyOf[0] !== true }] };
    },
    shownIn: isTrue,
    matcherOf: (where) => (item) => 'anyOf' in where && where.anyOf.includes(isTrue(item)),
  };
}

const ORDER_MARK = '>';

/** Most records in a range: 1 MB of an order, 275 read units. */
const MOST_IN_RANGE = 10_000;

/** All records by a time or date, by which their list is sorted and cut to a range. Another record may move it without a new version. */
export function orderIndex(field: string): ListIndex {
  const items = `${field}#ORDER`;
  const textOf = (item: Readonly<Record<string, unknown>>): string => textsOf(item[field])[0] ?? '';
  return {
    name: `${field}${ORDER_MARK}`,
    field,
    items: [items],
    isInAdvance: true,
    movable: [field],
    order: { field, items, textOf },
    entriesOf: (item) => [{ items, text: textOf(item) }],
    answerTo: (where) => {
      if ('words' in where || where.field !== field || 'anyOf' in where || 'allOf' in where) return undefined;
      const { from, before, upTo } = where;
      const end = before === undefined ? upTo && upToText(String(upTo)) : beforeText(String(before));
      const keys = { from: String(from ?? WITH_TEXT.from), to: String(end ?? WITH_TEXT.to) };
      return { lookups: [{ ranges: [{ items, keys }], most: MOST_IN_RANGE }] };
    },
  };
}

/** The index of another release. */
export const orderNamed = (name: string): ListIndex | undefined =>
  name.endsWith(ORDER_MARK) ? orderIndex(name.slice(0, -ORDER_MARK.length)) : undefined;

const EXACT_MARK = '=';

/** Most records of one value that are found: entries are short, and such a page takes about 50 read units. */
const MOST_RECORDS = 2_000;

/** A value of any length, as it is in an entry. */
export const hashOf = (value: string): string => hash('sha256', value, 'base64url');

/** Attribute of an entry: the id of its record. */
export const HOLDER = 'holder';

/** The only text that is wanted of a field. */
const wantedIn = (where: Where, field: string): string | undefined =>
  'anyOf' in where && where.field === field && where.anyOf.length === 1 && typeof where.anyOf[0] === 'string'
    ? where.anyOf[0]
    : undefined;

/** Few records by the exact value of a field, which need not be unique. */
export function exactIndex(field: string): ListIndex {
  const items = `${field}#VALUE`;
  return {
    name: `${field}${EXACT_MARK}`,
    field,
    items: [items],
    entriesOf: ({ [field]: value, id }) =>
      textsOf(value).map((text) => ({ items, text: hashOf(text), attributes: { [HOLDER]: id } })),
    answerTo: (where) => {
      const wanted = wantedIn(where, field);
      if (wanted === undefined) return undefined;
      const keys = { from: hashOf(wanted), to: upToText(hashOf(wanted)) };
      return { lookups: [{ ranges: [{ items, keys }], most: MOST_RECORDS }] };
    },
  };
}

/** An item that names the only record with a value. */
interface NamingItem {
  readonly key: Key;
  /** Its attribute with the record's id. */
  readonly id: string;
}

/** The only record with a value, which an item of its own names, such as the claim of a unique field. @param normalize as the values are compared */
export const claimedField = (
  field: string,
  itemOf: (value: string) => NamingItem,
  normalize: (value: string) => string = (value) => value,
): Finder => ({
  field,
  answerTo: (where) => {
    const wanted = wantedIn(where, field);
    if (wanted === undefined) return undefined;
    const { key, id } = itemOf(normalize(wanted));
    return { lookups: [{ ranges: [{ key, numberOf: (item: Item) => numberOf(String(item[id])) }], most: 1 }] };
  },
  matcherOf: (where) => {
    const normalized = (value: unknown) => (typeof value === 'string' ? normalize(value) : null);
    const wanted = 'anyOf' in where ? where.anyOf.map(normalized) : [];
    return (item) => wanted.includes(normalized(item[field]));
  },
});

/** The index of another release. */
export const exactNamed = (name: string): ListIndex | undefined =>
  name.endsWith(EXACT_MARK) ? exactIndex(name.slice(0, -EXACT_MARK.length)) : undefined;
