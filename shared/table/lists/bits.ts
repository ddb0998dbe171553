/**
 * Where the bit of a number lies. A set of numbers is kept as bits in items: a word is a DynamoDB number, exact to 38 digits, of which 100 bits
 * take 31; so one blind `ADD W3 2^45` sets a bit. Neighbouring numbers lie in different items ("stripes"), so that records created at once
 * meet in no item. An item stays below 1 KB, the unit that a write is charged by.
 */

export const WORD_BITS = 100;
export const STRIPES = 32;
const WORDS = 40;

/** Numbers of the words with the same index in all stripes of a block: 3,200 neighbours. */
export const GROUP_SIZE = WORD_BITS * STRIPES;
/** Numbers of a block: 128,000 in 32 items. */
export const BLOCK_SIZE = GROUP_SIZE * WORDS;

export interface BitPlace {
  /** Sort key of the item in the set's partition. */
  readonly sortKey: string;
  /** Attribute. */
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

/** Ten digits hold any block of a 48-bit number. */
const itemKey = (block: number, stripe: number): string =>
  `B#${String(block).padStart(10, '0')}#${String(stripe).padStart(2, '0')}`;

const ITEM_KEY = /^B#(\d{10})#(\d{2})$/;

/** One word of a set, with the place of its bits. */
export interface Word {
  /** 3,200 neighbouring numbers: the `group`-th. */
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

/** The attributes that an item may have words in. */
export const WORD_NAMES: readonly string[] = Array.from({ length: WORDS }, (_, index) => `W${index}`);

const isWord = (attribute: string): boolean => /^W\d+$/.test(attribute);

/** Whether an item has words and none of them a bit: nothing would be lost with it. */
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
