import { bitPlace, GROUP_SIZE } from '@custodia/counted-lists/maintenance';

/** The bits of sets, as `docs/counted-lists.md` describes them. */

type Item = Readonly<Record<string, unknown>>;

/** The words of an item. */
export const WORD_NAMES: readonly string[] = Array.from({ length: 40 }, (_, index) => `W${index}`);

/** Numbers of a block, in 32 items. */
export const BLOCK_SIZE = GROUP_SIZE * WORD_NAMES.length;

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
