import { TooManyMatches } from './errors.ts';
import { numberIn, sortKeyOf } from './ids.ts';
import { beginningWith, queryAll } from './queries.ts';
import type { Item, Key } from './schema.ts';
import type { Table } from './table.ts';
import type { UnitOfWork } from './transaction/unit-of-work.ts';

/**
 * Records by the prefix of a text: an item for each record, with the folded text and the record's number in its sort key
 * (`docs/decisions/0170-filters.md`).
 */

/** Most texts with one prefix that are read: about 50 read units. */
export const MOST_MATCHES = 2_000;

/** Between text and number. No folded text contains it, so that a text cannot match the number of another. */
const END = '\n';

/** A text of a record, in an index. */
interface IndexEntry {
  /** Of the records. */
  readonly partition: string;
  readonly field: string;
  /** Folded. */
  readonly text: string;
  readonly number: number;
}

/** Partition of the index of a field: `ORG#<tenant>#CLIENT#name#PREFIX`. */
export const partitionOf = (list: string, field: string): string => `${list}#${field}#PREFIX`;

export const entryKey = ({ partition, field, text, number }: IndexEntry): Key => ({
  PK: partitionOf(partition, field),
  SK: `${text}${END}${sortKeyOf(number)}`,
});

const ENTRY = new RegExp(`^([^${END}]*)${END}([0-9a-f]{12})$`);

/** The parsed sort key of an index; undefined for a key that is no entry's. */
export function entryIn(sortKey: string): Pick<IndexEntry, 'text' | 'number'> | undefined {
  const [, text, number] = ENTRY.exec(sortKey) ?? [];
  return text === undefined || number === undefined ? undefined : { text, number: numberIn(number) };
}

/** Stages an entry. Its key has the record's number, and the record's own condition is in the same transaction. */
export const stageIndexed = (work: UnitOfWork, entry: IndexEntry): void =>
  work.put({ ...entryKey(entry) }, unexpected, {});

export const stageUnindexed = (work: UnitOfWork, entry: IndexEntry): void =>
  work.delete(entryKey(entry), {}, unexpected);

const unexpected = (): Error => new Error('a write without a condition was refused');

/** Items that have texts as sort keys, such as the claims of a unique field. */
interface Texts {
  readonly partition: string;
  /** The number of the record that an item is about. */
  readonly numberOf: (item: Item) => number;
}

/** Where to look for texts with a prefix: in the list's own index of a field, or in other items. */
export type TextRange = { readonly index: string } | Texts;

const textsOf = (list: string, range: TextRange): Texts =>
  'index' in range
    ? { partition: partitionOf(list, range.index), numberOf: ({ SK }) => entryIn(String(SK))?.number ?? 0 }
    : range;

/**
 * The numbers of the records that have a text with this prefix. Strongly consistent.
 * @throws TooManyMatches when there are more than {@link MOST_MATCHES}
 */
export async function readNumbersByPrefix(
  table: Table,
  list: string,
  range: TextRange,
  prefix: string,
): Promise<number[]> {
  const { partition, numberOf } = textsOf(list, range);
  const items = await queryAll(table, beginningWith(partition, prefix), MOST_MATCHES + 1);
  if (items.length > MOST_MATCHES) throw new TooManyMatches(MOST_MATCHES);
  return items.map(numberOf);
}
