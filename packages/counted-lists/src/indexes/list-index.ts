import type { Item } from '../schema.ts';
import type { Entry } from './entry.ts';
import type { Lookup } from './lookup.ts';
import type { Scalar, Where } from './where.ts';

/** Finds records of a list by a condition. */
export interface Finder {
  readonly field: string;
  /** How it finds them; undefined where it says nothing about the condition. */
  answerTo(where: Where): Answer | undefined;
  /** The value of a record that is shown, where another one is stored. */
  shownIn?(item: Item): Scalar;
  /** Tells whether a record has what is wanted, where its own value of the field does not (`where.ts`). */
  matcherOf?(where: Where): (item: Item) => boolean;
}

/**
 * By what the records of a list are found or sorted. What a record has in an index follows from its item alone: from its fields, and from what it
 * keeps for the index (its notes). So whoever writes a record stages the difference between two items (`indexes.ts`), and whoever verifies one compares
 * an item with what is stored.
 */
export interface ListIndex extends Finder {
  /** As the records in it (`SETS`), and the counter item once it has all records (`FILTERS`), name it. */
  readonly name: string;
  /** The ends of the partition keys of its items, where its entries are items. */
  readonly items?: readonly string[];
  /** Whether a new record's entries are written before it (`entries-in-advance.ts`). */
  readonly isInAdvance?: true;
  /** What a record has in it, as its item says. */
  entriesOf(item: Item): readonly Entry[];
  /**
   * What a record keeps for it: its words, a flag. Attributes, by its fields.
   * @param by a change may keep what another release has noted of the same fields. What follows from a counter is verified with that.
   */
  notesOf?(item: Item, by: 'change' | 'verification'): Item;
  /** Attributes that may change without a new version of the record, and its entries with them. */
  readonly movable?: readonly string[];
  /** Whether new records stay out of it, by a setting of the stage. */
  readonly isLeftOut?: (() => boolean) | undefined;
  /** Whether callers choose the values of its sets. Such a value is noted before its first use. */
  readonly isOpen?: () => boolean;
  /** The order of its entries. */
  readonly order?: Order;
}

/** An order has each record once, under the text by which it is sorted: an empty one where it has none. */
export interface Order {
  readonly field: string;
  readonly items: string;
  readonly textOf: (item: Item) => string;
}

/** How an index finds the records of a condition: in all of some sets, or by lookups. */
export type Answer = { readonly sets: readonly Clause[] } | { readonly lookups: readonly Lookup[] };

/** The records that have any of some values of a field, or those that have none of them. */
export interface Clause {
  readonly field: string;
  /** Distinct texts. */
  readonly anyOf: readonly string[];
  readonly isExcluded: boolean;
}

/** Attribute of a record: the names of the indexes in which it is, separated by spaces. */
export const SETS = 'SETS';

/** The names of the indexes in which a record is. */
export function namesIn(item: Item | undefined): readonly string[] {
  const names = item?.[SETS];
  return typeof names === 'string' && names !== '' ? names.split(' ') : [];
}

/** The attribute of a record that enters a further index; none where it is in it. */
export function namesWith(item: Item, name: string): Item {
  const names = namesIn(item);
  return names.includes(name) ? {} : { [SETS]: [...names, name].join(' ') };
}
