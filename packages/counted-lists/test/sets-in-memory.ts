import { BatchGetCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, ids, indexes, type Key, storedSets, type Table } from '@custodia/counted-lists';
import { BLOCK_SIZE, WORD_NAMES } from '../../../test/support/bits.ts';
import { tableSending } from '../../../test/support/table-sending.ts';
import { bitPlace, STRIPES } from '../src/bits.ts';
import { COUNTER } from '../src/counter-item.ts';
import { itemSizeOf } from '../src/table.ts';
import { LIST, readPage } from './read-page.ts';

/** Sets of filters in memory: those of millions of numbers, and what reading them costs. */

/**
 * A table in memory with the calls by which sets are read. It counts read units as DynamoDB charges them, and round trips, but for those of records:
 * every number has one.
 */
export class SetsInMemory {
  readonly name = `memory ${Math.random()}`;
  /** By partition and sort key. */
  readonly #items = new Map<string, Map<string, Item & Key>>();
  readonly #sets: string[] = [];
  /** Most items that a query returns at once: DynamoDB's limit is 1 MB. */
  readonly #atOnce: number;
  /** Whether the next call leaves a key unread. */
  leavesUnprocessed = false;
  /** Called before each call is carried out. */
  onCall: () => void = () => undefined;
  units = 0;
  roundTrips = 0;
  #roundTrip: Promise<void> | undefined;

  constructor(atOnce = 1_200) {
    this.#atOnce = atOnce;
  }

