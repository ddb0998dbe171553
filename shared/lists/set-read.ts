import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { BLOCK_SIZE, blockOf, firstOfBlock, isEmpty, STRIPES, sortKeysOfBlock } from './bits.ts';
import { beginningWith, between, type Queried, type Query, queryUpTo } from './queries.ts';
import type { Item } from './schema.ts';
import type { SetSize, SetSizes } from './set-sizes.ts';
import type { Table } from './table.ts';

/** Reads one set of numbers, as a whole or in parts. */

/** Most items that are read of a set of unknown size: one more than a million numbers have, so that their set is known to be complete. */
const FIRST_LOOK = 8 * STRIPES + 1;

/** Read units of a block of a set, at most: 32 items of 900 bytes. */
const BLOCK_UNITS = 8;

/** Most calls that read parts of a set, and keys of one of them. */
const CALLS = 16;
const KEYS_A_CALL = 100;

/** A set to read. */
export interface WantedSet {
  /** `<field>=<value>`. */
  readonly name: string;
  readonly partition: string;
}

const bitsOf = ({ partition }: WantedSet): Query => beginningWith(partition, 'B#');

/** What is known of a list whose sets are read. */
export interface Known {
  readonly sizes: SetSizes;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The list's next number. */
  readonly next: () => Promise<number>;
  /** Called when it is known that a set is large, where other containers may have noted sizes. */
  readonly onLarge: () => Promise<void>;
}

/** The reading of one set. */
export class SetRead {
  readonly #table: Table;
  readonly set: WantedSet;
  readonly #known: Known;
  #read: Omit<Queried, 'queries'> | undefined;
  /** Read units of the parts that were read without the others. */
  #partUnits = 0;
  items: readonly Item[] = [];

  constructor(table: Table, set: WantedSet, known: Known) {
    this.#table = table;
    this.set = set;
    this.#known = known;
  }

  /** Estimated: by what was read before, now or by other requests. */
  get size(): SetSize | undefined {
    return this.#known.sizes.get(this.set.name, this.#known.now);
  }

