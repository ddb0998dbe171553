import { numberOf } from '../ids.ts';
import type { Item } from '../schema.ts';
import { hashOf } from './field-indexes.ts';
import { type ListIndex, type Lookup, namesIn, QUERY } from './list-index.ts';

/** A word that a caller wants. */
interface WantedWord {
  /** A word of the record begins with one of these; */
  readonly words: readonly string[];
  /** or a claim of the record with one of these. */
  readonly claims: readonly string[];
}

/** How texts become words, and which find which. */
export interface Language {
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
  /** Of the claims: items with the value as their sort key, and the record's id as `holder`. */
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

/** Attributes of an entry: all words of its record, each in a line, and its claims. So one entry decides whether several words find the record. */
const TEXTS = 'TEXTS';
const CLAIMS = 'CLAIMS';

/** Most entries of a word that are read: about 80 read units. */
const MOST_TEXTS = 2_000;

/** Characters of a digest: 66 bits. */
const DIGEST = 11;

/**
 * The words of some fields. A record notes the words that have an entry, with a digest of its texts: when these change,
 * the entries of the words that it notes are deleted, even if another release has found other words in the same texts.
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

/** What of a claim is behind its first blank, as in a ticket code `WEB 17`: its words begin no claim. */
const furtherOf = (claim: string): string => claim.split(/\s/u).slice(1).join(' ');

const numberOfClaim = ({ holder }: Item): number => numberOf(String(holder));

/** The index of another release: its entries are those that records note. */
export const wordsNamed = (name: string): ListIndex | undefined => (name === NAME ? OF_OTHERS : undefined);

const { notesOf: _, ...OF_OTHERS } = wordsIndex({
  fields: [],
  claimed: () => [],
  language: { wordsOf: () => [], wantedWords: () => [], isFound: () => false },
});
