import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../client.ts';
import type { Item } from '../staged.ts';
import { readCount } from './count.ts';
import type { Numbers } from './holes.ts';
import { mend } from './mend.ts';
import type { ListSource, Range } from './source.ts';
import { tidy } from './tidy.ts';

export { LISTED_AT, type ListSource } from './source.ts';

/**
 * Any page of a list in two rounds of reads: the count, then the records between two numbers (`docs/counted-lists.md`).
 */

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

const MENDING_TRIES = 3;

/** Reads one page. A page that is not as the count says is mended, where that is certain, and read again. */
export async function readPage(table: Table, source: ListSource, request: PageRequest): Promise<ItemPage> {
  for (let tries = 0; ; tries++) {
    const count = await readCount(table, source.list, source.retentionDays, request.now);
    const { total } = count.numbers;
    const range = rangeOf(count.numbers, request);
    if (range === undefined) return { items: [], total };
    const [items] = await Promise.all([
      readBetween(table, source, range, request.newestFirst),
      tidy(table, source.list, count),
    ]);
    const isWhole = items.length === range.size || tries === MENDING_TRIES;
    // Mending is a chore: where it fails, the page is as good as it was.
    if (isWhole || !(await mend(table, source, range, items, count, request.now).catch(() => false))) {
      return { items: items.slice(0, request.pageSize), total };
    }
  }
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
