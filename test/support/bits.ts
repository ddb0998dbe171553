import { deflateRawSync } from 'node:zlib';

/** The bits of sets, as `docs/counted-lists.md` describes them. */

type Item = Readonly<Record<string, unknown>>;

/** The words of an item. */
export const WORD_NAMES: readonly string[] = Array.from({ length: 40 }, (_, index) => `W${index}`);

/** Items of a block: neighbouring numbers are in different ones. */
export const STRIPES = 32;

/** Numbers of a word of each of these, and of all their words: a block. */
const GROUP_SIZE = STRIPES * 100;
export const BLOCK_SIZE = GROUP_SIZE * WORD_NAMES.length;

/** Sort key of a list's counter item. */
export const COUNTER = 'HEAD';

/** The attributes of the item of the first region with these compressed gaps. */
export function compressedItem(gaps: readonly number[]): Item {
  const lanes = new Uint32Array(8 * WORD_NAMES.length * 128);
  for (const number of gaps) {
    const [stripe, place] = [number % STRIPES, Math.floor((number % GROUP_SIZE) / STRIPES)];
    const lane = Math.floor(number / GROUP_SIZE) * 128 + stripe * 4 + Math.floor(place / 32);
    lanes[lane] = (lanes[lane] ?? 0) | (1 << (place % 32));
  }
  return { SK: 'R#0000000000', COMPRESSED: deflateRawSync(new Uint8Array(lanes.buffer)) };
}

/** Where the bit of a number is. */
export function bitPlace(number: number): { readonly sortKey: string; readonly word: string; readonly bit: bigint } {
  const block = String(Math.floor(number / BLOCK_SIZE)).padStart(10, '0');
  return {
    sortKey: `B#${block}#${String(number % STRIPES).padStart(2, '0')}`,
    word: `W${Math.floor((number % BLOCK_SIZE) / GROUP_SIZE)}`,
    bit: 1n << BigInt(Math.floor((number % GROUP_SIZE) / STRIPES)),
  };
}

/** The items with the bits of these numbers, as adding them leaves these. */
export function itemsWith(numbers: Iterable<number>): Record<string, unknown>[] {
  const items = new Map<string, Record<string, unknown>>();
  for (const number of numbers) {
    const { sortKey, word, bit } = bitPlace(number);
    const item = items.get(sortKey) ?? { SK: sortKey };
    item[word] = BigInt((item[word] as bigint | undefined) ?? 0n) + bit;
    items.set(sortKey, item);
  }
  return [...items.values()];
}

/** Whether an item of bits has none. */
export const hasNoBit = (item: Item): boolean => WORD_NAMES.every((name) => (item[name] ?? 0) === 0);
