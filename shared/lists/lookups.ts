import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { builtFilters, readCounterItem } from './counter-item.ts';
import { ListNotBuilt, TooManyMatches } from './errors.ts';
import type { Members } from './number-set.ts';
import { beginningWith, between, type Query, queryUpTo } from './queries.ts';
import type { Reading } from './read-budget.ts';
import { readWithin } from './read-records.ts';
import { type Item, isRecord, type Key } from './schema.ts';
import { Table } from './table.ts';
import { boundsOf, entryIn, numberOfEntry, partitionOf } from './text-index.ts';

/** Items that have texts as sort keys, such as the claims of a unique field. */
interface Texts {
  readonly partition: string;
  /** The number of the record that an item is about. */
  readonly numberOf: (item: Item) => number;
}

/** Where to look for texts: in an index of the list, by the rest of its partition key, or in other items. */
type TextRange = { readonly index: string } | Texts;

/** Which texts: those that begin with one, or those from the first to the last, inclusive. */
type WantedTexts = { readonly prefix: string } | { readonly from: string; readonly to: string };

/** Where a lookup looks: for texts, or at a single item, which names a record if it is there. */
type Range =
  | { readonly in: TextRange; readonly texts: WantedTexts }
  | { readonly key: Key; readonly numberOf: (item: Item) => number };

/** The records that have any of some texts: the union of ranges. */
export interface Lookup {
  /** The API's name of the parameter, for errors. */
  readonly name: string;
  readonly ranges: readonly Range[];
  /** Most texts that are read of a range. */
  readonly most: number;
  /** The indexes among the ranges, as the counter item names them. */
  readonly indexes: readonly string[];
  /** Where others' entries, or the records themselves, say whether it finds a record, so that its ranges need not be read as a whole. */
  readonly decided?: Decided;
  /** Whether it finds a record: where a range has more texts than are read, and all other lookups are exact, few records decide. */
  readonly byRecord?: (record: Item) => boolean;
  /** Whether few records have such a text, as a rule: it is read first, and these records decide the others. */
  readonly isExact?: boolean;
}

interface Decided {
  /** What an entry of another lookup says; undefined where it says nothing. */
  readonly byEntry: (entry: Item) => boolean | undefined;
  readonly byRecord: (record: Item) => boolean;
}

/** Texts of each range that are read first of lookups that decide each other. */
const BEGINNING = 500;

/** Most lookups that are begun at once, the first ones: two words or three mostly tell enough. */
const MOST_AT_ONCE = 3;

/** Read units after which no further one is begun, and only one is read on: entries are up to 1 KB, so that three words could take 1,500. */
const MOST_UNITS = 250;

/** Most records of an exact lookup that decide the others at once: of 400 KB each, they are within {@link MOST_BYTES}. */
const FEW = 20;

/** Most records that decide, and most bytes of them. */
const MOST_RECORDS = 500;
const MOST_BYTES = 8 * 1_048_576;

/** What the lookups of a list find. */
export interface Matched {
  /** The numbers that may be found; undefined where that is not known. */
  readonly numbers: ReadonlySet<number> | undefined;
  /** Those of which only the records say whether they are found; undefined where there are none. */
  readonly open: ReadonlySet<number> | 'all' | undefined;
}

/**
 * Reads what lookups find together. Strongly consistent.
 * @throws TooManyMatches when a lookup that nothing else decides, and no record, has more texts in a range than it reads
 */
export async function readMatching(table: Table, list: string, lookups: readonly Lookup[]): Promise<Matched> {
  const decided = lookups.filter((lookup) => lookup.decided !== undefined);
  const reads = lookups.flatMap((lookup) =>
    lookup.decided === undefined ? [new LookupRead(table, list, lookup)] : [],
  );
  const [found] = await Promise.all([
    decided.length === 0 ? undefined : readDecided(table, list, decided),
    ...reads.map(async (read) => {
      await read.readTo(read.lookup.most);
      const isOpen = read.lookup.byRecord !== undefined && decided.every(({ isExact }) => isExact);
      if (!read.isComplete && !isOpen) throw new TooManyMatches(read.lookup.most, read.lookup.name);
    }),
  ]);
  const complete = reads.filter(({ isComplete }) => isComplete);
  const exact = complete.map(({ entries }): ReadonlySet<number> => new Set(entries.keys()));
  const known = [...exact, ...(found?.numbers === undefined ? [] : [found.numbers])];
  const numbers = known.length === 0 ? undefined : known.reduce((one, other) => one.intersection(other));
  return { numbers, open: complete.length < reads.length ? 'all' : found?.open };
}

/**
 * Reads lookups of which one, if its ranges end, decides the others: an exact one with few records; else the beginnings of all, then one after the
 * other, first that which is expected to end first.
 */
