import { NumberPool } from '@custodia/counted-lists';
import { escapedSize } from '#json';
import { RecordTooLarge } from '../errors.ts';
import type { Entity } from './entity.ts';

/**
 * Largest record in a response, escaped. A page of the default size always fits into a response, and no item comes near DynamoDB's 400 KB, nor
 * does that of an idempotency key with the record.
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
 * Largest size of a decrypted and escaped field, relative to its ciphertext: base64 has four characters for three bytes, and escaping at most
 * doubles a JSON text (one of only quotation marks and backslashes).
 */
const DECRYPTED = 1.5;

const textLength = (value: unknown): number => (typeof value === 'string' ? value.length : 0);
