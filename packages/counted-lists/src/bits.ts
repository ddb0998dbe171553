/**
 * Maps numbers to bits. A set of numbers is stored as bits in items: a word is a DynamoDB number, exact to 38 digits, of which 100 bits take 31,
 * so one `ADD W3 2^45` sets a bit. Neighbouring numbers are in different items ("stripes"), so that records created at the same time do not
 * conflict. An item stays below 1 KB, the unit of write capacity.
 */

export const WORD_BITS = 100;
export const STRIPES = 32;
/** Words of an item. */
export const WORDS = 40;

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

/** The first and the last sort key of a block's items. */
export const sortKeysOfBlock = (block: number): readonly [first: string, last: string] => [
  itemKey(block, 0),
  itemKey(block, STRIPES - 1),
];

/** The numbers of the block of such a sort key begin with this. */
export const firstOfBlock = (sortKey: string): number => Number(ITEM_KEY.exec(sortKey)?.[1] ?? 0) * BLOCK_SIZE;

const ITEM_KEY = /^B#(\d{10})#(\d{2})$/;

type Item = Readonly<Record<string, unknown>>;

/** The block and stripe of an item; undefined for an item of another kind. */
export function placeOfItem({ SK: sortKey }: Item): { readonly block: number; readonly stripe: number } | undefined {
  const [, block, stripe] = ITEM_KEY.exec(String(sortKey)) ?? [];
  return block === undefined || stripe === undefined ? undefined : { block: Number(block), stripe: Number(stripe) };
}

/** The names of all words of an item. */
export const WORD_NAMES: readonly string[] = Array.from({ length: WORDS }, (_, index) => `W${index}`);

const WORD_INDEXES: ReadonlyMap<string, number> = new Map(WORD_NAMES.map((name, index) => [name, index]));

/** Index of the group of the word in an attribute; undefined for an attribute of another kind. */
export function groupOfWord(block: number, attribute: string): number | undefined {
  const index = WORD_INDEXES.get(attribute);
  return index === undefined ? undefined : block * WORDS + index;
}

/** Whether an item has words, but no bit is set: it can be deleted. */
export function isEmpty(item: Item): boolean {
  let hasWords = false;
  for (const attribute in item) {
    if (!WORD_INDEXES.has(attribute)) continue;
    if (item[attribute] !== 0) return false;
    hasWords = true;
  }
  return hasWords && placeOfItem(item) !== undefined;
}
