import { hash } from 'node:crypto';
import { numberOf } from '../ids.ts';
import type { Item, Key } from '../schema.ts';
import {
  beforeText,
  type Finder,
  isRange,
  type ListIndex,
  type Lookup,
  namesIn,
  QUERY,
  textsOf,
  upToText,
  type Where,
  WITH_TEXT,
} from './list-index.ts';

/**
 * A set for each value of a field, or of its elements, but null.
 * @example setIndex('status', () => false)
 * @param isOpen whether callers choose the values
 */
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
export const storedFlag = (isTrue: boolean): true | null => isTrue || null;

/**
 * The records of which a rule is true, as "over its threshold" is. They are stored with it, so that a number is in the
 * set of what is stored, also after a release that does not know the flag.
 * @example flagIndex('is_over_threshold', ({ usage, threshold }) => usage > threshold)
 * @example flagIndex('has_open_tickets', { counter: 'open_tickets' })
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

/**
 * All records by a time or date, for sorting and ranges. Another record may move it without a new version.
 * @example orderIndex('last_message_at')
 */
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
      if (!isRange(where) || where.field !== field) return undefined;
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
const hashOf = (value: string): string => hash('sha256', value, 'base64url');

/** Attribute of an entry: the id of its record. */
export const HOLDER = 'holder';

/** The only text that is wanted of a field. */
const wantedIn = (where: Where, field: string): string | undefined =>
  'anyOf' in where && where.field === field && where.anyOf.length === 1 && typeof where.anyOf[0] === 'string'
    ? where.anyOf[0]
    : undefined;

/** Few records by the exact value of a field, which need not be unique. @example exactIndex('external_id') */
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

const QUEUE_MARK = '@';

const queueItems = (field: string): string => `${field}#QUEUE`;

/**
 * The records that wait for something, by the text of a field: those without one have no entry. No list is found by it.
 * @example queueIndex('waits_for') // 'restart 2026-11-20T09:30:00.000Z'
 */
export const queueIndex = (field: string): ListIndex => ({
  name: `${field}${QUEUE_MARK}`,
  field,
  items: [queueItems(field)],
  entriesOf: ({ [field]: value, id }) =>
    textsOf(value).map((text) => ({ items: queueItems(field), text, attributes: { [HOLDER]: id } })),
  answerTo: () => undefined,
});

/** The index of another release. */
export const queueNamed = (name: string): ListIndex | undefined =>
  name.endsWith(QUEUE_MARK) ? queueIndex(name.slice(0, -QUEUE_MARK.length)) : undefined;

/** An item that names the only record with a value. */
interface NamingItem {
  readonly key: Key;
  /** Its attribute with the record's id. */
  readonly id: string;
}

/**
 * The only record with a value: a separate item names it, such as a claim.
 * @example claimedField('slug', (slug) => ({ key: { PK: 'SLUGS', SK: slug }, id: 'holder' }))
 * @param normalize as values are compared
 */
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

/** A word that a caller wants. */
interface WantedWord {
  /** A word of the record begins with one of these; */
  readonly words: readonly string[];
  /** or a claim of the record with one of these. */
  readonly claims: readonly string[];
}

/** How texts become words, and which find which. */
interface Language {
  /** The words of a record's texts. @param claims further texts by which it is found, which each entry carries too */
  readonly wordsOf: (texts: readonly string[], claims: readonly string[]) => readonly string[];
  /** The words of a query, those first that the fewest records have. */
  readonly wantedWords: (query: string) => readonly WantedWord[];
  readonly isFound: (wanted: WantedWord, words: readonly string[], claims: readonly string[]) => boolean;
}

/** A unique field by whose claims records are found too. */
interface ClaimedField {
  readonly field: string;
  readonly normalize: (value: string) => string;
  /** Partition of the claims: items with the value as their sort key, and the record's id as `holder`. */
  readonly partition: string;
}

interface Searched {
  readonly fields: readonly string[];
  readonly claimed: () => readonly ClaimedField[];
  readonly language: Language;
  readonly isLeftOut?: (() => boolean) | undefined;
}

const NAME = 'words~';

/**
 * Words are in so many partitions, by their first characters: one takes 1,000 write units a second, and a record has
 * many words. A prefix is in one of them.
 */
const PARTITIONS = Array.from({ length: 16 }, (_, index) => `WORDS#${index.toString(16)}`);
const itemsOf = (text: string): string => PARTITIONS[(text.codePointAt(0) ?? 0) % PARTITIONS.length] ?? '';

