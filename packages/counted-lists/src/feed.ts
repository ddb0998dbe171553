import { BLOCK_SIZE, NUMBERS, sortKeysOfBlock } from './bits.ts';
import { counterKeyOf, generationOf, type List, nextIn, raiseGeneration, readCounterItem } from './counter-item.ts';
import { FeedExpired } from './errors.ts';
import { fence } from './fence.ts';
import { isOverdue, settledUpTo } from './grace-period.ts';
import { numberIn, sortKeyOf } from './ids.ts';
import { LONGEST_ORDERED_USE } from './number-pool.ts';
import { Members, NumberSet } from './number-set.ts';
import { expiryOfNumber, floorOf } from './periods.ts';
import { between, ofPartition, queryAll, queryUpTo } from './queries.ts';
import { recordsIn } from './read-records.ts';
import { type Item, isRecord } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import { type Clock, serverTime, type Table, type TimeLimit } from './table.ts';

/**
 * Reads an ordered list whose records expire from a number on, for readers who follow it
 * (`docs/decisions/0201-events.md`):
 *
 *     record ─────────────────────────────▶ returned
 *     a gap bit ──────────────────────────▶ skipped: nobody can write a record there any more
 *     tombstone ──────────────────────────▶ skipped, too, and its gap bit set where who put it did not come to that
 *     nothing ── writer's grace period over ▶ fenced, and read again: a tombstone, or the record that was faster
 *             └─ else ────────────────────▶ the feed ends before it: the number is open
 *
 * So a reader who goes on from {@link FeedPage.next} meets each record once and misses none, however long a writer
 * sleeps.
 */

/** A list that can be followed. Its records have 1 KB at most. */
interface FollowedList extends List {
  readonly retentionDays: number;
  /** The field with the time of a record's creation. */
  readonly createdAt: string;
}

interface FeedRequest {
  /** The first number that was not read yet. */
  readonly from: number | 'oldest';
  /** Most records that are returned. */
  readonly limit: number;
  /** Which records are returned; by default all. */
  readonly accepts?: (item: Item) => boolean;
  readonly timeLimit: TimeLimit;
  /** Most records and tombstones that are read. */
  readonly most?: number;
}

interface FeedPage {
  readonly items: readonly Item[];
  /** The number to go on from. */
  readonly next: number;
  /** Why it ends: there is nothing more; the next number is open; or there is more to read at once. */
  readonly ended: 'end' | 'open' | 'limit';
  /** Names the numbering: it changes where numbers may be given again. */
  readonly generation: string;
}

const MOST_ITEMS = 1_000;
/** Most queries of records, one after another: a block of gaps takes one. */
const MOST_QUERIES = 16;
/** Fewest records of a query after the first, where not all are accepted. */
const A_QUERY = 200;

/** Numbers count as expired so much earlier, in milliseconds: the clock of DynamoDB is known within seconds. */
const EARLIER = 3_600_000;

/** Fewest records that {@link Feed.end} looks at, and most. */
const LAST = { fewest: 100, step: 1_000, most: 5_000 } as const;
/** How many neighbours must be old: the clock of one writer may be wrong. */
const ALL_OLD = 32;

/**
 * A list that is followed in the order of its numbers.
 * @example
 * const feed = new Feed(table, { ...list, createdAt: 'time', retentionDays: 30, ordered: true });
 * const { next } = await feed.end(timeLimit);
 * const { items } = await feed.read({ from: next, limit: 100, timeLimit });
 */
export class Feed {
  readonly #table: Table;
  readonly #list: FollowedList;

  constructor(table: Table, list: FollowedList) {
    this.#table = table;
    this.#list = list;
  }

  /** The key of the item that says how far a list is, by the partition of its records. */
  static readonly keyOf = counterKeyOf;

  /** What that item says: the next number, and the generation. */
  static async placeIn(table: Table, counter: Item): Promise<Pick<FeedPage, 'next' | 'generation'>> {
    return { next: nextIn(counter), generation: await generationOf(table, counter) };
  }