async function readDecided(table: Table, list: string, lookups: readonly Lookup[]): Promise<Matched> {
  const reads = lookups.map((lookup) => new LookupRead(table, list, lookup));
  const exact = reads.filter(({ lookup }) => lookup.isExact);
  await Promise.all(exact.map((read) => read.readTo(read.lookup.most)));
  if (!exact.some(({ isComplete, entries }) => isComplete && entries.size <= FEW)) await readUntilOneEnds(reads);
  const complete = reads.filter(({ isComplete }) => isComplete);
  const [first, ...others] = complete.toSorted((one, other) => one.entries.size - other.entries.size);
  return first === undefined ? { numbers: undefined, open: 'all' } : decide(first, others, lookups);
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

/** Which numbers of a complete lookup all others find, by the entries; or which may be found, where some entries say nothing. */
function decide(first: LookupRead, others: readonly LookupRead[], lookups: readonly Lookup[]): Matched {
  const further = lookups.filter((lookup) => lookup !== first.lookup);
  const numbers = new Set<number>();
  const open = new Set<number>();
  for (const [number, entries] of first.entries) {
    const outcomes = further.map((lookup) => outcomeOf(lookup, number, entries, others));
    if (outcomes.includes(false)) continue;
    if (outcomes.includes(undefined)) open.add(number);
    numbers.add(number);
  }
  return { numbers, open: open.size === 0 ? undefined : open };
}

function outcomeOf(
  lookup: Lookup,
  number: number,
  entries: readonly Item[],
  complete: readonly LookupRead[],
): boolean | undefined {
  const known = entries.map((entry) => lookup.decided?.byEntry(entry)).find((outcome) => outcome !== undefined);
  return known ?? complete.find((read) => read.lookup === lookup)?.entries.has(number);
}

/** The reading of a lookup. */
class LookupRead {
  readonly lookup: Lookup;
  /** The entries that were found, by number. */
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
      isComplete: 'texts' in range && 'from' in range.texts && range.texts.from > range.texts.to,
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

  /** Reads up to so many texts of each range, and one more, which shows that there are others. */
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
function readOf(list: string, range: Range): Pick<RangeRead, 'read' | 'numberOf'> {
  if ('key' in range) return { read: { key: range.key }, numberOf: range.numberOf };
  const { in: where, texts } = range;
  const { partition, numberOf } =
    'index' in where ? { partition: partitionOf(list, where.index), numberOf: numberOfEntry } : where;
  const query = 'prefix' in texts ? beginningWith(partition, texts.prefix) : between(partition, boundsOf(texts));
  return { read: { query }, numberOf };
}

/**
 * The entries of a text in one index of a list, up to so many. Strongly consistent.
 * @param index the rest of its partition key, and its name for the counter item and for errors
 * @throws ListNotBuilt
 */
export async function readEntries(
  table: Table,
  list: string,
  { entries, index, name }: { readonly entries: string; readonly index: string; readonly name: string },
  text: string,
  most: number,
): Promise<readonly Item[]> {
  const query = between(partitionOf(list, entries), boundsOf({ from: text, to: text }));
  const [counter, { items }] = await Promise.all([readCounterItem(table, list, true), queryUpTo(table, query, most)]);
  if (counter.NEXT !== undefined && !builtFilters(counter).includes(index)) throw new ListNotBuilt(list, [name]);
  return items;
}

/** An item, as a query would return it. Strongly consistent. */
async function readOne({ client, name }: Table, key: Key) {
  const output = await client.send(new GetCommand({ TableName: name, Key: { ...key }, ConsistentRead: true }));
  return {
    items: output.Item === undefined ? [] : [output.Item as Item],
    last: undefined,
    units: Table.unitsIn(output),
  };
}

interface RangeRead {
  readonly read: { readonly query: Query } | { readonly key: Key };
  readonly numberOf: (item: Item) => number;
  count: number;
  after: Record<string, unknown> | undefined;
  isComplete: boolean;
}

/** The refusal of lookups of which none is read as a whole. It names words, if there are any: others may be found by those. */
export const tooManyMatches = (lookups: readonly Lookup[]): TooManyMatches => {
  const lookup =
    lookups.findLast(({ decided }) => decided !== undefined) ?? lookups.find(({ byRecord }) => byRecord !== undefined);
  return new TooManyMatches(lookup?.most ?? 0, lookup?.name ?? '');
};

/** What is open in a list. */
interface Open {
  readonly members: Members;
  readonly open: NonNullable<Matched['open']>;
  /** Bytes of its largest record, as noted. */
  readonly largest: number;
}

/**
 * The members of a list that all of its lookups find: its records decide of those that are open. Strongly consistent.
 * @throws TooManyMatches when there are too many such records, or they are too large
 */
export async function decideByRecords(
  table: Table,
  { partition, lookups }: { readonly partition: string; readonly lookups: readonly Lookup[] },
  { members, open, largest }: Open,
  timeLimit: Reading,
): Promise<readonly number[]> {
  const numbers = members.slice(0, open === 'all' ? MOST_RECORDS + 1 : members.total);
  const isOpen = (number: number): boolean => open === 'all' || open.has(number);
  const doubtful = numbers.filter(isOpen);
  if (doubtful.length > MOST_RECORDS) throw tooManyMatches(lookups);
  const records = await readWithin(table, partition, doubtful, { most: MOST_BYTES, largest, timeLimit });
  if (records === undefined) throw tooManyMatches(lookups);
  const isFound = (record: Item | undefined): boolean =>
    isRecord(record) && lookups.every(({ decided, byRecord }) => (decided?.byRecord ?? byRecord)?.(record) ?? true);
  return numbers.filter((number) => !isOpen(number) || isFound(records.get(number)));
}
