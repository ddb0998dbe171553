import { randomUUID } from 'node:crypto';

/**
 * Ids that contain their record's number: the first 48 bits of a UUID are the number, scrambled by a fixed bijection so
 * that neighbours look unrelated. The rest is random. They have the form of version 4, because many validators accept
 * no newer one (`docs/decisions/0009-ids.md`).
 */

const NUMBER_DIGITS = 12;
const HALF = 2 ** 24;

/** The bijection is a Feistel network on two halves of 24 bits. Never change it: every existing id would change. */
const ROUND_KEYS = [0x9e3779, 0x7f4a7c, 0x15c2b1, 0xd1b54a] as const;
const mixed = (half: number, key: number): number => {
  const product = Math.imul(half ^ key, 0x9e3779b1);
  return (product ^ (product >>> 15)) & (HALF - 1);
};

/** Maps the whole numbers below 2^48 one to one onto themselves. */
function scrambled(number: number): number {
  let left = Math.floor(number / HALF);
  let right = number % HALF;
  for (const key of ROUND_KEYS) [left, right] = [right, left ^ mixed(right, key)];
  return left * HALF + right;
}

/** The inverse of {@link scrambled}. */
function unscrambled(number: number): number {
  let left = Math.floor(number / HALF);
  let right = number % HALF;
  for (const key of ROUND_KEYS.toReversed()) [left, right] = [right ^ mixed(left, key), left];
  return left * HALF + right;
}

/** A new id for the record of this number. `randomUUID` keeps random bytes; `randomBytes` takes 15 µs a call. */
export function newId(number: number): string {
  const first = sortKeyOf(scrambled(number));
  return `${first.slice(0, 8)}-${first.slice(8)}-${randomUUID().slice(14)}`;
}

/**
 * The number in an id. Any UUID has one, so the id must be compared with that of the record found there.
 * @example ids.numberOf(ids.newId(41)) // 41
 */
export const numberOf = (id: string): number => unscrambled(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));

/** A number as the sort key of its record: twelve hexadecimal digits. @example ids.sortKeyOf(41) // 000000000029 */
export const sortKeyOf = (number: number): string => number.toString(16).padStart(NUMBER_DIGITS, '0');

/** The number in a sort key. */
export const numberIn = (sortKey: string): number => Number.parseInt(sortKey.slice(0, NUMBER_DIGITS), 16);
