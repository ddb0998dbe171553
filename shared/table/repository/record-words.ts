import type { Item } from '#lists';
import { wordsOf } from '../../words.ts';
import { HOLDER, hashOf, notedIn, valueAttributesOf, WORDS, WORDS_INDEX, wordsIn } from './list-indexes.ts';

/**
 * The words of records, by which they are found in their list (`q`). A record keeps the words that have an entry, and a digest of its texts: when
 * these change, the entries of the words that it keeps are deleted, even if another release has found other words in the same texts.
 */

export { WORDS_INDEX } from './list-indexes.ts';

/** An entity's declarations about words (`entity.ts`). */
interface Searched {
  readonly words: readonly string[];
  readonly isWithoutWords?: (() => boolean) | undefined;
  readonly unique: Readonly<Record<string, ((value: string) => string) | undefined>>;
}

/** Attributes of an entry: all words of its record, each in a line, and its claims. So one entry decides whether several words find the record. */
const TEXTS = 'TEXTS';
const CLAIMS = 'CLAIMS';

/** The unique fields by whose claims records are found too. */
export const claimedFieldsOf = ({ words, unique }: Searched): readonly string[] =>
  words.length === 0 ? [] : Object.keys(unique).filter((field) => !words.includes(field));

/** The values of these fields, as they are claimed. */
export const claimsIn = (entity: Searched, record: Item): readonly string[] =>
  claimedFieldsOf(entity).flatMap((field) => {
    const value = record[field];
    return typeof value === 'string' ? [entity.unique[field]?.(value) ?? value] : [];
  });

/**
 * The words that a record is to note, as attributes to change; none where it notes those of its texts.
 * @param record its fields after a change, and what it has noted before
 */
export function wordsToNote(entity: Searched, record: Item): Item {
  const isNoted = notedIn(record).includes(WORDS_INDEX);
  if (entity.words.length === 0 || (entity.isWithoutWords?.() && !isNoted)) return {};
  const texts = entity.words.map((field) => record[field]).filter((text) => typeof text === 'string');
  const claims = claimsIn(entity, record);
  const digest = hashOf(JSON.stringify([texts, claims])).slice(0, DIGEST);
  if (isNoted && digestIn(record) === digest) return {};
  return { [WORDS]: [digest, ...wordsOf([...texts, ...claims.map(furtherOf)], claims)].join('\n') };
}

/** What of a claim is behind its first blank, as in a ticket code `WEB 17`: its words begin no claim. */
const furtherOf = (claim: string): string => claim.split(/\s/u).slice(1).join(' ');

/** Characters of a digest: 66 bits. */
const DIGEST = 11;

const digestIn = (record: Item): string => String(record[WORDS] ?? '').slice(0, DIGEST);

/** The same, also where the record's texts are as they were and this release finds other words in them. */
export function wordsToCorrect(entity: Searched, record: Item): Item {
  const { [WORDS]: _, ...unnoted } = record;
  const right = wordsToNote(entity, unnoted);
  return right[WORDS] === record[WORDS] ? {} : right;
}

/** The attribute that a write of a record with words expects as read: others may change it without a new version. */
export const wordsAsRead = (item: Item): Item => (item[WORDS] === undefined ? {} : { [WORDS]: item[WORDS] });

/** The attributes of a record's entries in an index, but for their keys. */
export function entryAttributesOf(entity: Searched, index: string, record: Item | undefined): Item {
  if (record === undefined) return {};
  if (index !== WORDS_INDEX) return valueAttributesOf(index, record) ?? {};
  const claims = claimsIn(entity, record);
  return { [TEXTS]: wordsIn(record).join('\n'), ...(claims.length === 0 ? {} : { [CLAIMS]: claims }) };
}

/** The attributes that an entry has of these. */
export const entryAttributesIn = (entry: Item): Item =>
  Object.fromEntries(
    [TEXTS, CLAIMS, HOLDER].filter((name) => entry[name] !== undefined).map((name) => [name, entry[name]]),
  );

/** What such an entry says of its record; undefined for another item. */
export function textsIn(
  entry: Item,
): { readonly words: readonly string[]; readonly claims: readonly string[] } | undefined {
  const { [TEXTS]: texts, [CLAIMS]: claims = [] } = entry;
  return typeof texts === 'string' ? { words: texts.split('\n'), claims: claims as readonly string[] } : undefined;
}
