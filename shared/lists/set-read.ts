import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { BLOCK_SIZE, blockOf, firstOfBlock, isEmpty, STRIPES, sortKeysOfBlock } from './bits.ts';
import { beginningWith, between, queryUpTo } from './queries.ts';
import type { Item } from './schema.ts';
import type { Table } from './table.ts';

/** Reads one set of numbers: its first items, then what is needed of the rest. */

/** Most items of a first look: one more than a million numbers have, so that their set is known to be complete. */
const FIRST_LOOK = 8 * STRIPES + 1;

/** Read units of a block of a set, at most: 32 items of 900 bytes. */
const BLOCK_UNITS = 8;

/** Most calls that read parts of a set, and keys of one of them. */
const CALLS = 16;
const KEYS_A_CALL = 100;

/** The reading of one set. Strongly consistent. */
export class SetRead {
  readonly #table: Table;
  readonly #partition: string;
  /** The list's next number. It may be outdated. */
  readonly #next: () => Promise<number>;
  /** The sort key of the last item of the first look; undefined where that was the whole set. */
  #end: string | undefined;
  /** What was read of the items after it. */
  #rest: readonly Item[] | undefined;
  /** The items of the first look. */
  look: readonly Item[] = [];
  /** What it has taken, in read units. */
  units = 0;

  constructor(table: Table, partition: string, next: () => Promise<number>) {
    this.#table = table;
    this.#partition = partition;
    this.#next = next;
  }

  /** Whether the set is longer than its first look. */
  get hasRest(): boolean {
    return this.#end !== undefined;
  }

  get isComplete(): boolean {
    return !this.hasRest || this.#rest !== undefined;
  }

  get items(): readonly Item[] {
    return [...this.look, ...(this.#rest ?? [])];
  }

  /** The sort keys of its items with members. */
  get sortKeys(): ReadonlySet<string> {
    return new Set(this.items.filter((item) => !isEmpty(item)).map(({ SK }) => String(SK)));
  }

  /** The first look, or the whole set. */
  async begin(isWhole: boolean): Promise<void> {
    const query = beginningWith(this.#partition, 'B#');
    const { items, units, last } = await queryUpTo(this.#table, query, isWhole ? undefined : FIRST_LOOK);
    this.look = items;
    this.units += units;
    this.#end = last === undefined ? undefined : String(last.SK);
  }

  /** The same first look, once more. */
  async again(): Promise<SetRead> {
    const again = new SetRead(this.#table, this.#partition, this.#next);
    again.look = await again.#query(['B#', this.#end ?? 'B#~']);
    again.#end = this.#end;
    return again;
  }

  /** Reads what is missing of the items with these sort keys; all that is missing, if that is cheaper, or there are none. */
  async complete(sortKeys: ReadonlySet<string> | undefined): Promise<void> {
    if (this.#end === undefined || this.#rest !== undefined) return;
    const end = this.#end;
    const next = await this.#next();
    const parts = sortKeys === undefined ? undefined : partsOf([...sortKeys].filter((sortKey) => sortKey > end));
    if (parts !== undefined && parts.units <= this.#unitsAfter(end, next)) this.#rest = await this.#readParts(parts);
    this.#rest ??= (await Promise.all(rangesAfter(end, next).map((range) => this.#query(range)))).flat();
  }

  /** The units of the items after the first look, if they are as dense as those of it. */
  #unitsAfter(end: string, next: number): number {
    const [begin, last] = [firstOfBlock(String(this.look[0]?.SK)), firstOfBlock(end) + BLOCK_SIZE];
    return (this.units * Math.max(0, next - last)) / (last - begin);
  }

  async #query(range: readonly [first: string, last: string]): Promise<Item[]> {
    const { items, units } = await queryUpTo(this.#table, between(this.#partition, range));
    this.units += units;
    return items;
  }

  /** @returns undefined where DynamoDB did not return all of them */
  async #readParts({ keys, ranges }: Parts): Promise<Item[] | undefined> {
    this.units += keys.length;
    const got = batchesOf(keys).map((batch) => readKeys(this.#table, this.#partition, batch));
    const reads = await Promise.all([...ranges.map((range) => this.#query(range)), ...got]);
    return reads.some((items) => items === undefined) ? undefined : reads.flatMap((items) => items ?? []);
  }
}

/** Some items of a set: single ones, and many neighbours, from the first to the last. */
interface Parts {
  readonly keys: readonly string[];
  readonly ranges: readonly (readonly [first: string, last: string])[];
  /** At most. */
  readonly units: number;
}

/** How to read the items with these sort keys. Infinitely expensive where it takes more than {@link CALLS}. */
function partsOf(sortKeys: readonly string[]): Parts {
  const keys: string[] = [];
  const ranges: [string, string][] = [];
  let units = 0;
  for (const ofBlock of Map.groupBy(sortKeys.toSorted(), blockOf).values()) {
    const [first = '', last = first] = [ofBlock[0], ofBlock.at(-1)];
    const before = ranges.at(-1);
    units += Math.min(ofBlock.length, BLOCK_UNITS);
    if (ofBlock.length <= BLOCK_UNITS) keys.push(...ofBlock);
    else if (before !== undefined && firstOfBlock(first) - firstOfBlock(before[1]) === BLOCK_SIZE) before[1] = last;
    else ranges.push([first, last]);
  }
  const calls = ranges.length + batchesOf(keys).length;
  return { keys, ranges, units: calls > CALLS ? Number.POSITIVE_INFINITY : units };
}

/** Blocks whose items a query returns at once, and most queries that read a set in parallel. */
const BLOCKS_A_QUERY = 32;
const QUERIES = 8;

/** The sort keys after this one, in ranges for queries. The last one has no end: `next` may be outdated. */
function rangesAfter(sortKey: string, next: number): Parts['ranges'] {
  const first = firstOfBlock(sortKey) / BLOCK_SIZE;
  const end = Math.max(first + 1, Math.ceil(next / BLOCK_SIZE));
  const step = Math.max(BLOCKS_A_QUERY, Math.ceil((end - first) / QUERIES));
  return Array.from({ length: Math.ceil((end - first) / step) }, (_, index) => {
    const from = first + index * step;
    const [begin, last] = [sortKeysOfBlock(from)[0], sortKeysOfBlock(from + step - 1)[1]];
    return [index === 0 ? `${sortKey}~` : begin, from + step >= end ? 'B#~' : last];
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
