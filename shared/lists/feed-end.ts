import { type FeedPage, readFeed } from './feed.ts';
import type { FollowedList } from './feed-numbers.ts';
import { settledUpTo } from './grace-period.ts';
import { numberIn } from './ids.ts';
import { LONGEST_ORDERED_USE } from './number-pool.ts';
import { queryUpTo } from './queries.ts';
import type { Item } from './schema.ts';
import { serverTime, type Table } from './table.ts';
import type { TimeLimit } from './time-limit.ts';

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
  const query = {
    KeyConditionExpression: 'PK = :list',
    ExpressionAttributeValues: { ':list': partition },
    ScanIndexForward: false,
  };
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
