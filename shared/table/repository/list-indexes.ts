import type { Item } from '#lists';
import { folded } from '../../folded.ts';

/**
 * The indexes of a record, as its `SETS` and the counter item's `FILTERS` name them: a filter field, which has sets of
 * numbers; `status+`, the summaries of the sets of the field `status`; or `name^`, the prefix index of the field `name`.
 */

const MARK = '^';
const SUMMARY = '+';

/** An entity's declarations about its lists (`entity.ts`). */
interface Listed {
  readonly filters: readonly string[];
  readonly summaries: readonly string[];
  readonly prefixes: Readonly<Record<string, 'indexed' | 'claimed' | undefined>>;
}

const prefixIndexOf = (field: string): string => `${field}${MARK}`;

/** The field of a prefix index; undefined for another index. */
const prefixFieldOf = (index: string): string | undefined =>
  index.endsWith(MARK) ? index.slice(0, -MARK.length) : undefined;

export const summaryIndexOf = (field: string): string => `${field}${SUMMARY}`;

/** The field whose sets an index summarizes; undefined for another index. */
export const summaryFieldOf = (index: string): string | undefined =>
  index.endsWith(SUMMARY) ? index.slice(0, -SUMMARY.length) : undefined;

/** The partition of an index that has entries of texts (`lists/text-index.ts`), without the list's; undefined for an index with sets. */
export function entriesOf(index: string): string | undefined {
  const field = prefixFieldOf(index);
  return field === undefined ? undefined : `${field}#PREFIX`;
}

/** The prefix indexes that an entity declares. */
export const prefixIndexesOf = ({ prefixes }: Pick<Listed, 'prefixes'>): readonly string[] =>
  Object.entries(prefixes).flatMap(([field, how]) => (how === 'indexed' ? [prefixIndexOf(field)] : []));

/** All indexes of an entity's records. */
export const indexesOf = (entity: Listed): readonly string[] => [
  ...entity.filters,
  ...entity.summaries.map(summaryIndexOf),
  ...prefixIndexesOf(entity),
];

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
  const field = prefixFieldOf(index);
  if (field === undefined) return textsOf(record?.[summaryFieldOf(index) ?? index]);
  return textsOf(record?.[field]).map(folded);
}

/** The names of the sets of a field's value; none for null, which has no set. */
const textsOf = (value: unknown): readonly string[] => (value === undefined || value === null ? [] : [String(value)]);
