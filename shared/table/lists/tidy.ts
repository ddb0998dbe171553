import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../client.ts';
import { bucketKey, countPartition, fullBucketsKey } from '../keys.ts';
import { type Count, fullBuckets } from './count.ts';
import { isFull } from './holes.ts';
import { mark } from './mark.ts';

/**
 * Keeps a list cheap that records only pass through, such as that of the open tickets: in the end nearly all of its buckets hold no
 * record, and every read would carry them. A reader who sees some of them notes them in one bit each; a later reader who finds a
 * bucket both noted and stored deletes its item. In this order no reader can miss a bucket: the note is there before the item goes,
 * and a query reads the notes after the buckets. A full bucket is full for ever, because numbers are never given out again.
 */

/** Full buckets that are worth a write, and how many items go in one batch. */
const WORTHWHILE = 4;
const BATCH = 25;

/** One call at most for each of the two steps; it does not matter if it fails. */
export async function tidy(table: Table, list: string, count: Count): Promise<void> {
  const noted = new Set(fullBuckets(count.notes));
  const stored = [...count.buckets];
  const superfluous = stored.flatMap(([bucket]) => (noted.has(bucket) ? [bucket] : []));
  const full = stored.flatMap(([bucket, words]) => (!noted.has(bucket) && isFull(words) ? [bucket] : []));
  await Promise.allSettled([
    superfluous.length > 0 && deleteBuckets(table, list, superfluous.slice(0, BATCH)),
    full.length >= WORTHWHILE && mark(table, list, fullBucketsKey, full, count.notes),
  ]);
}

const deleteBuckets = (table: Table, list: string, buckets: readonly number[]) =>
  table.client.send(
    new BatchWriteCommand({
      RequestItems: {
        [table.name]: buckets.map((bucket) => ({
          DeleteRequest: { Key: { PK: countPartition(list), SK: bucketKey(bucket) } },
        })),
      },
    }),
  );
