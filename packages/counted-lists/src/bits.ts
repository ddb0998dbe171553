/**
 * Maps numbers to bits. A set of numbers is stored as bits in items: a word is a DynamoDB number, exact to 38 digits,
 * of which 100 bits take 31, so one `ADD W3 2^45` sets a bit. Neighbouring numbers are in different items ("stripes"),
 * so that records created at the same time do not conflict. An item stays below 1 KB, the unit of write capacity.
 */

/** All numbers are below. */
export const NUMBERS = 2 ** 48;

export const WORD_BITS = 100;
export const STRIPES = 32;
/** Words of an item. */
export const WORDS = 40;

/** Numbers of a group, the words with the same index in all stripes of a block: 3,200 neighbours. */
export const GROUP_SIZE = WORD_BITS * STRIPES;
/** Numbers of a block: 128,000 in 32 items. */
export const BLOCK_SIZE = GROUP_SIZE * WORDS;

interface BitPlace {
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

const ITEM_KEY = /^B#(\d{10})#(\d{2})$/;

type Item = Readonly<Record<string, unknown>>;

/** The block and stripe of an item; undefined for an item of another kind. */
export function placeOfItem({ SK: sortKey }: Item): { readonly block: number; readonly stripe: number } | undefined {
  const [, block, stripe] = ITEM_KEY.exec(String(sortKey)) ?? [];
  return block === undefined || stripe === undefined ? undefined : { block: Number(block), stripe: Number(stripe) };
}

/**
 * Numbers of records that can be restored are gaps of their own: bits in items beside those of the gaps, with this
 * before the sort key. They sort before the gaps, so a query misses no bit that moves there.
 */
export const TRASH = '#';

/** The sort key of a number's bit among those of records that can be restored. */
export const trashKeyOf = (number: number): string => `${TRASH}${bitPlace(number).sortKey}`;

/** An item with bits of records that can be restored as one of gaps; undefined for another item. */
export const inTrash = (item: Item): Item | undefined =>
  String(item.SK).startsWith(TRASH) ? { ...item, SK: String(item.SK).slice(TRASH.length) } : undefined;

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

/**
 * The bits of a group's numbers in an array: four lanes of 32 bits for the word of each stripe, the lowest first. The
 * bits of words are looked at here, a lane at a time: a `bigint` for each word and each step takes ten times as long.
 */
export type GroupBits = Uint32Array;

const LANES_A_WORD = 4;
export const LANES = STRIPES * LANES_A_WORD;

export const noBits = (): GroupBits => new Uint32Array(LANES);

/** @param place of a number in its group */
const laneOf = (place: number): number => (place % STRIPES) * LANES_A_WORD + Math.floor(place / (STRIPES * 32));
const bitOf = (place: number): number => 1 << (Math.floor(place / STRIPES) % 32);

export const hasBit = (group: GroupBits, place: number): boolean => ((group[laneOf(place)] ?? 0) & bitOf(place)) !== 0;

export function setBit(group: GroupBits, place: number, isSet = true): void {
  const lane = laneOf(place);
  const others = (group[lane] ?? 0) & ~bitOf(place);
  group[lane] = isSet ? others | bitOf(place) : others;
}

/** Two halves of a word, and the same bytes as lanes. The processors that Node runs on store the lowest byte first. */
const halves = new BigUint64Array(2);
const lanesOfHalves = new Uint32Array(halves.buffer);

const FULL_WORD = (1n << BigInt(WORD_BITS)) - 1n;
/** The bits of a word's last lane. */
const LAST_LANE = 2 ** (WORD_BITS % 32) - 1;

/**
 * Sets the word of a stripe.
 * @param word as it is stored
 * @returns whether it is a word's value; of any other, as adding a bit twice leaves, the bits of a word count
 * @throws SyntaxError, RangeError, TypeError where it is no whole number
 */
export function putWord(group: GroupBits, stripe: number, word: unknown): boolean {
  const first = stripe * LANES_A_WORD;
  const bits = BigInt(word as bigint);
  halves[0] = bits;
  halves[1] = bits >> 64n;
  group.set(lanesOfHalves, first);
  group[first + 3] = (group[first + 3] ?? 0) & LAST_LANE;
  return bits >= 0n && bits <= FULL_WORD;
}

/** The places of its bits, in no order. */
export function* placesIn(group: GroupBits): Generator<number> {
  for (const [lane, bits] of group.entries())
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      const inWord = (lane % LANES_A_WORD) * 32 + 31 - Math.clz32(rest & -rest);
      yield inWord * STRIPES + Math.floor(lane / LANES_A_WORD);
    }
}

/** The bits of the numbers from `from` up to, not including, `to`, both relative to the group's first number. */
export function bitsBetween(from: number, to: number): GroupBits {
  const group = noBits();
  for (let place = from; place < to; place++) setBit(group, place);
  return group;
}

export const EMPTY_GROUP: GroupBits = noBits();
export const FULL_GROUP: GroupBits = bitsBetween(0, GROUP_SIZE);

/** The bits that both have. */
export const commonBits = (one: GroupBits, other: GroupBits): GroupBits =>
  one.map((lane, index) => lane & (other[index] ?? 0));

/** The bits that one of them has. */
export const eitherBits = (one: GroupBits, other: GroupBits): GroupBits =>
  one.map((lane, index) => lane | (other[index] ?? 0));

/** How many bits of a group another does not have, among those of a window. */
export function countWithout(group: GroupBits, excluded: GroupBits, window = FULL_GROUP): number {
  let count = 0;
  for (let lane = 0; lane < LANES; lane++) {
    count += bitCount((group[lane] ?? 0) & ~(excluded[lane] ?? 0) & (window[lane] ?? 0));
  }
  return count;
}

/** How many of the 32 bits are set. */
function bitCount(lane: number): number {
  let bits = lane - ((lane >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
