import { QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../client.ts';
import { bucketKey, countPartition } from '../keys.ts';
import type { Item } from '../staged.ts';
import type { Count } from './count.ts';
import { holePlace } from './holes.ts';
import { mark } from './mark.ts';
import { LISTED_AT, type ListSource, type Range } from './source.ts';

/**
 * Mends a count that does not agree with a page: numbers that were lost in a crash, and holes where there is a record after all.
 */

/** A number whose successor was given out longer ago than this can no longer be on its way to the table (`docs/counted-lists.md`). */
export const IN_FLIGHT_MS = 120_000;

/** @returns whether something was done, so that the page is worth another reading */
export async function mend(
  table: Table,
  source: ListSource,
  range: Range,
  items: readonly Item[],
  count: Count,
  now: number,
): Promise<boolean> {
  if (items.length > range.size) return restoreStrays(table, source, items, count);
  const lost = await lostNumbers(table, source, range, items, count, now);
  await mark(table, source.list, bucketKey, lost, count.buckets);
  return lost.length > 0;
}

/** The numbers of a short page that can no longer be on their way: a later number was given out long ago. */
async function lostNumbers(
  table: Table,
  source: ListSource,
  range: Range,
  items: readonly Item[],
  count: Count,
  now: number,
): Promise<number[]> {
  const listedAt = new Map(items.map((item) => [source.numberOf(item), Number(item[LISTED_AT])]));
  const lost: number[] = [];
  const above = range.last + 1 < count.numbers.next ? await listedAfter(table, source, range.last) : count.lastGiven;
  let youngest = Math.min(count.lastGiven, above);
  for (let number = range.last; number >= range.first; number--) {
    const here = listedAt.get(number);
    if (here !== undefined) youngest = Math.min(youngest, here);
    else if (!count.numbers.isHole(number) && now - youngest > IN_FLIGHT_MS) lost.push(number);
  }
  return lost;
}

/** When the first record above a number was listed; infinitely late when there is none. */
async function listedAfter(table: Table, source: ListSource, number: number): Promise<number> {
  const [from] = source.bounds(number + 1, number + 1);
  const { Items: [item] = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: source.index?.name,
      KeyConditionExpression: '#partition = :list AND #sort >= :from',
      ExpressionAttributeNames: { '#partition': source.index?.partition ?? 'PK', '#sort': source.index?.sort ?? 'SK' },
      ExpressionAttributeValues: { ':list': source.list, ':from': from },
      Limit: 1,
      ConsistentRead: source.index === undefined,
    }),
  );
  return item === undefined ? Number.POSITIVE_INFINITY : Number(item[LISTED_AT]);
}

/**
 * A record must not stand where a hole is marked. It may for a moment, while a reader's view is old; where record and mark are both there
 * in one transaction, the mark is wrong (a number was taken for lost while the index was minutes behind) and goes.
 */
async function restoreStrays(
  table: Table,
  source: ListSource,
  items: readonly Item[],
  { numbers, buckets }: Count,
): Promise<boolean> {
  const strays = items.filter((item) => numbers.isHole(source.numberOf(item)));
  await Promise.allSettled(strays.map((item) => restore(table, source, item, buckets)));
  return strays.length > 0;
}

function restore(table: Table, source: ListSource, item: Item, buckets: Count['buckets']) {
  const { index, list } = source;
  const { bucket, word, bit } = holePlace(source.numberOf(item));
  const marked = buckets.get(bucket)?.[Number(word.slice(1))] ?? 0n;
  const { partition, sort } = index ?? { partition: 'PK', sort: 'SK' };
  return (source.tableOf?.(item) ?? table).client.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          ConditionCheck: {
            TableName: table.name,
            Key: { PK: item.PK, SK: item.SK },
            ConditionExpression: '#partition = :list AND #sort = :place',
            ExpressionAttributeNames: { '#partition': partition, '#sort': sort },
            ExpressionAttributeValues: { ':list': list, ':place': item[sort] },
          },
        },
        {
          Update: {
            TableName: table.name,
            Key: { PK: countPartition(list), SK: bucketKey(bucket) },
            UpdateExpression: 'SET #word = :after',
            ConditionExpression: '#word = :marked',
            ExpressionAttributeNames: { '#word': word },
            ExpressionAttributeValues: { ':marked': marked, ':after': marked & ~bit },
          },
        },
      ],
    }),
  );
}
