import { PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../client.ts';
import { bucketKey, countPartition, HEAD } from '../keys.ts';
import { holePlace, Numbers, WORDS, type Words } from './holes.ts';

/**
 * What a list knows of its length: the head (`NEXT` number to give out, when the last one was given `AT`) and the buckets of holes.
 * A list whose records expire also marks on its head the first number of each day, `D2026-11-20`; the floor is the mark of the
 * oldest day that is still kept.
 */
export interface Count {
  readonly numbers: Numbers;
  /** When the last number was given out, in epoch milliseconds. */
  readonly lastGiven: number;
  readonly buckets: ReadonlyMap<number, Words>;
}

/** A number taken in a list and not yet written. */
export interface TakenNumber {
  readonly list: string;
  readonly number: number;
  /** When it was taken, in epoch milliseconds. */
  readonly at: number;
  /** Where the list's records expire: the day it counts under, as in `2026-11-20`. */
  readonly day: string | undefined;
}

const DAY_MARK = /^D(\d{4}-\d{2}-\d{2})$/;
const MILLISECONDS_A_DAY = 86_400_000;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The first day of which a list that keeps `days` whole days still holds records. */
const oldestDay = (days: number, now: number): string => dayOf(now - days * MILLISECONDS_A_DAY);

/** When the records of a day are gone, in epoch seconds: the midnight that ends the last of the days they are kept. */
export const expiryOf = (day: string, days: number): number =>
  (Date.parse(`${day}T00:00:00Z`) + (days + 1) * MILLISECONDS_A_DAY) / 1000;

/** Reads the count of a list: one query, strongly consistent. */
export async function readCount(
  table: Table,
  list: string,
  retentionDays: number | undefined,
  now: number,
): Promise<Count> {
  const buckets = new Map<number, Words>();
  let head: Record<string, unknown> = {};
  let start: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'PK = :list',
        ExpressionAttributeValues: { ':list': countPartition(list) },
        ConsistentRead: true,
        ExclusiveStartKey: start,
      }),
    );
    for (const item of Items) {
      if (item.SK === HEAD) head = item;
      else buckets.set(Number(String(item.SK).slice(2)), wordsOf(item));
    }
    start = LastEvaluatedKey;
  } while (start !== undefined);
  const next = Number(head.NEXT ?? 0);
  const floor = retentionDays === undefined ? 0 : floorOf(head, next, oldestDay(retentionDays, now));
  return { numbers: new Numbers(floor, next, buckets), lastGiven: Number(head.AT ?? 0), buckets };
}

const wordsOf = (item: Record<string, unknown>): Words =>
  Array.from({ length: WORDS }, (_, index) => BigInt((item[`W${index}`] as number | bigint | undefined) ?? 0));

const floorOf = (head: Record<string, unknown>, next: number, oldest: string): number =>
  Object.entries(head).reduce((floor, [attribute, first]) => {
    const day = DAY_MARK.exec(attribute)?.[1];
    return day !== undefined && day >= oldest ? Math.min(floor, Number(first)) : floor;
  }, next);

/** Takes the next number of a list: one `UpdateItem`, never in a transaction, so that any number of callers do not meet. */
export async function takeNumber(table: Table, list: string, expires: boolean, now: number): Promise<TakenNumber> {
  const day = expires ? dayOf(now) : undefined;
  const update = new UpdateCommand({
    TableName: table.name,
    Key: { PK: countPartition(list), SK: HEAD },
    // `ADD` makes a missing head; the mark of the day needs a number to copy and so a head that is there.
    UpdateExpression:
      day === undefined
        ? 'SET #at = :at ADD #next :one'
        : 'SET #at = :at, #day = if_not_exists(#day, #next) ADD #next :one',
    ConditionExpression: day === undefined ? undefined : 'attribute_exists(#next)',
    ExpressionAttributeNames: { '#at': 'AT', '#next': 'NEXT', ...(day === undefined ? {} : { '#day': `D${day}` }) },
    ExpressionAttributeValues: { ':at': now, ':one': 1 },
    ReturnValues: 'ALL_NEW',
  });
  const head = await table.client.send(update).catch(async (error: unknown) => {
    if (day === undefined || !isConditionFailure(error)) throw error;
    await makeHead(table, list, now);
    return table.client.send(update);
  });
  const number = Number(head.Attributes?.NEXT) - 1;
  return { list, number, at: now, day: day === undefined ? undefined : dayOfNumber(head.Attributes ?? {}, number) };
}

async function makeHead(table: Table, list: string, now: number): Promise<void> {
  const put = new PutCommand({
    TableName: table.name,
    Item: { PK: countPartition(list), SK: HEAD, NEXT: 0, AT: now },
    ConditionExpression: 'attribute_not_exists(PK)',
  });
  await table.client.send(put).catch((error: unknown) => {
    if (!isConditionFailure(error)) throw error;
  });
}

/** The day a number counts under: clocks differ about midnight, so the list's marks decide, not the taker's clock. */
function dayOfNumber(head: Record<string, unknown>, number: number): string | undefined {
  const days = Object.entries(head).flatMap(([attribute, first]) => {
    const day = DAY_MARK.exec(attribute)?.[1];
    return day !== undefined && Number(first) <= number ? [day] : [];
  });
  return days.sort().at(-1);
}

/**
 * Marks numbers of a list as holes, where it is certain that no record will ever be written under them.
 * A word that has changed since `buckets` was read is left alone: whoever changed it may have marked the same hole.
 */
export async function markLost(
  table: Table,
  list: string,
  lost: readonly number[],
  buckets: ReadonlyMap<number, Words>,
): Promise<void> {
  const additions = new Map<string, { bucket: number; word: string; bits: bigint }>();
  for (const number of lost) {
    const { bucket, word, bit } = holePlace(number);
    const place = `${bucket} ${word}`;
    additions.set(place, { bucket, word, bits: (additions.get(place)?.bits ?? 0n) | bit });
  }
  await Promise.all(
    Array.from(additions.values(), async ({ bucket, word, bits }) => {
      const before = buckets.get(bucket)?.[Number(word.slice(1))] ?? 0n;
      const update = new UpdateCommand({
        TableName: table.name,
        Key: { PK: countPartition(list), SK: bucketKey(bucket) },
        UpdateExpression: 'SET #word = :after',
        ConditionExpression: before === 0n ? 'attribute_not_exists(#word) OR #word = :before' : '#word = :before',
        ExpressionAttributeNames: { '#word': word },
        ExpressionAttributeValues: { ':before': before, ':after': before | bits },
      });
      await table.client.send(update).catch((error: unknown) => {
        if (!isConditionFailure(error)) throw error;
      });
    }),
  );
}

const isConditionFailure = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException';
