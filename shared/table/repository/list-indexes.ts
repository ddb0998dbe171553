import { hash } from 'node:crypto';
import type { Item } from '#lists';

/**
 * The indexes of a record, as its `SETS` and the counter item's `FILTERS` name them: a filter field, which has sets of
 * numbers; `external_id=`, the entries of the field's value; `words~`, the words of the texts by which it is searched
 * (`record-words.ts`); or `last_activity_at>`, the order by that time.
 */

/** The index of words. */
export const WORDS_INDEX = 'words~';
const VALUE = '=';
const ORDER = '>';

/** An entity's declarations about its lists (`entity.ts`). */
interface Listed {
  readonly filters: readonly string[];
  readonly words: readonly string[];
  readonly isWithoutWords?: (() => boolean) | undefined;
  readonly exact: Readonly<Record<string, unknown>>;
  readonly orders: readonly string[];
}

/** The field of the indexes with a mark; undefined for another index. */
const fieldBefore =
  (mark: string) =>
  (index: string): string | undefined =>
    index.endsWith(mark) ? index.slice(0, -mark.length) : undefined;

/** The index of the values of a field that are found by entries (`exact-values.ts`). */
export const valueIndexOf = (field: string): string => `${field}${VALUE}`;

export const valueFieldOf = fieldBefore(VALUE);

export const orderIndexOf = (field: string): string => `${field}${ORDER}`;

const orderFieldOf = fieldBefore(ORDER);

/** The partitions of indexes that have entries of texts (`lists/text-index.ts`), without the list's: of words, of a field's values, of an order. */
export const WORD_ENTRIES = 'WORDS';
export const valueEntriesOf = (field: string): string => `${field}#VALUE`;
export const orderEntriesOf = (field: string): string => `${field}#ORDER`;

/** That of an index; undefined for one with sets. */
export function entriesOf(index: string): string | undefined {
  const [field, ordered] = [valueFieldOf(index), orderFieldOf(index)];
  if (field !== undefined) return valueEntriesOf(field);
  if (ordered !== undefined) return orderEntriesOf(ordered);
  return index === WORDS_INDEX ? WORD_ENTRIES : undefined;
}

/**
 * The indexes of an entity's records.
 * @param which those that records enter, or all that are declared
 */
export function indexesOf(entity: Listed, which: 'entered' | 'declared' = 'entered'): readonly string[] {
  const omitted = which === 'declared' ? [] : omittedIndexesOf(entity);
  const words = entity.words.length === 0 ? [] : [WORDS_INDEX];
  const values = hashedFieldsOf(entity).map(valueIndexOf);
  const orders = entity.orders.map(orderIndexOf);
  return [...entity.filters, ...values, ...words, ...orders].filter((index) => !omitted.includes(index));
}

/** The indexes that a setting of the stage leaves out: no record enters them any more. */
export const omittedIndexesOf = ({ isWithoutWords }: Listed): readonly string[] =>
  isWithoutWords?.() === true ? [WORDS_INDEX] : [];

/** Attribute of an entry of a value: the id of its record. */
export const HOLDER = 'holder';

/** The attributes of an entry of a value, besides its key. */
export const valueAttributesOf = (index: string, record: Item): Item | undefined =>
  valueFieldOf(index) === undefined ? undefined : { [HOLDER]: record.id };

/** The id of an entry's record. */
export const holderIn = ({ [HOLDER]: id }: Item): string => String(id);

/** The fields whose values have entries. */
export const hashedFieldsOf = ({ exact }: Pick<Listed, 'exact'>): readonly string[] =>
  Object.keys(exact).filter((field) => exact[field] === 'hashed');

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
  if (index === WORDS_INDEX) return wordsIn(record);
  const [field, ordered] = [valueFieldOf(index), orderFieldOf(index)];
  if (field !== undefined) return textsOf(record?.[field]).map(hashOf);
  // An order has every record: those without a time come before all times.
  if (ordered !== undefined) return record === undefined ? [] : [textsOf(record[ordered])[0] ?? ''];
  return textsOf(record?.[index]);
}

/** Of a value of any length, as it is in an entry or a claim. */
export const hashOf = (value: string): string => hash('sha256', value, 'base64url');

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
