import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { builtFilters, COUNTER, compactorOf, type List, largestNoted } from './counter-item.ts';
import { aheadOf, endAt, expiryOfNumber, markBefore, markOf, newestEnd } from './periods.ts';
import type { Item } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import { itemOf, type Table } from './table.ts';

/**
 * Allocates the numbers of a list, in its counter item: `NEXT` is the next one, `AT` the time at which the last one was allocated, `BY` the allocation's
 * id. `IN_RANGES` counts the numbers that were not the first of their allocation: `NEXT` less these is how many allocations there were.
 */

/** A sequence number of a list, allocated for a new record. */
export interface AllocatedNumber {
  readonly list: List;
  readonly number: number;
  /** Expiry of the record in epoch seconds, where the list's records expire. */
  readonly expires: number | undefined;
  /** Filter fields according to the counter item, which may include some that only another version of the service declares. */
  readonly filters: readonly string[];
  /** Removes superfluous marks from the counter item, where there are any: to be called after the commit. */
  readonly compact?: (() => Promise<void>) | undefined;
  /** Bytes of the list's largest record, as far as it is noted. */
  readonly largest: number;
}

interface Allocation {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Id of the allocation, the same in every attempt at it. */
  readonly by: string;
  /** How many numbers. */
  readonly count: number;
}

/**
 * Allocates the next numbers of a list, one range: one `UpdateItem`, never in a transaction, so that concurrent callers do not conflict; two where a
 * list with expiring records was idle for more than a period. A range lies in one period.
 */
export async function allocateNumbers(
  table: Table,
  list: List,
  allocation: Allocation,
): Promise<readonly AllocatedNumber[]> {
  const { retentionDays } = list;
  const end = retentionDays === undefined ? undefined : endAt(allocation.now, retentionDays);
  const counter =
    retentionDays === undefined || end === undefined
      ? await increment(table, list, allocation, PLAIN)
      : await allocateDated(table, { ...list, retentionDays }, allocation, end);
  const first = Number(counter.NEXT) - allocation.count;
  const common = {
    list,
    expires: end === undefined ? undefined : expiryOfNumber(counter, first),
    filters: builtFilters(counter),
    largest: largestNoted(counter),
  };
  const compact = end !== undefined && counter[markOf(end)] === first ? compactorOf(table, list, counter) : undefined;
  return Array.from({ length: allocation.count }, (_, index) => ({
    ...common,
    number: first + index,
    compact: index === 0 ? compact : undefined,
  }));
}

