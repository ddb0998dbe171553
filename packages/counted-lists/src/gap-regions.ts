import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { BLOCK_SIZE, GROUP_SIZE, type GroupBits, LANES, setBit, WORDS } from './bits.ts';
import type { Item } from './schema.ts';

/**
 * Gaps of a list as compressed bits, beside those that are words: an item for each region of about a million numbers.
 * It sorts after the words, so a query reads it after them (`page-maintenance.ts`).
 */

/** Blocks of a region. */
export const REGION_BLOCKS = 8;
const GROUPS = REGION_BLOCKS * WORDS;

/** The attribute with the bits of all groups of the region, by DEFLATE. */
export const COMPRESSED = 'COMPRESSED';

const ITEM_KEY = /^R#(\d{10})$/;

/** The region of a number. */
export const regionOf = (number: number): number => Math.floor(number / (REGION_BLOCKS * BLOCK_SIZE));

/** Sort key of a region's item, in the partition of the list's gaps. */
export const regionKey = (region: number): string => `R#${String(region).padStart(10, '0')}`;

/** The region of an item; undefined for an item of another kind. */
export function regionIn({ SK: sortKey }: Item): number | undefined {
  const [, region] = ITEM_KEY.exec(String(sortKey)) ?? [];
  return region === undefined ? undefined : Number(region);
}

/** The bits in the item of a region, by group; none in an item of another kind. */
export function groupsOf(item: Item): Map<number, GroupBits> {
  const region = regionIn(item);
  if (region === undefined) return new Map();
  const lanes = new Uint32Array(GROUPS * LANES);
  new Uint8Array(lanes.buffer).set(inflateRawSync(item[COMPRESSED] as Uint8Array));
  return new Map(
    Array.from({ length: GROUPS }, (_, index) => [
      region * GROUPS + index,
      lanes.subarray(index * LANES, (index + 1) * LANES),
    ]),
  );
}

/** The attribute of a region, from the bits of its groups. */
export function compressed(region: number, groups: ReadonlyMap<number, GroupBits>): Uint8Array {
  const lanes = new Uint32Array(GROUPS * LANES);
  for (let index = 0; index < GROUPS; index++) lanes.set(groups.get(region * GROUPS + index) ?? [], index * LANES);
  return deflateRawSync(new Uint8Array(lanes.buffer));
}

/** The attribute of a region without a number that it has. */
export function compressedWithout(item: Item, number: number): Uint8Array {
  const groups = groupsOf(item);
  setBit(groups.get(Math.floor(number / GROUP_SIZE)) as GroupBits, number % GROUP_SIZE, false);
  return compressed(regionOf(number), groups);
}
