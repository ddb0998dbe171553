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

/**
 * Takes the next number of a list: one `UpdateItem`, never in a transaction, so that any number of callers do not meet.
 * @param retentionDays how long the list's records are kept, if they expire
 */
export async function takeNumber(
  table: Table,
  list: string,
  retentionDays: number | undefined,
  now: number,
): Promise<TakenNumber> {
  const day = retentionDays === undefined ? undefined : dayOf(now);
  const { Attributes: head = {} } = await (day === undefined
    ? giveNumber(table, list, now)
    : giveDatedNumber(table, list, now, day));
  const number = Number(head.NEXT) - 1;
  if (day === undefined || retentionDays === undefined) return { list, number, at: now, day: undefined };
  if (head[`D${day}`] === number) await forgetDays(table, list, head, oldestDay(retentionDays, now));
  return { list, number, at: now, day: dayOfNumber(head, number) };
}

/** `ADD` makes a missing head. */
const giveNumber = (table: Table, list: string, now: number) =>
  table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { PK: countPartition(list), SK: HEAD },
      UpdateExpression: 'SET #at = :at ADD #next :one',
      ExpressionAttributeNames: { '#at': 'AT', '#next': 'NEXT' },
      ExpressionAttributeValues: { ':at': now, ':one': 1 },
      ReturnValues: 'ALL_NEW',
    }),
  );

/** The mark of a day needs a number to copy, and so a head that is there. */
async function giveDatedNumber(table: Table, list: string, now: number, day: string) {
  const give = new UpdateCommand({
    TableName: table.name,
    Key: { PK: countPartition(list), SK: HEAD },
    UpdateExpression: 'SET #at = :at, #day = if_not_exists(#day, #next) ADD #next :one',
    ConditionExpression: 'attribute_exists(#next)',
    ExpressionAttributeNames: { '#at': 'AT', '#next': 'NEXT', '#day': `D${day}` },
    ExpressionAttributeValues: { ':at': now, ':one': 1 },
    ReturnValues: 'ALL_NEW',
  });
  try {
    return await table.client.send(give);
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
    await makeHead(table, list, now);
    return table.client.send(give);
  }
}

/** Takes marks of days long gone off the head, by whoever opens a new day. One day of grace, for clocks differ. */
async function forgetDays(table: Table, list: string, head: Record<string, unknown>, oldest: string): Promise<void> {
  const grace = dayOf(Date.parse(oldest) - MILLISECONDS_A_DAY);
  const marks = Object.keys(head).filter((attribute) => (DAY_MARK.exec(attribute)?.[1] ?? grace) < grace);
  if (marks.length === 0) return;
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { PK: countPartition(list), SK: HEAD },
      UpdateExpression: `REMOVE ${marks.map((_, index) => `#d${index}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(marks.map((mark, index) => [`#d${index}`, mark])),
    }),
  );
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
