import { BLOCK_SIZE, sortKeysOfBlock } from './bits.ts';
import { generationOf, nextIn, readCounterItem } from './counter-item.ts';
import { type FeedPage, type FollowedList, floorAt, readFeed } from './feed.ts';
import { settledUpTo } from './grace-period.ts';
import { numberIn } from './ids.ts';
import { LONGEST_ORDERED_USE } from './number-pool.ts';
import { Members, NumberSet } from './number-set.ts';
import { between, ofPartition, queryAll, queryUpTo } from './queries.ts';
import type { Item } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import { serverTime, type Table } from './table.ts';
import type { Clock, TimeLimit } from './time-limit.ts';

/** Where a list that is followed ends, and how many records there are until then. */

/** Fewest records that {@link endOfFeed} looks at, and most. */
const LAST = { fewest: 100, step: 1_000, most: 5_000 } as const;
/** So many neighbours must be old: the clock of one writer may be wrong. */
const ALL_OLD = 32;

/**
 * Where to follow a list from, to get what is committed from now on: usually its end. Earlier where a number is open, because its record may
 * still come. Those of writers that may be at work are not far from the end.
 */
export async function endOfFeed(
  table: Table,
  list: FollowedList,
  timeLimit: TimeLimit,
): Promise<Pick<FeedPage, 'next' | 'generation'>> {
  const from = await beginningOfLast(table, list, timeLimit);
  return readFeed(table, list, {
    from,
    limit: LAST.step,
    accepts: () => false,
    timeLimit,
    most: LAST.most + LAST.step,
  });
}

/** A number before which all writers have ended. */
async function beginningOfLast(
  table: Table,
  { partition, createdAt }: FollowedList,
  { clock }: TimeLimit,
): Promise<number | 'oldest'> {
  const query = { ...ofPartition(partition), ScanIndexForward: false };
  const settledBefore = (item: Item): boolean =>
    settledUpTo([[0, item]], createdAt, serverTime(table, clock), 2 * LONGEST_ORDERED_USE) === 0;
  for (let count = 0, after: Record<string, unknown> | undefined; ; ) {
    const { items, last } = await queryUpTo(table, query, count === 0 ? LAST.fewest : LAST.step, after);
    count += items.length;
    if (last === undefined) return 'oldest';
    if (count >= LAST.most || items.slice(-ALL_OLD).every(settledBefore)) return numberIn(String(last.SK));
    after = last;
  }
}

/** How many records there are after numbers of a list that is followed. */
export interface FeedCounts extends Pick<FeedPage, 'generation'> {
  /** By number; without those from which on not all records are kept. */
  readonly counts: ReadonlyMap<number, number>;
}

/**
 * Counts the records of a list from each of these numbers on, from the numbers that were allocated and the gaps among them. Exact, but that a number
 * counts while it is open. Two round trips: the counter item while the numbers are being read, and one query of gaps for every 4.5 million numbers.
 */
export async function countFrom(
  table: Table,
  list: FollowedList,
  clock: Clock,
  reading: Promise<readonly number[]>,
): Promise<FeedCounts> {
  const [counter, numbers] = await Promise.all([readCounterItem(table, list.partition, true), reading]);
  const to = nextIn(counter);
  const floor = floorAt(counter, serverTime(table, clock));
  const kept = numbers.filter((number) => number >= floor);
  const excluded = await readGaps(table, list, Math.min(to, ...kept), to);
  // A number may be later than the counter item as read.
  const countOf = (from: number): number => new Members({ from, to, excluded }).total;
  return {
    generation: await generationOf(table, counter),
    counts: new Map(kept.map((number) => [number, countOf(number)])),
  };
}

/** The gaps from a number up to, not including, another one, and perhaps others. */
async function readGaps(table: Table, { partition }: FollowedList, from: number, to: number): Promise<NumberSet> {
  if (from >= to) return NumberSet.EMPTY;
  const [first] = sortKeysOfBlock(Math.floor(from / BLOCK_SIZE));
  const [, last] = sortKeysOfBlock(Math.floor((to - 1) / BLOCK_SIZE));
  return NumberSet.ofItems(await queryAll(table, between(storedSets.partitionOf(partition), [first, last])));
}
