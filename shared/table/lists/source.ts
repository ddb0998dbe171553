import type { Table } from '../client.ts';
import type { Item } from '../staged.ts';

/** Where the records of a list are and how their numbers stand in the sort key. */
export interface ListSource {
  /** Partition key value of the records. */
  readonly list: string;
  /** The index they are read from; the table itself when absent. */
  readonly index?: { readonly name: string; readonly partition: string; readonly sort: string } | undefined;
  /** Bounds of the sort key that hold the numbers from `first` to `last` and no others. */
  readonly bounds: (first: number, last: number) => readonly [from: string | number, to: string | number];
  readonly numberOf: (item: Item) => number;
  readonly retentionDays?: number | undefined;
  /** Where the list's records are other tenants' own: the table as it is reached for the one whose record this is. */
  readonly tableOf?: (item: Item) => Table;
}

/** Attribute of a record: when its numbers were taken, in epoch milliseconds. */
export const LISTED_AT = 'LISTED_AT';

/** The numbers of a page. */
export interface Range {
  readonly first: number;
  readonly last: number;
  /** How many records lie between them. */
  readonly size: number;
}
