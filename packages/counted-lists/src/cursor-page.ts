import { largestNoted } from './counter-item.ts';
import { ListNotBuilt } from './errors.ts';
import { numberIn } from './ids.ts';
import { ofPartition, queryOnce } from './queries.ts';
import { type ListSource, queryOf } from './query.ts';
import { ReadBudget, type Reading } from './read-budget.ts';
import { readRecords } from './read-records.ts';
import { type Item, isRecord } from './schema.ts';
import type { Table } from './table.ts';
import { membersOf, readView } from './view.ts';

/** Cursor pages: records of a list in order, after a given one, without the total. */

interface ItemCursorPage {
  readonly items: readonly Item[];
  /** Whether records follow. */
  readonly more: boolean;
}

interface CursorRequest {
  /** Sort key after which the page begins, in the order of the list. */
  readonly after: string | undefined;
  readonly limit: number;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly timeLimit: Reading;
}

/** A partition whose sort keys are times, in the order in which it is read. */
interface TimeOrdered {
  readonly partition: string;
  readonly newestFirst: boolean;
}

/**
 * Up to `limit` records after a sort key: of a counted list the oldest first, of one by time in its order.
 * @example const { items, more } = await readCursorPage(table, source, { after, limit: 100, now, timeLimit })
 */
export const readCursorPage = (
  table: Table,
  source: ListSource | TimeOrdered,
  request: CursorRequest,
): Promise<ItemCursorPage> =>
  'newestFirst' in source ? readByTime(table, source, request) : readMembers(table, source, request);

/** Ends a page after two queries of up to 1 MB, so that the escaped response stays within Lambda's limit. */
async function readByTime(
  table: Table,
  { partition, newestFirst }: TimeOrdered,
  { after, limit }: CursorRequest,
): Promise<ItemCursorPage> {
  const all = ofPartition(partition);
  const rest = after === undefined ? '' : ` AND SK ${newestFirst ? '<' : '>'} :after`;
  const query = {
    KeyConditionExpression: `${all.KeyConditionExpression}${rest}`,
    ExpressionAttributeValues: {
      ...all.ExpressionAttributeValues,
      ...(after === undefined ? {} : { ':after': after }),
    },
    ScanIndexForward: !newestFirst,
  };
  const { items, last } = await queryOnce(table, query, limit + 1);
  const isShort = last !== undefined && items.length <= limit;
  const next = isShort ? await queryOnce(table, query, limit + 1 - items.length, last) : { items: [], last };
  const read = [...items, ...next.items];
  return { items: read.slice(0, limit), more: read.length > limit || next.last !== undefined };
}

async function readMembers(
  table: Table,
  source: ListSource,
  { after, limit, now, timeLimit }: CursorRequest,
): Promise<ItemCursorPage> {
  const query = queryOf(source);
  const view = await readView(table, query, timeLimit, now);
  if (view.unbuilt.length > 0) throw new ListNotBuilt(query.partition, view.unbuilt);
  if (view.residual.length > 0) throw new TypeError('no index answers what is wanted of a cursor page');
  const members = membersOf(query, view, new Set(), now);
  const budget = new ReadBudget(timeLimit, false);
  budget.largest = largestNoted(view.counter);
  const items: Item[] = [];
  let rank = after === undefined ? 0 : members.rankOf(numberIn(after) + 1);
  while (items.length < limit && rank < members.total) {
    const numbers = members.slice(rank, limit - items.length);
    const records = await readRecords(table, query, view, numbers, budget);
    // A number whose record is being written, or was never written, has none.
    const listed = (item: Item | undefined): item is Item => isRecord(item) && query.matches(item);
    items.push(...numbers.map((number) => records.get(number)).filter(listed));
    if (budget.isCut) return { items, more: true };
    rank += numbers.length;
  }
  return { items, more: rank < members.total };
}
