import { hash } from 'node:crypto';
import { numberOf } from '../ids.ts';
import type { Item, Key } from '../schema.ts';
import { upToText } from './entry.ts';
import type { Finder, ListIndex } from './list-index.ts';
import { textsOf, type Where } from './where.ts';

const MARK = '=';

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
    name: `${field}${MARK}`,
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
  name.endsWith(MARK) ? exactIndex(name.slice(0, -MARK.length)) : undefined;
