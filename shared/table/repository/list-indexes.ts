import type { Item } from '#lists';

/**
 * The indexes of a record, as its `SETS` and the counter item's `FILTERS` name them: a filter field, which has sets of
 * numbers; `status+`, the summaries of the sets of the field `status`; or `words~`, the words
 * of the texts by which it is searched (`record-words.ts`).
 */

/** The index of words. */
export const WORDS_INDEX = 'words~';
const SUMMARY = '+';

/** An entity's declarations about its lists (`entity.ts`). */
interface Listed {
  readonly filters: readonly string[];
  readonly summaries: readonly string[];
  readonly words: readonly string[];
  readonly isWithoutWords?: (() => boolean) | undefined;
}

export const summaryIndexOf = (field: string): string => `${field}${SUMMARY}`;

/** The field whose sets an index summarizes; undefined for another index. */
export const summaryFieldOf = (index: string): string | undefined =>
  index.endsWith(SUMMARY) ? index.slice(0, -SUMMARY.length) : undefined;

/** The partition of an index that has entries of texts (`lists/text-index.ts`), without the list's; undefined for an index with sets. */
export const entriesOf = (index: string): string | undefined => (index === WORDS_INDEX ? 'WORDS' : undefined);

/**
 * The indexes of an entity's records.
 * @param which those that records enter, or all that are declared
 */
export function indexesOf(entity: Listed, which: 'entered' | 'declared' = 'entered'): readonly string[] {
  const omitted = which === 'declared' ? [] : omittedIndexesOf(entity);
  const words = entity.words.length === 0 ? [] : [WORDS_INDEX];
  return [...entity.filters, ...entity.summaries.map(summaryIndexOf), ...words].filter(
    (index) => !omitted.includes(index),
  );
}

/** The indexes that a setting of the stage leaves out: no record enters them any more. */
export const omittedIndexesOf = ({ isWithoutWords }: Listed): readonly string[] =>
  isWithoutWords?.() === true ? [WORDS_INDEX] : [];

/** Attribute of a record: what it is listed by, separated by spaces. */
export const SETS = 'SETS';

/** The fields whose sets contain a record's number, according to its `SETS`. */
export const notedIn = (record: Item | undefined): string[] =>
  String(record?.[SETS] ?? '')
    .split(' ')
    .filter((field) => field !== '');

/** The `SETS` attribute of a record that is in the sets of these fields. */
export const noteOf = (fields: readonly string[]): Item => (fields.length === 0 ? {} : { [SETS]: fields.join(' ') });

/** The distinct values under which an index has a record; none where the record is not in it. */
export function indexedValuesIn(record: Item | undefined, index: string): readonly string[] {
  return index === WORDS_INDEX ? wordsIn(record) : textsOf(record?.[summaryFieldOf(index) ?? index]);
}

/** Attribute of a record: a digest of its texts, and the words that have an entry, each in a line. */
export const WORDS = 'WORDS';

/** The words under which a record stands, as it notes them. */
export const wordsIn = (record: Item | undefined): readonly string[] =>
  String(record?.[WORDS] ?? '')
    .split('\n')
    .slice(1);

/**
 * How many elements of a list a record is found by, such as tags: each is two write units, and up to four for a change of all of them. A release with
 * another number needs an index of another name: a record is in the sets of what these are, and not of what they were.
 */
const MOST_ELEMENTS = 20;

/** The names of the sets of a field's value: of a list the first distinct elements; none for null, which has no set. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return [...new Set(value.map(String))].slice(0, MOST_ELEMENTS);
  return value === undefined || value === null ? [] : [String(value)];
}
