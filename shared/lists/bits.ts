/**
 * Maps numbers to bits. A set of numbers is stored as bits in items: a word is a DynamoDB number, exact to 38 digits, of which 100 bits take 31,
 * so one `ADD W3 2^45` sets a bit. Neighbouring numbers are in different items ("stripes"), so that records created at the same time do not
 * conflict. An item stays below 1 KB, the unit of write capacity.
 */

export const WORD_BITS = 100;
export const STRIPES = 32;
const WORDS = 40;

/** Numbers of a group, the words with the same index in all stripes of a block: 3,200 neighbours. */
export const GROUP_SIZE = WORD_BITS * STRIPES;
/** Numbers of a block: 128,000 in 32 items. */
export const BLOCK_SIZE = GROUP_SIZE * WORDS;

export interface BitPlace {
  /** Sort key of the item in the set's partition. */
  readonly sortKey: string;
  /** Name of the attribute. */
  readonly word: string;
  readonly bit: bigint;
}

export function bitPlace(number: number): BitPlace {
  const group = Math.floor(number / GROUP_SIZE);
  const inGroup = number % GROUP_SIZE;
  return {
    sortKey: itemKey(Math.floor(number / BLOCK_SIZE), inGroup % STRIPES),
    word: `W${group % WORDS}`,
    bit: 1n << BigInt(Math.floor(inGroup / STRIPES)),
  };
}

/** Ten digits are enough for any block of a 48-bit number. */
const itemKey = (block: number, stripe: number): string =>
  `B#${String(block).padStart(10, '0')}#${String(stripe).padStart(2, '0')}`;

/** The beginning that the sort keys of a block's items have in common. */
export const blockOf = (sortKey: string): string => sortKey.slice(0, itemKey(0, 0).length - 2);

/** The numbers of the block of such a sort key begin with this. */
export const firstOfBlock = (sortKey: string): number => Number(ITEM_KEY.exec(sortKey)?.[1] ?? 0) * BLOCK_SIZE;

const ITEM_KEY = /^B#(\d{10})#(\d{2})$/;

/** One word of a set, with the place of its bits. */
export interface Word {
  /** Index of the group of {@link GROUP_SIZE} numbers. */
  readonly group: number;
  readonly stripe: number;
  readonly bits: bigint;
}

type Item = Readonly<Record<string, unknown>>;

/** The words of an item; none for an item of another kind. */
export function wordsOf(item: Item): Word[] {
  const [, block, stripe] = ITEM_KEY.exec(String(item.SK)) ?? [];
  if (block === undefined || stripe === undefined) return [];
  return Object.entries(item).flatMap(([attribute, value]) =>
    isWord(attribute)
      ? [
          {
            group: Number(block) * WORDS + Number(attribute.slice(1)),
            stripe: Number(stripe),
            bits: BigInt(value as number),
          },
        ]
      : [],
  );
}

/** The names of all words of an item. */
export const WORD_NAMES: readonly string[] = Array.from({ length: WORDS }, (_, index) => `W${index}`);

const isWord = (attribute: string): boolean => /^W\d+$/.test(attribute);

/** Whether an item has words, but no bit is set: it can be deleted. */
export function isEmpty(item: Item): boolean {
  const words = wordsOf(item);
  return words.length > 0 && words.every(({ bits }) => bits === 0n);
}

const LOW_BITS = (1n << 32n) - 1n;

/** How many bits are set. */
export function bitCount(bits: bigint): number {
  let total = 0;
  for (let rest = bits; rest > 0n; rest >>= 32n) total += bitCount32(Number(rest & LOW_BITS));
  return total;
}

function bitCount32(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
