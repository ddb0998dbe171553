import { escapedSize, MAX_RECORD } from '../../contract/sizes.ts';
import { RecordTooLarge } from '../errors.ts';
import type { Entity } from './entity.ts';

/**
 * Checks that a record can be answered, in any list and by anybody who may see all of it. This is asked where records are staged and not
 * where answers are made: an event of a webhook writes without an answer, and a caller who may not see the credentials of a record gets one
 * without them.
 *
 * Derived fields that are moved later (`Repository.adjust`) are numbers and times; a page has room for them.
 * @throws RecordTooLarge
 */
export function checkSize<T extends object>(kind: Entity<T>, record: T): void {
  const encrypted = kind.encrypted.reduce((sum, field) => sum + textLength(record[field]), 0);
  const size = escapedSize(JSON.stringify(record)) + encrypted * (OPENED - 1);
  if (size > MAX_RECORD) throw new RecordTooLarge(Math.ceil(size));
}

/**
 * What an encrypted field may take when it is opened, in times of what it takes encrypted: base64 has four characters for three bytes, and escaping a
 * JSON text doubles it at most, one of nothing but quotation marks and backslashes.
 */
const OPENED = 1.5;

const textLength = (value: unknown): number => (typeof value === 'string' ? value.length : 0);
