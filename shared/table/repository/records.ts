import { isDeepStrictEqual } from 'node:util';
import { type Item, NumberPool, type SortKey, type Where } from '@custodia/counted-lists';
import { escapedSize } from '#json';
import { RecordTooLarge } from '../errors.ts';
import type { Entity } from './entity.ts';

/** A record as read, with its version and item for a later change. */
export interface Stored<T> {
  readonly record: T;
  /** Raised by one with each change of the record's own fields, but not of derived fields. */
  readonly version: number;
  readonly item: Item;
}

/** The place of a new record in its list. */
interface NewRecordPlace {
  readonly id: string;
  /** Counted from 1. */
  readonly ordinal: number;
  /**
   * How often a generated value of this request was already taken. The operation runs again and must generate another
   * one.
   */
  readonly collisions: number;
}

export interface PageQuery {
  readonly page: number;
  readonly page_size: number;
  /** By default the newest first. */
  readonly sort?: readonly SortKey[];
  /** What all of its records have. */
  readonly where?: readonly Where[];
}

export interface CursorQuery {
  readonly limit: number;
  /** Id of the last record of the previous page. */
  readonly after?: string | undefined;
  readonly newestFirst?: boolean;
  /** As of {@link PageQuery}: what indexes answer. */
  readonly where?: readonly Where[];
}

export interface CursorPage<T> {
  readonly records: readonly Stored<T>[];
  /** Id of the last record, if others follow. */
  readonly next: string | undefined;
}

export interface Page<T> {
  readonly records: readonly Stored<T>[];
  readonly total: number;
  /** Whether these are only the first records of the page, because all of them are more than one request may read. */
  readonly isCut: boolean;
  /** Read units of what no index answers; undefined where indexes answer all. */
  readonly residualUnits?: number | undefined;
}

/** A record that is created: `L` are the fields that depend on its id or place. */
export interface NewRecord<T, L extends keyof T = never> {
  readonly fields: Omit<T, 'id' | L>;
  /** Returns the deferred fields. */
  readonly deferred?: (place: NewRecordPlace) => Pick<T, L> | Promise<Pick<T, L>>;
  /**
   * Those of the deferred fields whose values were generated: if such a value must be unique and is taken, the
   * operation is run again and not refused.
   */
  readonly generated?: readonly L[];
  /** Names for the audit event, besides the fields that have a value. */
  readonly alsoAudited?: readonly string[];
  /** In an ordered list: whether its number may be of an earlier time than its creation. */
  readonly mayBeEarly?: boolean;
}

/** Fields to change, each with a value. */
type Changes<P> = { [K in keyof P]?: Exclude<P[K], undefined> };

/**
 * The fields of a patch that differ from the record.
 * @returns undefined where none does: such a patch leaves the record and its version as they are
 */
export function changesOf<T extends object, P extends object>(record: T, patch: P): Changes<P> | undefined {
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  const changes = differing(record, given);
  return Object.keys(changes).length === 0 ? undefined : (changes as Changes<P>);
}

/** Fields, or attributes, that are others than before. */
export const differing = (before: object, after: object): Item =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => {
      const was = (before as Item)[name];
      return !Object.is(value, was) && !isDeepStrictEqual(value, was);
    }),
  );

/**
 * Largest record in a response, escaped. A page of the default size always fits into a response, and no item comes near
 * DynamoDB's 400 KB, nor does that of an idempotency key with the record.
 */
export const MAX_RECORD = 230_000;

/**
 * Checks that a record fits into a response, alone or in a list, even with all of its fields. This is checked when records are staged and not
 * when responses are made, because a webhook event writes without a response, and some callers get a record without its credentials.
 *
 * Derived fields that change later (`derived-fields.ts`) are numbers and times; a page has room for them.
 * @returns its size in bytes, at least what it takes when it is stored; at most that, where the record is not large
 * @throws RecordTooLarge
 */
export function checkSize<T extends object>(kind: Entity<T>, record: T): number {
  const most = sizeOf(kind, record, ({ length }) => CHARACTER * length);
  if (!NumberPool.isLarge(most)) return most;
  const size = sizeOf(kind, record);
  checkSizes([size]);
  return size;
}

/** @throws RecordTooLarge with the indexes of all sizes that are too large */
export function checkSizes(sizes: readonly number[]): void {
  const indexes = sizes.flatMap((size, index) => (size > MAX_RECORD ? [index] : []));
  if (indexes.length > 0) throw new RecordTooLarge(Math.max(...sizes), MAX_RECORD, indexes);
}

/** Bytes per write unit of a transaction (AWS, "DynamoDB read and write operations"). */
const TRANSACTION_UNIT = 512;

/** About the write units that records of these sizes take in one transaction. */
export const unitsToCreate = (sizes: readonly number[]): number =>
  sizes.reduce((sum, size) => sum + size, 0) / TRANSACTION_UNIT;

/** Most bytes of a character of a record's JSON when that is escaped: a quotation mark or backslash takes two, others are already escaped. */
const CHARACTER = 3;

export function sizeOf<T extends object>(kind: Entity<T>, record: T, sizeOfJson = escapedSize): number {
  const encrypted = kind.encrypted.reduce((sum, field) => sum + textLength(record[field]), 0);
  return Math.ceil(sizeOfJson(JSON.stringify(record)) + encrypted * (DECRYPTED - 1));
}

/**
 * Largest size of a decrypted and escaped field, relative to its ciphertext: base64 has four characters for three
 * bytes, and escaping at most doubles a JSON text (one of only quotation marks and backslashes).
 */
const DECRYPTED = 1.5;

const textLength = (value: unknown): number => (typeof value === 'string' ? value.length : 0);
