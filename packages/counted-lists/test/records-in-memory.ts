import { BatchGetCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, ids, indexes, type Key, storedSets } from '@custodia/counted-lists';
import { itemsWith } from '../../../test/support/bits.ts';
import { tableSending } from '../../../test/support/table-sending.ts';
import { COUNTER } from '../src/counter-item.ts';
import { LIST, readPage } from './read-page.ts';

/** Most bytes that a query returns, and a `BatchGetItem`. */
const A_QUERY = 1_048_576;
const A_BATCH = 16 * A_QUERY;

const FINDERS = [indexes.setIndex('state', () => false)];

interface Given {
  /** Numbers with a record, rising. All are in the list of those with the state `rare`. */
  readonly numbers: readonly number[];
  readonly bytesOf?: (number: number) => number;
  /** Whether an eventually consistent read does not see a record. */
  readonly isStale?: (number: number) => boolean;
  /** Whether the list's sets have all records. */
  readonly isBuilt?: boolean;
  /** What the counter item notes of the largest record, in bytes. */
  readonly largest?: number;
}

/** A list in memory, with DynamoDB's limits: how its records are read, however many and large they are. */
export class RecordsInMemory {
  /** The calls that read records. */
  readonly calls: string[] = [];
  /** Bytes of the records that were read. */
  bytes = 0;
  readonly #given: Required<Given>;
  readonly #records: ReadonlySet<number>;
  readonly #sets: ReadonlyMap<string, readonly Item[]>;

  constructor(given: Given) {
    this.#given = { bytesOf: () => 1_000, isStale: () => false, isBuilt: true, largest: 0, ...given };
    this.#records = new Set(given.numbers);
    const next = (given.numbers.at(-1) ?? -1) + 1;
    const gaps = Array.from({ length: next }, (_, number) => number).filter((number) => !this.#records.has(number));
    const counter = {
      SK: COUNTER,
      NEXT: next,
      FILTERS: this.#given.isBuilt ? ['state'] : [],
      LARGEST: this.#given.largest,
    };
    this.#sets = new Map([
      [storedSets.partitionOf(LIST), [...itemsWith(gaps), counter]],
      [storedSets.partitionOf(LIST, 'state', 'rare'), itemsWith(given.numbers)],
    ]);
  }

  /** Reads a page, in the order of the numbers where nothing else is said. */
  page(
    query: { readonly page_size?: number; readonly sort?: string; readonly filter?: { state: 'rare' } },
    expectUnits?: (units: number) => void,
  ) {
    const table = tableSending((command) => this.#send(command), 't');
    return readPage(table, { page_size: 25, ...query }, { finders: FINDERS, expectUnits });
  }

  async #send(command: object): Promise<object> {
    if (command instanceof BatchGetCommand) return this.#get(command.input);
    if (command instanceof GetCommand) return { Item: this.#inSets(command.input.Key as unknown as Key)[0] };
    if (!(command instanceof QueryCommand)) throw new Error('nothing is written');
    const { ExpressionAttributeValues: values = {} } = command.input;
    const [PK] = Object.values(values);
    return PK === LIST ? this.#query(command.input) : { Items: this.#inSets({ PK, SK: '' }) };
  }

  #inSets = ({ PK, SK }: Key): readonly Item[] =>
    (this.#sets.get(PK) ?? []).filter((item) => SK === '' || item.SK === SK);

  #query({ ConsistentRead, ScanIndexForward: isForward = true, ...input }: QueryCommand['input']): object {
    const { ':first': first = ids.sortKeyOf(0), ':last': last = '~' } = input.ExpressionAttributeValues ?? {};
    const after = input.ExclusiveStartKey?.SK;
    const isAsked = (number: number): boolean => {
      const key = ids.sortKeyOf(number);
      return key >= first && key <= last && (after === undefined || (isForward ? key > after : key < after));
    };
    const asked = this.#given.numbers.filter(isAsked).slice(isForward ? 0 : -(input.Limit ?? 0));
    const ordered = isForward ? asked : asked.toReversed();
    const read = this.#within(ordered.slice(0, input.Limit), A_QUERY);
    this.calls.push('Query');
    const isEnd = read.length === ordered.length && read.length !== input.Limit;
    return {
      Items: this.#seen(read, ConsistentRead),
      ConsumedCapacity: this.#consumed(read, ConsistentRead),
      ...(isEnd ? {} : { LastEvaluatedKey: { PK: LIST, SK: ids.sortKeyOf(read.at(-1) ?? 0) } }),
    };
  }

  #get({ RequestItems = {} }: BatchGetCommand['input']): object {
    const { Keys = [], ConsistentRead } = RequestItems.t ?? { Keys: [] };
    const asked = Keys.map(({ SK }) => ids.numberIn(String(SK)));
    const read = this.#within(asked, A_BATCH);
    this.calls.push('BatchGet');
    const unread = Keys.slice(read.length);
    return {
      Responses: { t: this.#seen(read, ConsistentRead) },
      UnprocessedKeys: unread.length === 0 ? {} : { t: { Keys: unread } },
      ConsumedCapacity: [this.#consumed(read, ConsistentRead)],
    };
  }

  /** As many of these as fit. */
  #within(numbers: readonly number[], most: number): readonly number[] {
    let bytes = 0;
    return numbers.filter((number) => {
      bytes += this.#sizeOf(number);
      return bytes <= most;
    });
  }

  #sizeOf = (number: number): number => (this.#records.has(number) ? this.#given.bytesOf(number) : 0);

  #seen = (numbers: readonly number[], isStrongly = false): Item[] =>
    numbers
      .filter((number) => this.#records.has(number) && (isStrongly || !this.#given.isStale(number)))
      .map((number) => ({ PK: LIST, SK: ids.sortKeyOf(number), id: ids.newId(number), state: 'rare', SETS: 'state' }));

  #consumed(numbers: readonly number[], isStrongly = false) {
    const bytes = numbers.reduce((sum, number) => sum + this.#sizeOf(number), 0);
    this.bytes += bytes;
    return { CapacityUnits: bytes / (isStrongly ? 4_096 : 8_192) };
  }
}