  /**
   * Reads from a number on. Strongly consistent. Usually one round trip; one more where numbers have no record, and one
   * where some are fenced.
   * @throws FeedExpired where the numbers from there on are not all kept, or never were
   */
  async read(request: FeedRequest): Promise<FeedPage> {
    const [table, list] = [this.#table, this.#list];
    const counting = readCounterItem(table, list.partition, true);
    const { from, timeLimit } = request;
    const first = from === 'oldest' ? floorAt(await counting, serverTime(table, timeLimit.clock)) : from;
    const reading = new Reading(table, list, request, first);
    let ended: FeedPage['ended'] | undefined;
    for (let queries = 0; ended === undefined && queries < MOST_QUERIES && reading.mayGoOn; queries++)
      ended = await reading.goOn(counting);
    const { items, next } = reading;
    return { items, next, ended: ended ?? 'limit', generation: await generationOf(table, await counting) };
  }

  /**
   * Where to follow the list from, to get what is committed from now on: usually its end. Earlier where a number is
   * open, because its record may still come. Those of writers that may be at work are not far from the end.
   */
  async end(timeLimit: TimeLimit): Promise<Pick<FeedPage, 'next' | 'generation'>> {
    const from = await this.#beginningOfLast(timeLimit);
    return this.read({ from, limit: LAST.step, accepts: () => false, timeLimit, most: LAST.most + LAST.step });
  }

  /** A number before which all writers have ended. */
  async #beginningOfLast({ clock }: TimeLimit): Promise<number | 'oldest'> {
    const { partition, createdAt } = this.#list;
    const query = { ...ofPartition(partition), ScanIndexForward: false };
    const settledBefore = (item: Item): boolean =>
      settledUpTo([[0, item]], createdAt, serverTime(this.#table, clock), { time: 2 * LONGEST_ORDERED_USE }) === 0;
    for (let count = 0, after: Record<string, unknown> | undefined; ; ) {
      const { items, last } = await queryUpTo(this.#table, query, count === 0 ? LAST.fewest : LAST.step, after);
      count += items.length;
      if (last === undefined) return 'oldest';
      if (count >= LAST.most || items.slice(-ALL_OLD).every(settledBefore)) return numberIn(String(last.SK));
      after = last;
    }
  }

  /**
   * Counts the records from each of these numbers on, from the numbers that were allocated and the gaps among them;
   * none from numbers from which on not all records are kept. Exact, but that a number counts while it is open. Two
   * round trips: the counter item while the numbers are being read, and one query of gaps for every 4.5 million.
   */
  async countFrom(clock: Clock, reading: Promise<readonly number[]>) {
    const [counter, numbers] = await Promise.all([readCounterItem(this.#table, this.#list.partition, true), reading]);
    const to = nextIn(counter);
    const floor = floorAt(counter, serverTime(this.#table, clock));
    const kept = numbers.filter((number) => number >= floor);
    const excluded = await this.#readGaps(Math.min(to, ...kept), to);
    // A number may be later than the counter item as read.
    const countOf = (from: number): number => new Members({ from, to, excluded }).total;
    const counts: ReadonlyMap<number, number> = new Map(kept.map((number) => [number, countOf(number)]));
    return { generation: await generationOf(this.#table, counter), counts };
  }

  /** The gaps from a number up to, not including, another one, and perhaps others. */
  async #readGaps(from: number, to: number): Promise<NumberSet> {
    if (from >= to) return NumberSet.EMPTY;
    const [first] = sortKeysOfBlock(Math.floor(from / BLOCK_SIZE));
    const [, last] = sortKeysOfBlock(Math.floor((to - 1) / BLOCK_SIZE));
    const range = between(storedSets.partitionOf(this.#list.partition), [first, last]);
    return NumberSet.ofItems(await queryAll(this.#table, range));
  }

  /** Ends what followers know of it: numbers are given again, or records have changed without a new one. */
  raiseGeneration(): Promise<void> {
    return raiseGeneration(this.#table, this.#list);
  }
}

/** How far a feed is read. */
class Reading {
  readonly #table: Table;
  readonly #list: FollowedList;
  readonly #request: FeedRequest;
  readonly items: Item[] = [];
  next: number;
  #read = 0;
  /** The number from which on some were fenced: only once, and the one that could not be stays open. */
  #fencedFrom: number | undefined;

  constructor(table: Table, list: FollowedList, request: FeedRequest, first: number) {
    this.#table = table;
    this.#list = list;
    this.#request = request;
    this.next = first;
  }

  get mayGoOn(): boolean {
    return this.#missing > 0 && this.#left > 0;
  }

  get #missing(): number {
    return this.#request.limit - this.items.length;
  }

  get #left(): number {
    return (this.#request.most ?? MOST_ITEMS) - this.#read;
  }

  /** Reads a stretch. @returns how the feed ends there; undefined where more may be read */
  async goOn(counting: Promise<Item>): Promise<FeedPage['ended'] | undefined> {
    const wanted = Math.min(this.#left, Math.max(this.#missing, this.#read === 0 ? 1 : A_QUERY));
    const stretch = await readStretch(this.#table, this.#list, this.next, wanted, counting);
    // After reading: what was deleted meanwhile had expired before.
    assertKept(stretch.counter, this.next, serverTime(this.#table, this.#request.timeLimit.clock));
    this.#read += stretch.found.size;
    await this.#fence(stretch, this.#take(stretch), true);
    if (this.next === nextIn(stretch.counter)) return 'end';
    return this.next === stretch.end || this.#missing === 0 ? undefined : this.#close(stretch);
  }

  /** @returns the tombstones that it passes without a gap, which count as records until that is noted */
  #take(stretch: Stretch): number[] {
    const { accepts = () => true } = this.#request;
    const unnoted: number[] = [];
    for (; this.next < stretch.end && isClosed(stretch, this.next) && this.#missing > 0; this.next++) {
      const item = stretch.found.get(this.next);
      if (isRecord(item) && accepts(item)) this.items.push(item);
      if (!isRecord(item) && !stretch.gaps.has(this.next)) unnoted.push(this.next);
    }
    return unnoted;
  }

  /** Closes the next number and others, where their writers' grace period is over. */
  async #close(stretch: Stretch): Promise<FeedPage['ended'] | undefined> {
    const now = this.#request.timeLimit.clock();
    const overdue = overdueIn(this.#list, stretch, this.next, now);
    if (overdue[0] !== this.next || this.#fencedFrom === this.next) return 'open';
    if (this.#fencedFrom !== undefined) return 'limit';
    this.#fencedFrom = this.next;
    await this.#fence(stretch, overdue, false);
    return undefined;
  }

  async #fence({ counter, gapItems }: Stretch, numbers: readonly number[], isFenced: boolean): Promise<void> {
    if (numbers.length === 0) return;
    const { partition } = this.#list;
    const found = numbers.map((number) => ({ partition, number, expires: expiryOfNumber(counter, number), isFenced }));
    await fence(this.#table, found, gapItems, this.#request.timeLimit.clock());
  }
}

/** The state of neighbouring numbers of a block, as far as they are allocated. */
interface Stretch {
  readonly counter: Item;
  /** Records and tombstones. */
  readonly found: ReadonlyMap<number, Item>;
  /** One after the last number that was looked at. */
  readonly end: number;
  readonly gapItems: readonly Item[];
  readonly gaps: NumberSet;
}

/** Reads the first records and tombstones of a block from a number on, and its gap bits where one has no record. */
async function readStretch(
  table: Table,
  { partition }: List,
  from: number,
  most: number,
  counting: Promise<Item>,
): Promise<Stretch> {
  const block = Math.floor(from / BLOCK_SIZE);
  // A cursor may name any number, also of the last block, which is a shorter one.
  const endOfBlock = Math.min((block + 1) * BLOCK_SIZE, NUMBERS);
  const range = between(partition, [sortKeyOf(from), sortKeyOf(endOfBlock - 1)]);
  const [counter, { items, last }] = await Promise.all([counting, queryUpTo(table, range, most)]);
  const found = recordsIn(items);
  const end = Math.min(last === undefined ? endOfBlock : numberIn(String(last.SK)) + 1, nextIn(counter));
  let open = from;
  while (open < end && isRecord(found.get(open))) open++;
  // After the records, because none of a followed list is deleted before it expires.
  const gapItems =
    open < end ? await queryAll(table, between(storedSets.partitionOf(partition), sortKeysOfBlock(block))) : [];
  return { counter, found, end, gapItems, gaps: NumberSet.ofItems(gapItems) };
}

/** Whether there is a record, or can never be one. */
const isClosed = ({ found, gaps }: Stretch, number: number): boolean => found.has(number) || gaps.has(number);

/** The numbers from this one on whose writers' grace period is over. */
function overdueIn({ createdAt }: FollowedList, stretch: Stretch, from: number, now: number): number[] {
  const { counter, found, end } = stretch;
  const settled = settledUpTo(found, createdAt, now);
  const numbers = Array.from({ length: end - from }, (_, index) => from + index);
  return numbers.filter((number) => !isClosed(stretch, number) && isOverdue(counter, number, now, settled));
}

/** The first number that is kept, at a time in epoch milliseconds. */
const floorAt = (counter: Item, now: number): number => floorOf(counter, nextIn(counter), now + EARLIER);

function assertKept(counter: Item, from: number, now: number): void {
  if (from < floorAt(counter, now) || from > nextIn(counter)) throw new FeedExpired();
}