/** Attribute of a record: a digest of its texts, and the words that have an entry, each in a line. */
const WORDS = 'WORDS';

/** Attributes of an entry: its record's words, one a line, and claims. So it decides for several wanted words. */
const TEXTS = 'TEXTS';
const CLAIMS = 'CLAIMS';

/** Most entries of a word that are read: about 80 read units. */
const MOST_TEXTS = 2_000;

/** Characters of a digest: 66 bits. */
const DIGEST = 11;

/**
 * The words of some fields. A record notes the words that have an entry, with a digest of its texts: when these change,
 * the entries of the words that it notes are deleted, even if another release has found other words in the same texts.
 * @example wordsIndex({ fields: ['name', 'notes'], claimed: () => [], language: { wordsOf, wantedWords, isFound } })
 */
export function wordsIndex({ fields, claimed, language, isLeftOut }: Searched): ListIndex {
  const claimsIn = (record: Item): readonly string[] =>
    claimed().flatMap(({ field, normalize }) => {
      const value = record[field];
      return typeof value === 'string' ? [normalize(value)] : [];
    });
  const textsIn = (record: Item): readonly string[] =>
    fields.map((field) => record[field]).filter((text) => typeof text === 'string');
  const wordsOf = (record: Item): readonly string[] => {
    const claims = claimsIn(record);
    return language.wordsOf([...textsIn(record), ...claims.map(furtherOf)], claims);
  };
  const lookupOf = (wanted: WantedWord): Lookup => ({
    ranges: [
      ...wanted.words.map((prefix) => ({ items: itemsOf(prefix), keys: { prefix } })),
      ...claimed().flatMap(({ partition }) =>
        wanted.claims.map((prefix) => ({ partition, keys: { prefix }, numberOf: numberOfClaim })),
      ),
    ],
    most: MOST_TEXTS,
    isFoundBy: ({ [TEXTS]: texts, [CLAIMS]: claims = [] }) =>
      typeof texts === 'string' ? language.isFound(wanted, texts.split('\n'), claims as readonly string[]) : undefined,
  });
  return {
    name: NAME,
    field: QUERY,
    items: PARTITIONS,
    isInAdvance: true,
    movable: [WORDS],
    isLeftOut,
    entriesOf: (item) => {
      const words = wordsIn(item);
      const claims = claimsIn(item);
      const attributes = { [TEXTS]: words.join('\n'), ...(claims.length === 0 ? {} : { [CLAIMS]: claims }) };
      return words.map((text) => ({ items: itemsOf(text), text, attributes }));
    },
    notesOf: (item, by) => {
      const texts = textsIn(item);
      const claims = claimsIn(item);
      const digest = hashOf(JSON.stringify([texts, claims])).slice(0, DIGEST);
      const own = namesIn(item).includes(NAME) ? String(item[WORDS] ?? '') : undefined;
      if (by === 'change' && own?.slice(0, DIGEST) === digest) return {};
      const words = [digest, ...wordsOf(item)].join('\n');
      return words === own ? {} : { [WORDS]: words };
    },
    answerTo: (where) => ('words' in where ? { lookups: language.wantedWords(where.words).map(lookupOf) } : undefined),
    matcherOf: (where) => {
      const all = 'words' in where ? language.wantedWords(where.words) : [];
      return (item) => {
        // A record that is older than the index has no note.
        const words = namesIn(item).includes(NAME) ? wordsIn(item) : wordsOf(item);
        return all.every((wanted) => language.isFound(wanted, words, claimsIn(item)));
      };
    },
  };
}

/** The words under which a record stands, as it notes them. */
const wordsIn = (record: Item): readonly string[] =>
  String(record[WORDS] ?? '')
    .split('\n')
    .slice(1);

/** The part of a claim behind its first blank, as in a ticket code `WEB 17`: its words begin no claim. */
const furtherOf = (claim: string): string => claim.split(/\s/u).slice(1).join(' ');

const numberOfClaim = ({ holder }: Item): number => numberOf(String(holder));

/** The index of another release: its entries are those that records note. */
export const wordsNamed = (name: string): ListIndex | undefined => (name === NAME ? OF_OTHERS : undefined);

const { notesOf: _, ...OF_OTHERS } = wordsIndex({
  fields: [],
  claimed: () => [],
  language: { wordsOf: () => [], wantedWords: () => [], isFound: () => false },
});
