import { between, queryUpTo } from './queries.ts';
import type { Item } from './schema.ts';
import type { Table } from './table.ts';
import { entryIn, partitionOf } from './text-index.ts';

/** Reads an order of a list: an index of texts that has each record once (`text-index.ts`). */

/** An order of a list as its readers know it. */
export interface Order {
  /** As the counter item names it. */
  readonly index: string;
  /** The rest of its partition key. */
  readonly entries: string;
  /** The text under which it has a record. */
  readonly textOf: (item: Item) => string;
  /** Where only the records with a text from the first to the last of these belong to the list. */
  readonly texts?: { readonly from: string; readonly to: string } | undefined;
}

/** Most bytes of an order that are read for a page: 512 read units. */
const MOST_BYTES = 2 * 1_048_576;

/** Bytes of an entry besides its partition key: the names of both keys, a time and a number. */
const ENTRY_BYTES = 4 + 24 + 1 + 12;

/** The numbers of a list in an order, from one end, as far as they were read. Strongly consistent. */
export class OrderScan {
  readonly #table: Table;
  readonly #partition: string;
  readonly #newestFirst: boolean;
  readonly #range: Range;
  #texts = new Map<number, string>();
  #first: string | undefined;
  #last: Record<string, unknown> | undefined;
  #isComplete: boolean;
  #queries = 0;
  #count = 0;

  constructor(table: Table, list: string, { entries, texts }: Order, newestFirst: boolean) {
    this.#table = table;
    this.#partition = partitionOf(list, entries);
    this.#newestFirst = newestFirst;
    this.#range = texts === undefined ? ALL : [texts.from, `${texts.to}\v`];
    this.#isComplete = this.#range[0] > this.#range[1];
  }

  /** The numbers in order, each once, with their texts. One that was found twice, because it moved meanwhile, keeps its first place. */
  get texts(): ReadonlyMap<number, string> {
    return this.#texts;
  }

  /** Whether the other end was reached. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Most entries that are read. */
  get most(): number {
    return Math.floor(MOST_BYTES / (this.#partition.length + ENTRY_BYTES));
  }

  /** Whether no more may be read. */
  get isExhausted(): boolean {
    return this.#count >= this.most;
  }

  /** Reads up to this many further entries. */
  async read(wanted: number): Promise<void> {
    if (this.#isComplete || this.isExhausted) return;
    const { items, queries, last } = await this.#query(this.#range, Math.min(wanted, this.most - this.#count));
    this.#queries += queries;
    this.#count += items.length;
    this.#first ??= items[0] === undefined ? undefined : String(items[0].SK);
    this.#last = last;
    this.#isComplete = last === undefined;
    this.#texts = new Map([...this.#texts, ...textsIn(items).filter(([number]) => !this.#texts.has(number))]);
  }

  /**
   * Where times were read from the latest one by several queries, reads what has moved to that end meanwhile: such a number is there, and may have been
   * in none of the queries.
   */
  async readMoved(): Promise<void> {
    if (!this.#newestFirst || this.#queries < 2 || this.#first === undefined) return;
    this.#queries = 1;
    const { items } = await this.#query([`${this.#first} `, this.#range[1]], MOST_MOVED);
    const moved = new Map(textsIn(items));
    this.#texts = new Map([...moved, ...[...this.#texts].filter(([number]) => !moved.has(number))]);
  }

  #query(range: Range, most: number) {
    const query = { ...between(this.#partition, range), ScanIndexForward: !this.#newestFirst };
    return queryUpTo(this.#table, query, most, range === this.#range ? this.#last : undefined);
  }
}

type Range = readonly [first: string, last: string];

/** All entries: they begin with a digit, or without a text with `\n`. */
const ALL: Range = ['\n', '~'];

/** Most entries that have moved during a scan: a tenant can move 500 in a second. */
const MOST_MOVED = 1_000;

const textsIn = (items: readonly Item[]): [number: number, text: string][] =>
  items.flatMap(({ SK }) => {
    const entry = entryIn(String(SK));
    return entry === undefined ? [] : [[entry.number, entry.text]];
  });