  /** What it has taken, in read units. */
  get units(): number {
    return (this.#read?.units ?? 0) + this.#partUnits;
  }

  get isComplete(): boolean {
    return this.#read !== undefined && this.#read.last === undefined;
  }

  /** The sort keys of its items with members. */
  get sortKeys(): ReadonlySet<string> {
    return new Set(this.items.filter((item) => !isEmpty(item)).map(({ SK }) => String(SK)));
  }

  /** Reads it from its beginning: as a whole, if it is the only one or its size is known. */
  async begin(isOnly: boolean): Promise<void> {
    const most = isOnly || this.size !== undefined ? undefined : FIRST_LOOK;
    this.#note(await queryUpTo(this.#table, bitsOf(this.set), most));
  }

  /** Reads what is missing of the items with these sort keys; all that is missing, if that is cheaper, or there are none. */
  async complete(sortKeys: ReadonlySet<string> | undefined): Promise<void> {
    if (this.#read === undefined && this.size === undefined) await this.begin(false);
    if (this.isComplete) return;
    const left = this.size?.whole ?? (await this.#estimate());
    const last = String(this.#read?.last?.SK ?? '');
    const reads = sortKeys === undefined ? undefined : partsOf([...sortKeys].filter((sortKey) => sortKey > last));
    const parts = reads !== undefined && reads.units < left ? await this.#readParts(reads) : undefined;
    if (parts === undefined) await this.#queryRest();
    else this.items = [...this.items, ...parts];
  }

  /** Reads what is missing, in parallel. */
  async #queryRest(): Promise<void> {
    const before = this.#read ?? { items: [], units: 0, last: undefined };
    const ranges = rangesAfter(before.last?.SK, await this.#known.next());
    const queries = ranges.map((range) => queryUpTo(this.#table, between(this.set.partition, range)));
    const reads = [before, ...(await Promise.all(queries))];
    const units = reads.reduce((sum, read) => sum + read.units, 0);
    this.#note({ items: reads.flatMap(({ items }) => items), units, last: undefined });
  }

  #note(read: Omit<Queried, 'queries'>): void {
    this.#read = read;
    this.items = read.items;
    if (this.isComplete) this.#learn(read.units, unitsAt(this.items.map(({ SK }) => String(SK))));
  }

  /** Estimates the size of a set from its beginning, as if its members were spread evenly. @returns the units that are left to read */
  async #estimate(): Promise<number> {
    const { items, units, last } = this.#read ?? { items: [], units: 0, last: undefined };
    const begin = firstOfBlock(String(items[0]?.SK));
    const read = firstOfBlock(String(last?.SK)) + BLOCK_SIZE - begin;
    const times = Math.max(1, ((await this.#known.next()) - begin) / read);
    this.#learn(units * times, items.length * times);
    return units * (times - 1);
  }

  #learn(whole: number, reach: number): void {
    this.#known.sizes.learn(this.set.name, { whole, reach }, this.#known.now);
  }

  /** @returns undefined where DynamoDB did not return all of them */
  async #readParts({ keys, ranges, units }: Parts): Promise<Item[] | undefined> {
    this.#partUnits += units;
    const { partition } = this.set;
    const queried = ranges.map(async (range) => (await queryUpTo(this.#table, between(partition, range))).items);
    const got = batchesOf(keys).map((batch) => readKeys(this.#table, partition, batch));
    const reads = await Promise.all([...queried, ...got]);
    return reads.some((items) => items === undefined) ? undefined : reads.flatMap((items) => items ?? []);
  }
}

/** Some items of a set: single ones, and many neighbours, from the first to the last. */
interface Parts {
  readonly keys: readonly string[];
  readonly ranges: readonly (readonly [first: string, last: string])[];
  readonly units: number;
}

/** How to read the items with these sort keys. Infinitely expensive where it takes more than {@link CALLS}. */
function partsOf(sortKeys: readonly string[]): Parts {
  const keys: string[] = [];
  const ranges: [string, string][] = [];
  for (const ofBlock of Map.groupBy(sortKeys.toSorted(), blockOf).values()) {
    const [first = '', last = first] = [ofBlock[0], ofBlock.at(-1)];
    const before = ranges.at(-1);
    if (ofBlock.length <= BLOCK_UNITS) keys.push(...ofBlock);
    else if (before !== undefined && firstOfBlock(first) - firstOfBlock(before[1]) === BLOCK_SIZE) before[1] = last;
    else ranges.push([first, last]);
  }
  const calls = ranges.length + batchesOf(keys).length;
  return { keys, ranges, units: calls > CALLS ? Number.POSITIVE_INFINITY : unitsAt(sortKeys) };
}

/** Units of reading the items with these sort keys, at most. */
const unitsAt = (sortKeys: readonly string[]): number =>
  Map.groupBy(sortKeys, blockOf)
    .values()
    .reduce((sum, { length }) => sum + Math.min(length, BLOCK_UNITS), 0);

/** Blocks whose items a query returns at once, and most queries that read a set in parallel. */
const BLOCKS_A_QUERY = 32;
const QUERIES = 8;

/** The sort keys after this one, in ranges for queries. The last one has no end: `next` may be outdated. */
function rangesAfter(sortKey: unknown, next: number): Parts['ranges'] {
  const first = sortKey === undefined ? 0 : firstOfBlock(String(sortKey)) / BLOCK_SIZE;
  const end = Math.max(first + 1, Math.ceil(next / BLOCK_SIZE));
  const step = Math.max(BLOCKS_A_QUERY, Math.ceil((end - first) / QUERIES));
  return Array.from({ length: Math.ceil((end - first) / step) }, (_, index) => {
    const from = first + index * step;
    const [begin, last] = [sortKeysOfBlock(from)[0], sortKeysOfBlock(from + step - 1)[1]];
    return [index === 0 && sortKey !== undefined ? `${sortKey}~` : begin, from + step >= end ? 'B#~' : last];
  });
}

const batchesOf = (keys: readonly string[]): (readonly string[])[] =>
  Array.from({ length: Math.ceil(keys.length / KEYS_A_CALL) }, (_, index) =>
    keys.slice(index * KEYS_A_CALL, (index + 1) * KEYS_A_CALL),
  );

/** @returns undefined where DynamoDB leaves any of them unprocessed */
async function readKeys(table: Table, partition: string, sortKeys: readonly string[]): Promise<Item[] | undefined> {
  const Keys = sortKeys.map((SK) => ({ PK: partition, SK }));
  const { Responses, UnprocessedKeys = {} } = await table.client.send(
    new BatchGetCommand({ RequestItems: { [table.name]: { Keys, ConsistentRead: true } } }),
  );
  return Object.keys(UnprocessedKeys).length > 0 ? undefined : (Responses?.[table.name] ?? []);
}
