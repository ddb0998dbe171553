import { randomBytes } from 'node:crypto';
import { stringify } from 'uuid';

/**
 * Ids that carry their place in a list: UUIDv8 (RFC 9562 §5.8) whose first 48 bits are the record's number in its list
 * and whose other 74 free bits are random. In sort-key order they are in order of creation.
 */

const NUMBER_BYTES = 6;

/** A new id for the `number`-th record of a list. */
export function idOf(number: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(number, 0, NUMBER_BYTES);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return stringify(bytes);
}

/** The number in an id that `idOf` made. */
export const numberOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** The text that ids of this number, and no others, begin with. */
export function idPrefix(number: number): string {
  const hex = number.toString(16).padStart(NUMBER_BYTES * 2, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-`;
}
