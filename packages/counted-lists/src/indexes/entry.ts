import { bitPlace } from '../bits.ts';
import { numberIn, sortKeyOf } from '../ids.ts';
import type { Item, Key } from '../schema.ts';
import * as storedSets from '../stored-sets.ts';

/** How entries of indexes are stored. */

/** What a record has in an index: the bit of its number in a set, or an item of its own with its number in the sort key. */
export type Entry = BitEntry | ItemEntry;

export interface BitEntry {
  readonly field: string;
  readonly value: string;
}

interface ItemEntry {
  /** The end of the partition key: `WORDS#3`. */
  readonly items: string;
  readonly text: string;
  /** What the item says of the record, besides its key. */
  readonly attributes?: Item;
}

/** What is the same for an entry and another one in its place. */
export const entryName = (entry: Entry): string =>
  'items' in entry ? `${entry.items}${END}${entry.text}` : `${entry.field}=${entry.value}`;

/** The item of an entry. @param list partition of the records */
export const keyOfEntry = (list: string, entry: Entry, number: number): Key =>
  'items' in entry
    ? { PK: itemsPartition(list, entry.items), SK: `${entry.text}${END}${sortKeyOf(number)}` }
    : { PK: storedSets.partitionOf(list, entry.field, entry.value), SK: bitPlace(number).sortKey };

/** Between text and number. No text contains it, so that a text cannot match the number of another. */
const END = '\n';

/** Partition of the items of an index: `ORG#<tenant>#CLIENT#WORDS#3`. */
export const itemsPartition = (list: string, items: string): string => `${list}#${items}`;

const ENTRY = new RegExp(`^([^${END}]*)${END}([0-9a-f]{12})$`);

/** The parsed sort key of such an item; undefined for a key that is no entry's. */
export function entryIn(sortKey: string): { readonly text: string; readonly number: number } | undefined {
  const [, text, number] = ENTRY.exec(sortKey) ?? [];
  return text === undefined || number === undefined ? undefined : { text, number: numberIn(number) };
}

/** Bounds of the sort keys of entries: from those of a text on, up to those of one, and before them. `\v` follows on {@link END}. */
export const fromText = (text: string): string => text;
export const upToText = (text: string): string => `${text}\v`;
export const beforeText = (text: string): string => `${text}${END}`;
/** All entries with a text, and those without. */
export const WITH_TEXT = { from: '\v', to: '\u{10FFFF}' } as const;
export const WITHOUT_TEXT = { from: END, to: '\v' } as const;

/** The entry that an item of an index is, and its number; undefined for an item that is none. @param list partition of the records */
export function entryOfItem(list: string, item: Item): { readonly number: number; readonly entry: Entry } | undefined {
  const { PK, SK, WRITE_ID: _, AT: __, ...attributes } = item;
  const found = entryIn(String(SK));
  if (found === undefined) return undefined;
  const entry = { items: String(PK).slice(list.length + 1), text: found.text };
  return { number: found.number, entry: Object.keys(attributes).length === 0 ? entry : { ...entry, attributes } };
}

/** Those that none of the others is. */
export const without = <E>(entries: readonly E[], others: readonly E[], isOne: (one: E, other: E) => boolean): E[] =>
  entries.filter((entry) => !others.some((other) => isOne(entry, other)));
