import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { putTombstone } from './fence.ts';
import { isGapIn, setGaps, type Unwritten } from './gap-words.ts';
import type { Item } from './schema.ts';
import { itemOf, type Table } from './table.ts';
import type { TimeLimit } from './time-limit.ts';
import { type Contention, isConflict } from './transaction/contention.ts';
import { retry, WAITS } from './transaction/retry.ts';

/** The gap's word is not known at first. Each refusal returns it. */
const TRIES = 4;

interface Releasing extends TimeLimit {
  readonly contention: Contention;
  /**
   * Whether an attempt to write its record had no response: it may be carried out much later. Else its tombstone, which is there for one that
   * arrives once more, expires after a day.
   */
  readonly lacksResponse: boolean;
}

/**
 * The writer of a number that has no record for it releases it, as readers fence a number: first a tombstone is put, then the gap bit is set, on condition
 * that its word is as read.
 */
export async function releaseNumber(
  table: Table,
  unwritten: Unwritten,
  { contention, lacksResponse, ...limit }: Releasing,
): Promise<void> {
  const now = limit.clock();
  // The transaction that was refused may still hold the key.
  const retried = <T>(call: () => Promise<T>): Promise<T> =>
    retry(call, limit, WAITS, (error, pause) => {
      if (isConflict(error)) contention.meet([], error, pause);
    });
  if (!(await retried(() => putTombstone(table, unwritten, now, lacksResponse ? 'for good' : 'a day')))) return;
  let seen: Item | undefined;
  for (let tries = 1; tries <= TRIES && !isGapIn(seen, unwritten); tries++) {
    try {
      return await retried(() => setGaps(table, [unwritten], seen));
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      seen = itemOf(error.Item);
      if (tries > 1) contention.meet([], error, 0);
    }
  }
}
