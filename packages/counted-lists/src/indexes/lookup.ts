import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { builtFilters, readCounterItem } from '../counter-item.ts';
import { ListNotBuilt } from '../errors.ts';
import { beginningWith, between, type Queried, type Query, queryOnce, queryUpTo } from '../queries.ts';
import type { Reading } from '../read-budget.ts';
import { AT, type Item, type Key } from '../schema.ts';
import { Table } from '../table.ts';
import { exactIndex, HOLDER, queueIndex } from './field-indexes.ts';
import { entryIn, itemsPartition, type Lookup, type LookupRange, upToText } from './list-index.ts';

/** What lookups find together. */
export interface Candidates {
  /** Undefined where they are too many. */
  readonly numbers: ReadonlySet<number> | undefined;
  /** Numbers whose entries do not tell whether all lookups find them. */
  readonly inexact: ReadonlySet<number>;
  /** Numbers whose record may be unwritten, with the epoch milliseconds of their entries (`entries-in-advance.ts`). */
  readonly inAdvance: ReadonlyMap<number, number>;
}

/** Items of each range that are read first of several lookups. */
const FIRST_ITEMS = 500;
/** Most lookups that are begun at once, the first ones: two words or three mostly tell enough. */
const MOST_AT_ONCE = 3;
/** Read units after which no lookup begins and only one continues: three words could take 1,500. */
const MOST_UNITS = 250;
/** Entries that one read unit reads, about. */
const ENTRIES_A_UNIT = 30;

/**
 * Reads what all of some lookups find, strongly consistent: one that is read as a whole decides the others by its
 * entries. First the beginnings of all, then one after the other, first that which is expected to end first.
 */
export async function readLookups(
  table: Table,
  list: string,
  lookups: readonly Lookup[],
  { expectUnits }: Pick<Reading, 'expectUnits'>,
): Promise<Candidates> {
  const reads = lookups.map((lookup) => new LookupRead(table, list, lookup));
  const isEnded = (): boolean => reads.some(({ isComplete }) => isComplete);
  const isDear = (): boolean => reads.reduce((sum, { units }) => sum + units, 0) > MOST_UNITS;
  const first = lookups.length === 1 ? (lookups[0]?.most ?? 0) : FIRST_ITEMS;
  let begun = 0;
  do {
    const further = reads.slice(begun, begun + MOST_AT_ONCE);
    expectUnits?.(Math.ceil((first * further.length) / ENTRIES_A_UNIT));
    await Promise.all(further.map((read) => read.readTo(first)));
    begun += further.length;
  } while (begun < reads.length && !isEnded() && !isDear());
  for (const [place, read] of shortestFirst(reads.slice(0, begun)).entries()) {
    if (isEnded() || (place > 0 && isDear())) break;
    expectUnits?.(Math.ceil((read.units / first) * (read.lookup.most - first)));
    await read.readTo(read.lookup.most);
  }
  return candidatesOf(reads);
}

function candidatesOf(reads: readonly LookupRead[]): Candidates {
  const complete = reads.filter(({ isComplete }) => isComplete);
  const [first] = complete.toSorted((one, other) => one.entries.size - other.entries.size);
  const [numbers, inexact] = [new Set<number>(), new Set<number>()];
  const inAdvance = new Map<number, number>();
  for (const [number, entries] of first?.entries ?? []) {
    const found = reads.map((read) => (read === first ? true : isFoundIn(read, number, entries)));
    if (found.includes(false)) continue;
    numbers.add(number);
    if (found.includes(undefined)) inexact.add(number);
    const times = entries.map(({ [AT]: at }) => Number(at));
    if (!times.some(Number.isNaN)) inAdvance.set(number, Math.max(...times));
  }
  return { numbers: first && numbers, inexact, inAdvance };
}

/** Whether a lookup finds a number of another one. @param others entries of that one */
function isFoundIn(read: LookupRead, number: number, others: readonly Item[]): boolean | undefined {
  const said = others.map((entry) => read.lookup.isFoundBy?.(entry)).find((found) => found !== undefined);
  return said ?? (read.isComplete ? read.entries.has(number) : undefined);
}