  get asTable(): Table {
    return tableSending((command) => this.#send(command), this.name);
  }

  put(item: Item & Key): void {
    const partition = this.#items.get(item.PK) ?? new Map<string, Item & Key>();
    this.#items.set(item.PK, partition.set(item.SK, item));
  }

  /** A set of numbers of the list, by `<field>=<value>`. */
  putSet(name: string, words: Words): void {
    this.#sets.push(name);
    for (const [place, bits] of words) {
      const [block = 0, stripe = 0] = place.split(' ').map(Number);
      const { sortKey: SK } = bitPlace(block * BLOCK_SIZE + stripe);
      const named = bits.map((word, index) => [WORD_NAMES[index], word] as const);
      this.put({ PK: partitionOf(name), SK, ...Object.fromEntries(named) });
    }
  }

  /** A number leaves one set and enters another, at one moment. */
  move(number: number, from: string, to: string): void {
    for (const [name, sign] of [
      [from, -1n],
      [to, 1n],
    ] as const) {
      const { sortKey: SK, word, bit } = bitPlace(number);
      const key = { PK: partitionOf(name), SK };
      const item = this.#at(key);
      this.put({ ...item, ...key, [word]: BigInt((item?.[word] as bigint | undefined) ?? 0n) + sign * bit });
    }
  }

  /** Adds attributes to the counter item. */
  mark(attributes: Item): void {
    const key = { PK: storedSets.partitionOf(LIST), SK: COUNTER };
    this.put({ ...this.#at(key), ...attributes, ...key });
  }

  async #send(command: object): Promise<object> {
    const records = this.#records(command);
    if (records !== undefined) return records;
    this.#roundTrip ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.roundTrips++;
      this.#roundTrip = undefined;
    });
    await this.#roundTrip;
    this.onCall();
    if (command instanceof QueryCommand) return this.#query(command.input);
    if (command instanceof BatchGetCommand) return this.#get(command.input);
    if (command instanceof GetCommand) return { Item: this.#at(command.input.Key as unknown as Key) };
    throw new Error('not expected');
  }

  /** The records that a command reads; undefined where it reads others. */
  #records(command: object): object | undefined {
    if (command instanceof BatchGetCommand) {
      const { Keys = [] } = command.input.RequestItems?.[this.name] ?? {};
      return Keys[0]?.PK === LIST
        ? { Responses: { [this.name]: Keys.map(({ SK }) => this.#recordOf(ids.numberIn(SK))) } }
        : undefined;
    }
    if (!(command instanceof QueryCommand)) return undefined;
    const { ':partition': partition, ':first': first, ':last': last } = command.input.ExpressionAttributeValues ?? {};
    if (partition !== LIST) return undefined;
    const [from, to] = [ids.numberIn(first), ids.numberIn(last)];
    return { Items: Array.from({ length: to - from + 1 }, (_, index) => this.#recordOf(from + index)) };
  }

  /** The record of a number, with the values in whose sets it is. */
  #recordOf(number: number): Item {
    const { sortKey: SK, word, bit } = bitPlace(number);
    const isIn = (name: string): boolean => {
      const bits = this.#at({ PK: partitionOf(name), SK })?.[word] as bigint | undefined;
      return (BigInt(bits ?? 0) & bit) !== 0n;
    };
    const values = this.#sets.filter(isIn).map((name) => name.split('='));
    return { PK: LIST, SK: ids.sortKeyOf(number), id: ids.newId(number), ...Object.fromEntries(values) };
  }

  #at = ({ PK, SK }: Key): (Item & Key) | undefined => this.#items.get(PK)?.get(SK);

  #query({ ExpressionAttributeValues: values = {}, ...input }: QueryCommand['input']): object {
    const { Limit, ExclusiveStartKey: start, ScanIndexForward: isForward = true } = input;
    const { ':partition': set, ':prefix': prefix = '', ':first': first = prefix, ':last': last } = values;
    const end = last ?? `${prefix}~`;
    if (first > end) throw new Error('ValidationException: the upper bound of BETWEEN is below the lower bound');
    const isNext = (sortKey: string): boolean =>
      start === undefined || (isForward ? sortKey > start.SK : sortKey < start.SK);
    const found = Array.from(this.#items.get(set)?.values() ?? [])
      .filter(({ SK }) => SK >= first && SK <= end && isNext(SK))
      .sort((one, other) => (one.SK < other.SK === isForward ? -1 : 1));
    const most = Math.min(Limit ?? this.#atOnce, this.#atOnce);
    const read = found.slice(0, most);
    const units = Math.ceil(read.reduce((sum, item) => sum + itemSizeOf(item), 0) / 4_096) || 1;
    this.units += units;
    return {
      Items: read,
      ConsumedCapacity: { CapacityUnits: units },
      ...(read.length === most && { LastEvaluatedKey: { PK: set, SK: read.at(-1)?.SK } }),
    };
  }

  #get({ RequestItems = {} }: BatchGetCommand['input']): object {
    const { Keys = [] } = RequestItems[this.name] ?? {};
    if (Keys.length > 100) throw new Error('DynamoDB reads at most 100 keys in a call');
    this.units += Keys.length;
    const unread = this.leavesUnprocessed ? 1 : 0;
    const left = this.leavesUnprocessed ? { [this.name]: { Keys: Keys.slice(0, unread) } } : {};
    this.leavesUnprocessed = false;
    const found = Keys.slice(unread)
      .map((key) => this.#at(key as unknown as Key))
      .filter((item) => item !== undefined);
    return { Responses: { [this.name]: found }, UnprocessedKeys: left };
  }
}

/** Words by item: `<block> <stripe>`. */
export type Words = ReadonlyMap<string, readonly bigint[]>;

function partitionOf(set: string): string {
  const [field, value] = set.split('=');
  return storedSets.partitionOf(LIST, field, value);
}

/** A list of records that are in sets. */
export interface InSets {
  readonly table: SetsInMemory;
  /** By field, the values that its records have one of. */
  readonly filter: Readonly<Record<string, readonly string[]>>;
}

/** The records with a value of each field, by the sets of these values. A field with the value `true` is a flag. */
export function listOf(table: SetsInMemory, sets: ReadonlyMap<string, Words>, next: number): InSets {
  for (const [name, words] of sets) table.putSet(name, words);
  const values = Array.from(sets.keys(), (name) => name.split('=') as [field: string, value: string]);
  const byField = Map.groupBy(values, ([field]) => field);
  const filter = Array.from(byField, ([field, all]) => [field, all.map(([, value]) => value)] as const);
  table.put({ PK: storedSets.partitionOf(LIST), SK: COUNTER, NEXT: next, FILTERS: filter.map(([field]) => field) });
  return { table, filter: Object.fromEntries(filter) };
}

/** The numbers of a list's records, as its page with all of them has them. */
export async function membersIn({ table, filter }: InSets): Promise<number[]> {
  const fields = Object.entries(filter);
  const finders = fields.map(([field, values]) =>
    values.some((value) => isFlagValue(value) !== undefined)
      ? indexes.flagIndex(field, (job: Item) => job[field] === 'true')
      : indexes.setIndex(field, () => false),
  );
  const wanted = fields.map(([field, values]) => [field, values.map((value) => isFlagValue(value) ?? value)]);
  const query = { page_size: Number.MAX_SAFE_INTEGER, filter: Object.fromEntries(wanted) };
  const { numbers, total } = await readPage(table.asTable, query, { finders });
  if (numbers.length !== total) throw new Error(`${numbers.length} of ${total} records`);
  return numbers;
}

const isFlagValue = (value: string): boolean | undefined =>
  value === 'true' || value === 'false' ? value === 'true' : undefined;

/** The numbers that all sets have, computed without the lists' code. */
export function commonOf(sets: readonly Words[]): number[] {
  const [first = new Map(), ...others] = sets;
  return Array.from(first as Words)
    .flatMap(([place, words]) => {
      const [block = 0, stripe = 0] = place.split(' ').map(Number);
      return words.flatMap((word, index) => {
        const bits = others.reduce((left, other) => left & (other.get(place)?.[index] ?? 0n), word);
        return placesIn(bits).map((bit) => block * BLOCK_SIZE + (index * 100 + bit) * STRIPES + stripe);
      });
    })
    .sort((one, other) => one - other);
}

/** The places of the bits of a word, from the lowest on. */
function placesIn(word: bigint): number[] {
  if (word === 0n) return [];
  return [...word.toString(2)].toReversed().flatMap((bit, place) => (bit === '1' ? [place] : []));
}
