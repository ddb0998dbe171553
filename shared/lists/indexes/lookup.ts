import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beginningWith, between, type Query, queryUpTo } from '../queries.ts';
import type { Item, Key } from '../schema.ts';
import { Table } from '../table.ts';
import { entryIn, itemsPartition } from './entry.ts';

/** Where a lookup looks: the items of an index, or of any partition, from one sort key to another or beginning with one; or at a single item. */
export type LookupRange =
  | { readonly items: string; readonly keys: SortKeys }
  | { readonly partition: string; readonly keys: SortKeys; readonly numberOf: (item: Item) => number }
  | { readonly key: Key; readonly numberOf: (item: Item) => number };

type SortKeys = { readonly prefix: string } | { readonly from: string; readonly to: string };

/** Records that stand in any of some ranges. */
export interface Lookup {
  readonly ranges: readonly LookupRange[];
  /** Most items that are read of a range: where there are more, only the records decide. */
  readonly most: number;
  /** What the entry of another lookup of the same condition says of this one; undefined where it says nothing. */
  readonly byEntry?: (entry: Item) => boolean | undefined;
}

/** What lookups find together. */
export interface Found {
  /** The numbers that may be found; undefined where that is not known. */
  readonly numbers: ReadonlySet<number> | undefined;
  /** Those among them of which only the records decide. */
  readonly open: ReadonlySet<number>;
}

/** Items of each range that are read first of several lookups. */
const BEGINNING = 500;
/** Most lookups that are begun at once, the first ones: two words or three mostly tell enough. */
const MOST_AT_ONCE = 3;
/** Read units after which no further one is begun, and only one is read on: entries are up to 1 KB, so that three words could take 1,500. */
const MOST_UNITS = 250;

const NOTHING: ReadonlySet<number> = new Set();

/**
 * Reads what all of some lookups find, strongly consistent: one that is read as a whole decides the others by its entries. First the beginnings of
 * all, then one after the other, first that which is expected to end first.
 */
export async function readLookups(table: Table, list: string, lookups: readonly Lookup[]): Promise<Found> {
  const reads = lookups.map((lookup) => new LookupRead(table, list, lookup));
  await readUntilOneEnds(reads);
  const complete = reads.filter(({ isComplete }) => isComplete);
  const [first, ...others] = complete.toSorted((one, other) => one.entries.size - other.entries.size);
  if (first === undefined) return { numbers: undefined, open: NOTHING };
  const numbers = new Set<number>();
  const open = new Set<number>();
  for (const [number, entries] of first.entries) {
    const outcomes = reads
      .filter((read) => read !== first)
      .map((read) => decided(read, number, entries, others.includes(read)));
    if (outcomes.includes(false)) continue;
    if (outcomes.includes(undefined)) open.add(number);
    numbers.add(number);
  }
  return { numbers, open };
}

/** Whether a lookup finds a number of another one. */
function decided(
  { lookup, entries: own }: LookupRead,
  number: number,
  entries: readonly Item[],
  isComplete: boolean,
): boolean | undefined {
  const known = entries.map((entry) => lookup.byEntry?.(entry)).find((outcome) => outcome !== undefined);
  return known ?? (isComplete ? own.has(number) : undefined);
}

async function readUntilOneEnds(reads: readonly LookupRead[]): Promise<void> {
  let begun: readonly LookupRead[] = [];
  const isEnded = (): boolean => begun.some(({ isComplete }) => isComplete);
  const isDear = (): boolean => begun.reduce((sum, { units }) => sum + units, 0) > MOST_UNITS;
  do {
    const further = reads.slice(begun.length, begun.length + MOST_AT_ONCE);
    await Promise.all(further.map((read) => read.readTo(reads.length === 1 ? read.lookup.most : BEGINNING)));
    begun = [...begun, ...further];
  } while (begun.length < reads.length && !isEnded() && !isDear());
  for (const [place, read] of shortestFirst(begun).entries()) {
    if (isEnded() || (place > 0 && isDear())) return;
    await read.readTo(read.lookup.most);
  }
}

/** By how far the numbers of as many entries reach: the farther, the fewer there are. Where entries are of several texts, they say nothing, and the order stays. */
const shortestFirst = (reads: readonly LookupRead[]): readonly LookupRead[] =>
  reads.some(({ reach }) => reach === undefined)
    ? reads
    : reads.toSorted((one, other) => (other.reach ?? 0) - (one.reach ?? 0));

interface RangeRead {
  readonly read: { readonly query: Query } | { readonly key: Key };
  readonly numberOf: (item: Item) => number;
  count: number;
  after: Record<string, unknown> | undefined;
  isComplete: boolean;
}

/** The reading of a lookup. */
class LookupRead {
  readonly lookup: Lookup;
  /** The items that were found, by number. */
  readonly entries = new Map<number, Item[]>();
  /** What was read, in read units. */
  units = 0;
  readonly #table: Table;
  readonly #ranges: RangeRead[];

  constructor(table: Table, list: string, lookup: Lookup) {
    this.lookup = lookup;
    this.#table = table;
    this.#ranges = lookup.ranges.map((range) => ({
      ...readOf(list, range),
      count: 0,
      after: undefined,
      // DynamoDB refuses a range that ends before it begins.
      isComplete: 'keys' in range && 'from' in range.keys && range.keys.from > range.keys.to,
    }));
  }

  get isComplete(): boolean {
    return this.#ranges.every(({ isComplete }) => isComplete);
  }

  /** The highest number of the entries that were read; undefined where they are of several texts. */
  get reach(): number | undefined {
    const entries = [...this.entries.values()].flat().flatMap(({ SK }) => entryIn(String(SK)) ?? []);
    const texts = new Set(entries.map(({ text }) => text));
    return texts.size === 1 ? Math.max(...entries.map(({ number }) => number)) : undefined;
  }

  /** Reads up to so many items of each range, and one more, which shows that there are others. */
  async readTo(limit: number): Promise<void> {
    const unread = this.#ranges.filter(({ isComplete, count }) => !isComplete && count <= limit);
    await Promise.all(unread.map((range) => this.#readTo(range, limit + 1)));
  }

  async #readTo(range: RangeRead, most: number): Promise<void> {
    const { items, last, units } =
      'key' in range.read
        ? await readOne(this.#table, range.read.key)
        : await queryUpTo(this.#table, range.read.query, most - range.count, range.after);
    for (const item of items) {
      const number = range.numberOf(item);
      this.entries.set(number, [...(this.entries.get(number) ?? []), item]);
    }
    this.units += units;
    range.count += items.length;
    range.after = last;
    range.isComplete = last === undefined && range.count < most;
  }
}

/** How a range is read. */
function readOf(list: string, range: LookupRange): Pick<RangeRead, 'read' | 'numberOf'> {
  if ('key' in range) return { read: { key: range.key }, numberOf: range.numberOf };
  const { partition, numberOf } =
    'items' in range ? { partition: itemsPartition(list, range.items), numberOf: numberOfEntry } : range;
  const { keys } = range;
  const query = 'prefix' in keys ? beginningWith(partition, keys.prefix) : between(partition, [keys.from, keys.to]);
  return { read: { query }, numberOf };
}

const numberOfEntry = ({ SK }: Item): number => entryIn(String(SK))?.number ?? 0;

/** An item, as a query would return it. Strongly consistent. */
async function readOne({ client, name }: Table, key: Key) {
  const output = await client.send(new GetCommand({ TableName: name, Key: { ...key }, ConsistentRead: true }));
  const items = output.Item === undefined ? [] : [output.Item as Item];
  return { items, last: undefined, units: Table.unitsIn(output) };
}
