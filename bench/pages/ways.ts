import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '@custodia/counted-lists';
import { systemClock } from '../../shared/clock.ts';
import { RequestSession } from '../../shared/table/index.ts';
import { asked } from '../../test/support/asked.ts';
import { type BenchList, filterOf } from './lists.ts';
import { jobsOf } from './records.ts';

/** A way to read a page of a list, newest first. All ways must return the same records. */
export interface Way {
  readonly name: string;
  /** Whether the response contains the list's exact length. */
  readonly total: boolean;
  readonly read: (list: BenchList, page: number) => Promise<PageRead>;
}

export interface PageRead {
  readonly ids: readonly string[];
  readonly total?: number;
}

export const COMPARED_PAGE_SIZE = 25;

export const COUNTED = 'counted list';

/** The API's way, with the first `fields` of the list's filters. */
const counted = (table: Table, filters: number): Way => ({
  name: filters === 0 ? COUNTED : `${COUNTED}, ${filters} filter${filters === 1 ? '' : 's'}`,
  total: true,
  read: async (list, page) => {
    const jobs = jobsOf(list.org, new RequestSession(table, systemClock, Date.now() + 10_000), list.kind);
    const filter = filterOf(list, filters);
    const { records, total } = await jobs.page(
      asked({ page, page_size: COMPARED_PAGE_SIZE, sort: '-created_at', filter }),
    );
    return { ids: records.map(({ record }) => record.id), total };
  },
});

/** The ways to a list that is filtered by one, four and eleven fields, where there are that many. */
export const countedWays = (table: Table, { fields }: BenchList): Way[] =>
  (fields.length === 0 ? [0] : [1, 4, 11].filter((count) => count <= fields.length)).map((filters) =>
    counted(table, filters),
  );

type Start = Record<string, unknown> | undefined;

const queryOf = (table: Table, list: BenchList, more: Partial<QueryCommandInput>): QueryCommand =>
  new QueryCommand({
    TableName: table.name,
    IndexName: list.index?.name,
    KeyConditionExpression: '#partition = :list',
    ExpressionAttributeNames: { '#partition': list.index?.partition ?? 'PK' },
    ExpressionAttributeValues: { ':list': list.partition },
    ScanIndexForward: false,
    ...more,
  });

/** Skips `count` records, or all that are left, in queries as long as DynamoDB allows. */
async function walk(table: Table, list: BenchList, from: Start, count: number, more: Partial<QueryCommandInput>) {
  const items: Record<string, unknown>[] = [];
  let start = from;
  let seen = 0;
  do {
    const {
      Items = [],
      Count = 0,
      LastEvaluatedKey,
    } = await table.client.send(
      queryOf(table, list, {
        ...more,
        ExclusiveStartKey: start,
        ...(Number.isFinite(count) ? { Limit: count - seen } : {}),
      }),
    );
    for (const item of Items) items.push(item);
    seen += Count;
    start = LastEvaluatedKey;
  } while (start !== undefined && seen < count);
  return { items, seen, next: start };
}

const idsOf = (items: readonly Record<string, unknown>[]): string[] => items.map(({ id }) => String(id));

/** Reads everything up to the end of the page. */
export const walkFull = (table: Table): Way => ({
  name: 'walk',
  total: false,
  read: async (list, page) => {
    const { items } = await walk(table, list, undefined, page * COMPARED_PAGE_SIZE, {});
    return { ids: idsOf(items.slice((page - 1) * COMPARED_PAGE_SIZE)) };
  },
});

/** Reaches the page without transferring the records before it. */
const skipThenRead =
  (name: string, total: boolean, skipping: Partial<QueryCommandInput>) =>
  (table: Table): Way => ({
    name,
    total,
    read: async (list, page) => {
      const skip = (page - 1) * COMPARED_PAGE_SIZE;
      const skipped = skip === 0 ? { seen: 0, next: undefined } : await walk(table, list, undefined, skip, skipping);
      const { items, seen, next } =
        skipped.seen < skip || (skip > 0 && skipped.next === undefined)
          ? { items: [], seen: 0, next: undefined }
          : await walk(table, list, skipped.next, COMPARED_PAGE_SIZE, {});
      if (!total) return { ids: idsOf(items) };
      const rest = next === undefined ? 0 : (await walk(table, list, next, Number.POSITIVE_INFINITY, COUNT)).seen;
      return { ids: idsOf(items), total: skipped.seen + seen + rest };
    },
  });

const COUNT = { Select: 'COUNT' } as const;

export const walkKeys = skipThenRead('walk, keys only', false, { ProjectionExpression: 'PK' });
export const walkCount = skipThenRead('COUNT to the page', false, COUNT);
export const walkTotal = skipThenRead('COUNT, and the total', true, COUNT);
