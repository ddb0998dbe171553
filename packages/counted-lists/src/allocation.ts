import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { builtFilters, compactorOf, counterKeyOf, type List, largestNoted } from './counter-item.ts';
import { aheadOf, endAt, expiryOfNumber, markBefore, markOf, newestEnd } from './periods.ts';
import type { Item } from './schema.ts';
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
 * Allocates the next numbers of a list, one range: one `UpdateItem`, never in a transaction, so that concurrent callers
 * do not conflict; two where a list with expiring records was idle for more than a period. A range lies in one period.
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
      ? await increment(table, list, allocation, {})
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

/** Parts of the update that allocates a number, as expressions. */
interface CounterUpdate {
  readonly set?: readonly string[];
  readonly remove?: readonly string[];
  readonly conditions?: readonly string[];
  readonly values?: Readonly<Record<string, unknown>>;
}

const combined = (...parts: readonly CounterUpdate[]) => ({
  set: parts.flatMap(({ set = [] }) => set),
  remove: parts.flatMap(({ remove = [] }) => remove),
  conditions: parts.flatMap(({ conditions = [] }) => conditions),
  values: Object.fromEntries(parts.flatMap(({ values = {} }) => Object.entries(values))),
});

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
  let update = inSequence(end, list.retentionDays);
  for (;;) {
    try {
      return await increment(table, list, allocation, update);
    } catch (error) {
      // Out of sequence, or another allocation has changed the marks or the note meanwhile.
      const counter = error instanceof ConditionalCheckFailedException ? itemOf(error.Item) : undefined;
      if (counter === undefined) throw error;
      update = outOfSequence(counter, end, list.retentionDays);
    }
  }
}

const markIfNew = (end: number): CounterUpdate => ({
  set: [`${markOf(end)} = if_not_exists(${markOf(end)}, if_not_exists(#next, :zero))`],
  values: { ':zero': 0 },
});

function inSequence(end: number, retentionDays: number): CounterUpdate {
  const marked = [markOf(end), markBefore(end, retentionDays)].map((mark) => `attribute_exists(${mark})`);
  return { ...markIfNew(end), conditions: [`(attribute_not_exists(#next) OR ${marked.join(' OR ')})`] };
}

function outOfSequence(counter: Item, end: number, retentionDays: number): CounterUpdate {
  const newest = newestEnd(counter);
  if (newest > end) return {};
  return end - newest <= retentionDays ? markIfNew(end) : farAhead(counter, end, retentionDays);
}

/**
 * For an allocation whose period is far beyond the newest mark. Without a noted period, it notes its own. Otherwise two
 * allocations agree that the newest mark is outdated:
 *
 *     their periods differ by at most the retention ──▶ mark both, the noted one from its number on
 *     they differ by more ────────────────────────────▶ mark the earlier one from the noted number on; the later one is noted
 */
function farAhead(counter: Item, end: number, retentionDays: number): CounterUpdate {
  const { AHEAD_FIRST: seen } = counter;
  const asSeen: CounterUpdate =
    seen === undefined
      ? { conditions: ['attribute_not_exists(AHEAD_FIRST)'] }
      : { conditions: ['AHEAD_FIRST = :seen'], values: { ':seen': seen } };
  const note: CounterUpdate = {
    set: ['AHEAD_END = :end', 'AHEAD_FIRST = #next', 'AHEAD_IN_RANGES = if_not_exists(IN_RANGES, :zero)'],
    values: { ':end': end, ':zero': 0 },
  };
  const noted = aheadOf(counter);
  if (noted === undefined) return combined(asSeen, note);
  const isConfirmed = Math.abs(end - noted.end) <= retentionDays;
  if (!isConfirmed && end < noted.end) return combined(asSeen, markFrom(counter, end, noted.first));
  const marked = combined(asSeen, markFrom(counter, noted.end, noted.first));
  if (!isConfirmed) return combined(marked, note);
  const settled = combined(marked, { remove: ['AHEAD_END', 'AHEAD_FIRST', 'AHEAD_IN_RANGES'] });
  return noted.end === end ? settled : combined(settled, markIfNew(end));
}

/** Marks a period from an earlier number on. */
const markFrom = (counter: Item, end: number, first: number): CounterUpdate => ({
  set: [`${markOf(end)} = :first`],
  values: { ':first': Math.min(first, Number(counter[markOf(end)] ?? first)) },
});

/**
 * Increments the counter. The counter item stores the id of the last allocation, so that a retry after a lost reply
 * finds its number and does not allocate another one, unless there was another allocation in between.
 */
async function increment(table: Table, list: List, allocation: Allocation, update: CounterUpdate): Promise<Item> {
  const { now, by, count } = allocation;
  const { filters } = list;
  const { set, remove, conditions, values } = combined(
    {
      set: ['#at = :at', '#by = :by', '#filters = if_not_exists(#filters, :filters)'],
      conditions: ['(attribute_not_exists(#by) OR #by <> :by)', ...(filters.length === 0 ? [] : [NEW_OR_NOTED])],
      values: { ':at': now, ':by': by, ':filters': filters, ':count': count },
    },
    count === 1 ? {} : { values: { ':more': count - 1 } },
    update,
  );
  const command = new UpdateCommand({
    TableName: table.name,
    Key: counterKeyOf(list.partition),
    UpdateExpression: [
      `SET ${set.join(', ')}`,
      ...(remove.length === 0 ? [] : [`REMOVE ${remove.join(', ')}`]),
      `ADD #next :count${count === 1 ? '' : ', IN_RANGES :more'}`,
    ].join(' '),
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: { '#at': 'AT', '#next': 'NEXT', '#by': 'BY', '#filters': 'FILTERS' },
    ExpressionAttributeValues: values,
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    return (await table.client.send(command)).Attributes ?? {};
  } catch (error) {
    const found = error instanceof ConditionalCheckFailedException ? itemOf(error.Item) : undefined;
    if (found?.BY === by) return found;
    if (found === undefined || Array.isArray(found.FILTERS) || filters.length === 0) throw error;
    return increment(table, { ...list, filters: [] }, allocation, update);
  }
}

/** A new list has all of its filters built. For an existing list only the counter item knows. */
const NEW_OR_NOTED = '(attribute_not_exists(#next) OR attribute_exists(#filters))';
