import { BLOCK_SIZE, sortKeysOfBlock } from './bits.ts';
import { readCounterItem } from './counter-item.ts';
import { type FeedPage, floorAt } from './feed.ts';
import { type FollowedList, nextIn } from './feed-numbers.ts';
import { generationOf } from './generation.ts';
import { Members, NumberSet } from './number-set.ts';
import { between, queryAll } from './queries.ts';
import * as storedSets from './stored-sets.ts';
import { serverTime, type Table } from './table.ts';
import type { Clock } from './time-limit.ts';

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
  const countOf = (from: number): number => new Members({ from, to, excluded, absent: new Set() }).total;
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