/** Further parts of the update that allocates a number: expressions and a condition. */
interface CounterUpdate {
  readonly set?: string;
  readonly remove?: string;
  readonly condition?: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

const PLAIN: CounterUpdate = {};

/** A list whose records expire. */
type DatedList = List & { readonly retentionDays: number };

/**
 * Allocates a number, and marks the period that begins with it:
 *
 *     the period or the one before it is marked, or the list is new ───▶ mark it, if it is not
 *     a later end is marked: slow clock, or shorter retention ──────────▶ mark nothing
 *     the newest mark is younger than the retention ───────────────────▶ mark it
 *     the newest mark is older: idle list or wrong clock ──────────────▶ note it, or resolve it with the noted one
 *
 * Marks can only extend the life of records: a wrong clock cannot hide records of other writers.
 */
async function allocateDated(table: Table, list: DatedList, allocation: Allocation, end: number): Promise<Item> {
  try {
    return await increment(table, list, allocation, inSequence(end, list.retentionDays));
  } catch (error) {
    const counter = error instanceof ConditionalCheckFailedException ? itemOf(error.Item) : undefined;
    if (counter === undefined) throw error;
    return allocateOutOfSequence(table, list, allocation, end, counter);
  }
}

const markIfNew = (end: number): CounterUpdate => ({
  set: '#mark = if_not_exists(#mark, if_not_exists(#next, :zero))',
  names: { '#mark': markOf(end) },
  values: { ':zero': 0 },
});

function inSequence(end: number, retentionDays: number): CounterUpdate {
  const mark = markIfNew(end);
  return {
    ...mark,
    names: { ...mark.names, '#before': markBefore(end, retentionDays) },
    condition: '(attribute_not_exists(#next) OR attribute_exists(#mark) OR attribute_exists(#before))',
  };
}

async function allocateOutOfSequence(
  table: Table,
  list: DatedList,
  allocation: Allocation,
  end: number,
  counter: Item,
): Promise<Item> {
  const newest = newestEnd(counter);
  if (newest > end) return increment(table, list, allocation, PLAIN);
  if (end - newest <= list.retentionDays) return increment(table, list, allocation, markIfNew(end));
  try {
    return await increment(table, list, allocation, farAhead(counter, end, list.retentionDays));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // Another allocation has changed the marks or the note meanwhile.
    return allocateDated(table, list, allocation, end);
  }
}

/**
 * For an allocation whose period is far beyond the newest mark. Without a noted period, it notes its own. Otherwise two allocations agree that the newest
 * mark is outdated:
 *
 *     their periods differ by at most the retention ──▶ mark both, the noted one from its number on
 *     they differ by more ────────────────────────────▶ mark the earlier one from the noted number on; the later one is noted
 */
function farAhead(counter: Item, end: number, retentionDays: number): CounterUpdate {
  const { AHEAD_FIRST: seen } = counter;
  const asSeen: CounterUpdate =
    seen === undefined
      ? { condition: 'attribute_not_exists(AHEAD_FIRST)' }
      : { condition: 'AHEAD_FIRST = :seen', values: { ':seen': seen } };
  const note: CounterUpdate = {
    set: 'AHEAD_END = :end, AHEAD_FIRST = #next, AHEAD_IN_RANGES = if_not_exists(IN_RANGES, :zero)',
    values: { ':end': end, ':zero': 0 },
  };
  const ahead = aheadOf(counter);
  if (ahead === undefined) return combined(asSeen, note);
  if (Math.abs(end - ahead.end) <= retentionDays) {
    const settled: CounterUpdate = {
      ...markFrom(counter, ahead.end, ahead.first),
      remove: 'AHEAD_END, AHEAD_FIRST, AHEAD_IN_RANGES',
    };
    return combined(asSeen, ahead.end === end ? settled : combined(settled, markIfNew(end)));
  }
  if (end < ahead.end) return combined(asSeen, markFrom(counter, end, ahead.first));
  return combined(asSeen, combined(markFrom(counter, ahead.end, ahead.first), note));
}

/** Marks a period from an earlier number on. */
const markFrom = (counter: Item, end: number, first: number): CounterUpdate => ({
  set: '#from = :first',
  names: { '#from': markOf(end) },
  values: { ':first': Math.min(first, Number(counter[markOf(end)] ?? first)) },
});

/** Both updates in one: at most one of them removes something. */
const combined = (one: CounterUpdate, other: CounterUpdate): CounterUpdate => ({
  ...one,
  ...other,
  ...joined('set', ', ', one.set, other.set),
  ...joined('condition', ' AND ', one.condition, other.condition),
  names: { ...one.names, ...other.names },
  values: { ...one.values, ...other.values },
});

const joined = (key: 'set' | 'condition', between: string, ...texts: (string | undefined)[]): CounterUpdate => {
  const given = texts.filter((text) => text !== undefined);
  return given.length === 0 ? {} : { [key]: given.join(between) };
};

/**
 * Increments the counter. The counter item stores the id of the last allocation, so that a retry after a lost reply finds its number and does not
 * allocate another one, unless there was another allocation in between.
 */
async function increment(table: Table, list: List, allocation: Allocation, update: CounterUpdate): Promise<Item> {
  const { now, by, count } = allocation;
  const { set, remove, condition, names = {}, values = {} } = update;
  const command = new UpdateCommand({
    TableName: table.name,
    Key: { PK: storedSets.partitionOf(list.partition), SK: COUNTER },
    UpdateExpression: [
      `SET #at = :at, #by = :by, #filters = if_not_exists(#filters, :filters)${set === undefined ? '' : `, ${set}`}`,
      ...(remove === undefined ? [] : [`REMOVE ${remove}`]),
      count === 1 ? 'ADD #next :count' : 'ADD #next :count, IN_RANGES :more',
    ].join(' '),
    ConditionExpression: [
      ...(condition === undefined ? [] : [condition]),
      ...(list.filters.length === 0 ? [] : [NEW_OR_NOTED]),
      '(attribute_not_exists(#by) OR #by <> :by)',
    ].join(' AND '),
    ExpressionAttributeNames: { '#at': 'AT', '#next': 'NEXT', '#by': 'BY', '#filters': 'FILTERS', ...names },
    ExpressionAttributeValues: {
      ':at': now,
      ':count': count,
      ...(count === 1 ? {} : { ':more': count - 1 }),
      ':by': by,
      ':filters': list.filters,
      ...values,
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    return (await table.client.send(command)).Attributes ?? {};
  } catch (error) {
    const found = error instanceof ConditionalCheckFailedException ? itemOf(error.Item) : undefined;
    if (found?.BY === by) return found;
    if (found === undefined || Array.isArray(found.FILTERS) || list.filters.length === 0) throw error;
    return increment(table, { ...list, filters: [] }, allocation, update);
  }
}

/** A new list has all of its filters built. For an existing list only the counter item knows. */
const NEW_OR_NOTED = '(attribute_not_exists(#next) OR attribute_exists(#filters))';
