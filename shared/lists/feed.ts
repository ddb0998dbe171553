import { readCounterItem } from './counter-item.ts';
import { FeedExpired } from './errors.ts';
import { type FollowedList, Numbers, nextIn, readStretch, type Stretch } from './feed-numbers.ts';
import { generationOf } from './generation.ts';
import { floorOf } from './periods.ts';
import { type Item, isRecord } from './schema.ts';
import { serverTime, type Table } from './table.ts';
import type { TimeLimit } from './time-limit.ts';

/**
 * Reads an ordered list whose records expire from a number on, for readers who follow it (`docs/decisions/0201-events.md`):
 *
 *     record ─────────────────────────────▶ returned
 *     tombstone, or a gap bit ────────────▶ skipped: nobody can write a record there any more
 *     nothing ── writer's grace period over ▶ fenced, and read again: a tombstone, or the record that was faster
 *             └─ else ────────────────────▶ the feed ends before it: the number is open
 *
 * So a reader who goes on from {@link FeedPage.next} meets each record once and misses none, however long a writer sleeps.
 */

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

export interface FeedPage {
  readonly items: readonly Item[];
  /** The number to go on from. */
  readonly next: number;
  /** Why it ends: there is nothing more; the next number is open; or there is more to read at once. */
  readonly ended: 'end' | 'open' | 'limit';
  /** As {@link generationOf}. */
  readonly generation: string;
}

const MOST_ITEMS = 1_000;
/** Most queries of records, one after another: a block of gaps takes one. */
const MOST_QUERIES = 16;
/** Fewest records of a query after the first, where not all are accepted. */
const A_QUERY = 200;

/** Numbers count as expired so much earlier, in milliseconds: the clock of DynamoDB is known within seconds. */
const EARLIER = 3_600_000;

/**
 * Strongly consistent. Usually one round trip; one more where numbers have no record, and one where some are fenced.
 * @throws FeedExpired where the numbers from there on are not all kept, or never were
 */
export async function readFeed(table: Table, list: FollowedList, request: FeedRequest): Promise<FeedPage> {
  const counting = readCounterItem(table, list.partition, true);
  const { from } = request;
  const first = from === 'oldest' ? floorAt(await counting, serverTime(table, request.timeLimit.clock)) : from;
  const reading = new Reading(table, list, request, first);
  let ended: FeedPage['ended'] | undefined;
  for (let queries = 0; ended === undefined && queries < MOST_QUERIES && reading.mayGoOn; queries++)
    ended = await reading.goOn(counting);
  const { items, next } = reading;
  return { items, next, ended: ended ?? 'limit', generation: await generationOf(table, await counting) };
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
    const { clock } = this.#request.timeLimit;
    const wanted = Math.min(this.#left, Math.max(this.#missing, this.#read === 0 ? 1 : A_QUERY));
    const [counter, stretch] = await Promise.all([counting, readStretch(this.#table, this.#list, this.next, wanted)]);
    // After reading: what was deleted meanwhile had expired before.
    assertKept(counter, this.next, serverTime(this.#table, clock));
    this.#read += stretch.found.size;
    const numbers = new Numbers(this.#list, counter, stretch, clock());
    await numbers.readGaps(this.#table, this.next);
    this.#take(stretch, numbers);
    if (this.next === nextIn(counter)) return 'end';
    if (this.next === numbers.end || this.#missing === 0) return undefined;
    return this.#close(numbers);
  }

  #take({ found }: Stretch, numbers: Numbers): void {
    const { accepts = () => true } = this.#request;
    for (; this.next < numbers.end && numbers.isClosed(this.next) && this.#missing > 0; this.next++) {
      const item = found.get(this.next);
      if (isRecord(item) && accepts(item)) this.items.push(item);
    }
  }

  /** Closes the next number and others, where their writers' grace period is over. */
  async #close(numbers: Numbers): Promise<FeedPage['ended'] | undefined> {
    if (!numbers.isOverdue(this.next) || this.#fencedFrom === this.next) return 'open';
    if (this.#fencedFrom !== undefined) return 'limit';
    this.#fencedFrom = this.next;
    await numbers.fenceOverdue(this.#table, this.next);
    return undefined;
  }
}

/** The first number that is kept, at a time in epoch milliseconds. */
export const floorAt = (counter: Item, now: number): number => floorOf(counter, nextIn(counter), now + EARLIER);

function assertKept(counter: Item, from: number, now: number): void {
  if (from < floorAt(counter, now) || from > nextIn(counter)) throw new FeedExpired();
}
