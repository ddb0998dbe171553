import { TooManyMatches } from './errors.ts';
import { numberIn, sortKeyOf } from './ids.ts';
import { beginningWith, between, queryAll } from './queries.ts';
import type { Item, Key } from './schema.ts';
import type { Table } from './table.ts';
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
}

/** Partition of an index of a list: `name#PREFIX` is in `ORG#<tenant>#CLIENT#name#PREFIX`. */
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

/** Where to look for texts: in an index of the list, by the rest of its partition key, or in other items. */
type TextRange = { readonly index: string } | Texts;

/** Which texts: those that begin with one, or those from the first to the last, inclusive. */
type WantedTexts = { readonly prefix: string } | { readonly from: string; readonly to: string };

/** The records that have any of some texts: the union of ranges. */
export interface Lookup {
  /** The API's name of the parameter, for errors. */
  readonly name: string;
  readonly ranges: readonly { readonly in: TextRange; readonly texts: WantedTexts }[];
  /** Most texts that are read of a range. */
  readonly most: number;
  /** The indexes among the ranges, as the counter item names them. */
  readonly indexes: readonly string[];
}

/**
 * The numbers of the records that a lookup finds. Strongly consistent.
 * @throws TooManyMatches when a range has more texts than the lookup reads
 */
export async function readNumbers(table: Table, list: string, { ranges, most }: Lookup): Promise<number[]> {
  const read = ranges.map(async ({ in: range, texts }) => {
    const { partition, numberOf } = textsOf(list, range);
    const query = 'prefix' in texts ? beginningWith(partition, texts.prefix) : between(partition, boundsOf(texts));
    const items = await queryAll(table, query, most + 1);
    if (items.length > most) throw new TooManyMatches(most);
    return items.map(numberOf);
  });
  return (await Promise.all(read)).flat();
}

const textsOf = (list: string, range: TextRange): Texts =>
  'index' in range
    ? { partition: partitionOf(list, range.index), numberOf: ({ SK }) => entryIn(String(SK))?.number ?? 0 }
    : range;

/** Sort keys. `\v` follows on {@link END}: all entries of the last text are in the range. */
const boundsOf = ({ from, to }: { readonly from: string; readonly to: string }) => [from, `${to}\v`] as const;
