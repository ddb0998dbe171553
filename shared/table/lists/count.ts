import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { itemOf, type Table } from '../client.ts';
import { countPartition, HEAD } from '../keys.ts';
import { dayOf, dayOfNumber, floorOf, isGone, oldestDay } from './days.ts';
import { ALL_HOLES, Numbers, numbersIn, WORDS, type Words } from './holes.ts';

export { expiryOf } from './days.ts';

/**
 * What a list knows of its length: the head (`NEXT` number to give out, when the last one was given `AT`), the buckets of holes, and
 * notes of the buckets that hold no record any more and need no item of their own (`tidy.ts`).
 */
export interface Count {
  readonly numbers: Numbers;
  /** When the last number was given out, in epoch milliseconds. */
  readonly lastGiven: number;
  /** The buckets that have an item. */
  readonly buckets: ReadonlyMap<number, Words>;
  /** The notes of full buckets, in words as of a bucket. */
  readonly notes: ReadonlyMap<number, Words>;
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

/** Reads the count of a list: one query, strongly consistent. */
export async function readCount(
  table: Table,
  list: string,
  retentionDays: number | undefined,
  now: number,
): Promise<Count> {
  const buckets = new Map<number, Words>();
  const notes = new Map<number, Words>();
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
      const [kind, index] = String(item.SK).split('#');
      if (kind === HEAD) head = item;
      else (kind === 'B' ? buckets : notes).set(Number(index), wordsOf(item));
    }
    start = LastEvaluatedKey;
  } while (start !== undefined);
  const next = Number(head.NEXT ?? 0);
  const floor = retentionDays === undefined ? 0 : floorOf(head, next, oldestDay(retentionDays, now));
  const holes = new Map([...buckets, ...fullBuckets(notes).map((bucket) => [bucket, ALL_HOLES] as const)]);
  return { numbers: new Numbers(floor, next, holes), lastGiven: Number(head.AT ?? 0), buckets, notes };
}

/** The buckets that are noted to hold no record. */
export const fullBuckets = (notes: ReadonlyMap<number, Words>): number[] =>
  Array.from(notes, ([note, words]) => numbersIn(note, words)).flat();

const wordsOf = (item: Record<string, unknown>): Words =>
  Array.from({ length: WORDS }, (_, index) => BigInt((item[`W${index}`] as number | bigint | undefined) ?? 0));

/**
 * Takes the next number of a list: one `UpdateItem`, never in a transaction, so that any number of callers do not meet.
 * @param retentionDays how long the list's records are kept, if they expire
 * @param by names the taker, the same in every attempt to take this one number
 */
export async function takeNumber(
  table: Table,
  list: string,
  retentionDays: number | undefined,
  now: number,
  by: string = randomUUID(),
): Promise<TakenNumber> {
  const day = retentionDays === undefined ? undefined : dayOf(now);
  const { Attributes: head = {} } = await (day === undefined
    ? giveNumber(table, list, { now, by })
    : giveDatedNumber(table, list, { now, by }, day));
  const number = Number(head.NEXT) - 1;
  if (day === undefined || retentionDays === undefined) return { list, number, at: now, day: undefined };
  if (head[`D${day}`] === number) await forgetDays(table, list, head, oldestDay(retentionDays, now));
  return { list, number, at: now, day: dayOfNumber(head, number) };
}

/** `ADD` makes a missing head. */
const giveNumber = (table: Table, list: string, taker: Taker) =>
  give(table, list, taker, { set: 'SET #at = :at, #by = :by ADD #next :one', names: {}, condition: [] });

/** The mark of a day needs a number to copy, and so a head that is there. */
async function giveDatedNumber(table: Table, list: string, taker: Taker, day: string) {
  const dated = {
    set: 'SET #at = :at, #by = :by, #day = if_not_exists(#day, #next) ADD #next :one',
    names: { '#day': `D${day}` },
    condition: ['attribute_exists(#next)'],
  };
  try {
    return await give(table, list, taker, dated);
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
    await makeHead(table, list, taker.now);
    return give(table, list, taker, dated);
  }
}

interface Taker {
  readonly now: number;
  readonly by: string;
}

interface Giving {
  readonly set: string;
  readonly names: Readonly<Record<string, string>>;
  readonly condition: readonly string[];
}

/**
 * Gives out a number. The head remembers whom it gave the last one (`BY`), so that an attempt which repeats one whose reply was
 * lost finds its number instead of taking another, unless somebody else has come in between.
 */
async function give(table: Table, list: string, { now, by }: Taker, { set, names, condition }: Giving) {
  try {
    return await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: { PK: countPartition(list), SK: HEAD },
        UpdateExpression: set,
        ConditionExpression: [...condition, '(attribute_not_exists(#by) OR #by <> :by)'].join(' AND '),
        ExpressionAttributeNames: { '#at': 'AT', '#next': 'NEXT', '#by': 'BY', ...names },
        ExpressionAttributeValues: { ':at': now, ':one': 1, ':by': by },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
  } catch (error) {
    const found = error instanceof ConditionalCheckFailedException ? itemOf(error.Item) : undefined;
    if (found?.BY !== by) throw error;
    return { Attributes: found };
  }
}

/** Takes marks of days long gone off the head, by whoever opens a new day. */
async function forgetDays(table: Table, list: string, head: Record<string, unknown>, oldest: string): Promise<void> {
  const marks = Object.keys(head).filter((attribute) => isGone(attribute, oldest));
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

const isConditionFailure = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException';
