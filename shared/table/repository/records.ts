import type { Item } from '../schema.ts';

/** What repositories take and give. */

/** A record as read, with what a later change of it must know. */
export interface Stored<T> {
  readonly record: T;
  /** Raised by one with each change of the record's own fields; derived counters leave it alone. */
  readonly version: number;
  readonly item: Item;
}

/** Where a new record stands in its list. */
export interface Place {
  readonly id: string;
  /** Counted from 1. */
  readonly ordinal: number;
  /** How often a generated value of this request was found taken: the operation is run again and shall try another. */
  readonly clashes: number;
}

/** Values of filter fields that an entity declares; undefined ones are left out. */
export type Filter<F extends string = string> = { readonly [field in F]?: string | boolean | undefined };

export interface PageQuery<F extends string = string> {
  readonly page: number;
  readonly page_size: number;
  readonly sort: 'created_at' | '-created_at';
  readonly filter?: Filter<F>;
}

export interface CursorQuery<F extends string = string> {
  readonly limit: number;
  /** Id of the last record already seen. */
  readonly after?: string | undefined;
  readonly newestFirst?: boolean;
  readonly filter?: Filter<F>;
}

export interface CursorPage<T> {
  readonly records: readonly Stored<T>[];
  /** Id of the last record, where others follow. */
  readonly next: string | undefined;
}

export interface Page<T> {
  readonly records: readonly Stored<T>[];
  readonly total: number;
  /** Whether these are only the first records of the page: together they were more than one request reads. */
  readonly isCut: boolean;
}
