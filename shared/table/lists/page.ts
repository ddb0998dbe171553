import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../client.ts';
import type { Item } from '../staged.ts';
import { type Count, markLost, readCount } from './count.ts';
import type { Numbers } from './holes.ts';

/**
 * Any page of a list in two rounds of reads: the count, then the records between two numbers (`docs/counted-lists.md`).
 */

/** Where the records of a list are and how their numbers stand in the sort key. */
export interface ListSource {
  /** Partition key value of the records. */
  readonly list: string;
  /** The index they are read from; the table itself when absent. */
  readonly index?: { readonly name: string; readonly partition: string; readonly sort: string } | undefined;
  /** Bounds of the sort key that hold the numbers from `first` to `last` and no others. */
  readonly bounds: (first: number, last: number) => readonly [from: string | number, to: string | number];
  readonly numberOf: (item: Item) => number;
  readonly retentionDays?: number | undefined;
}

export interface PageRequest {
  /** Counted from 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly newestFirst: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface ItemPage {
  readonly items: readonly Item[];
  readonly total: number;
}

/** A number whose successor was given out longer ago than this can no longer be on its way to the table (`docs/counted-lists.md`). */
export const IN_FLIGHT_MS = 120_000;

/** Attribute of a record: when its numbers were taken, in epoch milliseconds. */
export const LISTED_AT = 'LISTED_AT';

const MENDING_TRIES = 3;

/** Reads one page. A page that comes up short marks the numbers that were lost in a crash and is read again. */
export async function readPage(table: Table, source: ListSource, request: PageRequest): Promise<ItemPage> {
  for (let tries = 0; ; tries++) {
    const count = await readCount(table, source.list, source.retentionDays, request.now);
    const { numbers } = count;
    const range = rangeOf(numbers, request);
    if (range === undefined) return { items: [], total: numbers.total };
    const items = await readBetween(table, source, range, request.newestFirst);
    if (items.length >= range.size || tries === MENDING_TRIES) {
      return { items: items.slice(0, request.pageSize), total: numbers.total };
    }
    const lost = await lostNumbers(table, source, range, items, count, request.now);
    if (lost.length === 0) return { items, total: numbers.total };
    await markLost(table, source.list, lost, count.buckets);
  }
}

interface Range {
  readonly first: number;
  readonly last: number;
  /** How many records lie between them. */
  readonly size: number;
}

/** The numbers of a page's first and last record; none for a page beyond the end. */
export function rangeOf(
  numbers: Numbers,
  request: Pick<PageRequest, 'page' | 'pageSize' | 'newestFirst'>,
): Range | undefined {
  const skipped = (request.page - 1) * request.pageSize;
  const size = Math.min(request.pageSize, numbers.total - skipped);
  if (size <= 0) return undefined;
  const lowest = request.newestFirst ? numbers.total - skipped - size : skipped;
  return { first: numbers.select(lowest), last: numbers.select(lowest + size - 1), size };
}

/** All items between two numbers: one query, or more where they pass DynamoDB's 1 MB a query. */
async function readBetween(table: Table, source: ListSource, range: Range, newestFirst: boolean): Promise<Item[]> {
  const [from, to] = source.bounds(range.first, range.last);
  const items: Item[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: source.index?.name,
        KeyConditionExpression: '#partition = :list AND #sort BETWEEN :from AND :to',
        ExpressionAttributeNames: {
          '#partition': source.index?.partition ?? 'PK',
          '#sort': source.index?.sort ?? 'SK',
        },
        ExpressionAttributeValues: { ':list': source.list, ':from': from, ':to': to },
        ScanIndexForward: !newestFirst,
        ConsistentRead: source.index === undefined,
        ExclusiveStartKey: start,
      }),
    );
    items.push(...Items);
    start = LastEvaluatedKey;
  } while (start !== undefined);
  return items;
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
  let youngest = Math.min(count.lastGiven, await listedAfter(table, source, range.last));
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

export interface PartRequest {
  /** Sort key value after which (in the order asked for) the part begins. */
  readonly after: string | number | undefined;
  readonly limit: number;
  readonly newestFirst: boolean;
}

/** Reads a part of a list in order, without counting it; `more` tells whether records follow. */
export async function readPart(
  table: Table,
  source: ListSource,
  request: PartRequest,
): Promise<{ items: Item[]; more: boolean }> {
  const beyond = request.newestFirst ? '<' : '>';
  const items: Item[] = [];
  let bytes = 0;
  let start: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: source.index?.name,
        KeyConditionExpression: `#partition = :list${request.after === undefined ? '' : ` AND #sort ${beyond} :after`}`,
        ExpressionAttributeNames: {
          '#partition': source.index?.partition ?? 'PK',
          ...(request.after === undefined ? {} : { '#sort': source.index?.sort ?? 'SK' }),
        },
        ExpressionAttributeValues: {
          ':list': source.list,
          ...(request.after === undefined ? {} : { ':after': request.after }),
        },
        ScanIndexForward: !request.newestFirst,
        ConsistentRead: source.index === undefined,
        Limit: request.limit + 1 - items.length,
        ExclusiveStartKey: start,
      }),
    );
    items.push(...Items);
    bytes += LastEvaluatedKey === undefined ? 0 : QUERY_BYTES;
    start = LastEvaluatedKey;
  } while (start !== undefined && items.length <= request.limit && bytes < PART_BYTES);
  const kept = items.slice(0, request.limit);
  return { items: kept, more: items.length > kept.length || start !== undefined };
}

/** A query answers at most 1 MB; a part ends before the answer could pass what Lambda carries, even if all of it is escaped. */
const QUERY_BYTES = 1_048_576;
const PART_BYTES = 2 * QUERY_BYTES;
