import { BLOCK_SIZE } from './bits.ts';
import type { Item } from './schema.ts';

/**
 * Gaps of a list as ranges, beside those that are bits: an item for each region of about a million numbers. It sorts
 * after the bits, so a query reads it after them (`compact-gaps.ts`).
 */

/** Numbers of a region, and its blocks. */
export const REGION_BLOCKS = 8;
export const REGION_SIZE = REGION_BLOCKS * BLOCK_SIZE;

/** Numbers from `from` up to, not including, `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The attribute with the ranges: the lengths of numbers that are not in one and numbers that are, in turns, as LEB128. */
export const RANGES = 'RANGES';

const ITEM_KEY = /^R#(\d{10})$/;

/** The region of a number. */
export const regionOf = (number: number): number => Math.floor(number / REGION_SIZE);

/** Sort key of the item with the ranges of a region, in the partition of the list's gaps. */
export const rangesKey = (region: number): string => `R#${String(region).padStart(10, '0')}`;

/** The region of an item with ranges; undefined for an item of another kind. */
export function regionIn({ SK: sortKey }: Item): number | undefined {
  const [, region] = ITEM_KEY.exec(String(sortKey)) ?? [];
  return region === undefined ? undefined : Number(region);
}

/** The ranges of an item, in order; none for an item of another kind. */
export function rangesOf(item: Item): Range[] {
  const region = regionIn(item);
  return region === undefined ? [] : decoded(item[RANGES] as Uint8Array, region * REGION_SIZE);
}

/** @param ranges in order, with numbers between them @param first the first number of the region */
export function encoded(ranges: readonly Range[], first: number): Uint8Array {
  const bytes: number[] = [];
  let at = first;
  for (const end of ranges.flatMap(({ from, to }) => [from, to])) {
    let rest = end - at;
    for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
    bytes.push(rest);
    at = end;
  }
  return Uint8Array.from(bytes);
}

function decoded(bytes: Uint8Array, first: number): Range[] {
  const ends: number[] = [];
  let at = first;
  let length = 0;
  let shift = 0;
  for (const byte of bytes) {
    length |= (byte & 127) << shift;
    shift += 7;
    if (byte > 127) continue;
    at += length;
    ends.push(at);
    length = 0;
    shift = 0;
  }
  return Array.from({ length: ends.length / 2 }, (_, index) => ({
    from: ends[2 * index] ?? 0,
    to: ends[2 * index + 1] ?? 0,
  }));
}

/** The ranges without a number. */
export const without = (ranges: readonly Range[], number: number): Range[] =>
  ranges.flatMap(({ from, to }) =>
    number < from || number >= to
      ? [{ from, to }]
      : [
          { from, to: number },
          { from: number + 1, to },
        ].filter((part) => part.from < part.to),
  );