/** How far the numbers of equally many entries reach: the farther, the fewer there are. Several texts do not tell. */
const shortestFirst = (reads: readonly LookupRead[]): readonly LookupRead[] =>
  reads.some(({ reach }) => reach === undefined)
    ? reads
    : reads.toSorted((one, other) => (other.reach ?? 0) - (one.reach ?? 0));

interface RangeRead {
  readonly read: (most: number, after: Queried['last']) => Promise<Omit<Queried, 'queries'>>;
  readonly numberOf: (item: Item) => number;
  count: number;
  after: Queried['last'];
  isComplete: boolean;
}

/** The reading of a lookup. */
class LookupRead {
  readonly lookup: Lookup;
  /** The items that were found, by number. */
  readonly entries = new Map<number, Item[]>();
  /** What was read, in read units. */
  units = 0;
  readonly #ranges: readonly RangeRead[];

  constructor(table: Table, list: string, lookup: Lookup) {
    this.lookup = lookup;
    this.#ranges = lookup.ranges.map(
      (range): RangeRead => ({
        numberOf: 'numberOf' in range ? range.numberOf : numberOfEntry,
        read: (most, after) =>
          'key' in range ? readOne(table, range.key) : queryUpTo(table, queryOf(list, range), most, after),
        count: 0,
        after: undefined,
        // DynamoDB refuses a range that ends before it begins.
        isComplete: 'keys' in range && 'from' in range.keys && range.keys.from > range.keys.to,
      }),
    );
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
    const { items, last, units } = await range.read(most - range.count, range.after);
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

const numberOfEntry = ({ SK }: Item): number => entryIn(String(SK))?.number ?? 0;

function queryOf(list: string, range: Exclude<LookupRange, { readonly key: Key }>): Query {
  const partition = 'items' in range ? itemsPartition(list, range.items) : range.partition;
  const { keys } = range;
  return 'prefix' in keys ? beginningWith(partition, keys.prefix) : between(partition, [keys.from, keys.to]);
}

/** An item, as a query would return it. Strongly consistent. */
async function readOne({ client, name }: Table, key: Key): Promise<Omit<Queried, 'queries'>> {
  const output = await client.send(new GetCommand({ TableName: name, Key: { ...key }, ConsistentRead: true }));
  const items = output.Item === undefined ? [] : [output.Item as Item];
  return { items, last: undefined, units: Table.unitsIn(output) };
}

/**
 * The ids of some records with a value of a field that has an exact index, without the records. Strongly consistent.
 * @example await readHolders(table, 'CLIENTS', { field: 'external_id', value: 'crm-17', most: 2 })
 * @throws ListNotBuilt
 */
export async function readHolders(
  table: Table,
  list: string,
  { field, value, most }: { readonly field: string; readonly value: string; readonly most: number },
): Promise<readonly string[]> {
  const { name, entriesOf } = exactIndex(field);
  const [entry] = entriesOf({ [field]: value });
  if (entry === undefined || !('items' in entry)) return [];
  const query = between(itemsPartition(list, entry.items), [entry.text, `${entry.text}\v`]);
  const [counter, { items }] = await Promise.all([readCounterItem(table, list, true), queryUpTo(table, query, most)]);
  if (counter.NEXT !== undefined && !builtFilters(counter).includes(name)) throw new ListNotBuilt(list, [field]);
  return items.map(({ [HOLDER]: id }) => String(id));
}

/** The first records of a queue whose texts begin with a prefix and are not after another text. */
interface Waiting {
  readonly field: string;
  readonly prefix: string;
  readonly upTo: string;
  readonly most: number;
}

/**
 * The ids of records that wait in a queue, in the order of their texts, without the records. Strongly consistent: one
 * query.
 * @example await readQueue(table, 'JOBS', { field: 'waits_for', prefix: 'restart ', upTo: `restart ${now}`, most: 25 })
 */
export async function readQueue(table: Table, list: string, { field, prefix, upTo, most }: Waiting) {
  const [items = ''] = queueIndex(field).items ?? [];
  const query = between(itemsPartition(list, items), [prefix, upToText(upTo)]);
  const found = await queryOnce(table, query, most);
  return found.items.map(({ SK, [HOLDER]: id }) => ({ id: String(id), text: entryIn(String(SK))?.text ?? '' }));
}
