import { numberIn, sortKeyOf } from './ids.ts';
import type { Item, Key } from './schema.ts';
import type { UnitOfWork } from './transaction/unit-of-work.ts';

/**
 * Records by their texts: an item for each text of a record, with the text and the record's number in its sort key
 * (`docs/decisions/0170-filters.md`).
 */

/** Between text and number. No text contains it, so that a text cannot match the number of another. */
const END = '\n';

/** A text of a record, in an index. */
interface IndexEntry {
  /** Of the records. */
  readonly partition: string;
  /** The rest of the index's partition key. */
  readonly index: string;
  readonly text: string;
  readonly number: number;
  /** What else it says of its record. */
  readonly attributes?: Item | undefined;
}

/** Partition of an index of a list: `WORDS` is in `ORG#<tenant>#CLIENT#WORDS`. */
export const partitionOf = (list: string, index: string): string => `${list}#${index}`;

export const entryKey = ({ partition, index, text, number }: IndexEntry): Key => ({
  PK: partitionOf(partition, index),
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
  work.put({ ...entry.attributes, ...entryKey(entry) }, unexpected, {});

export const stageUnindexed = (work: UnitOfWork, entry: IndexEntry): void =>
  work.delete(entryKey(entry), {}, unexpected);

const unexpected = (): Error => new Error('a write without a condition was refused');

/** The number of the record that an entry is about. */
export const numberOfEntry = ({ SK }: Item): number => entryIn(String(SK))?.number ?? 0;

/** The sort keys of the entries from the first to the last of these texts, inclusive: `\v` follows on {@link END}. */
export const boundsOf = ({ from, to }: { readonly from: string; readonly to: string }) => [from, `${to}\v`] as const;
