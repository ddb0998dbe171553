import { hash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { aheadOf, compactionOf, endAt, expiryOfNumber, markBefore, markOf, newestEnd } from './periods.ts';
import { LARGE } from './read-budget.ts';
import type { Item, Key } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import { itemOf, type Table } from './table.ts';
import { updateRequest } from './transaction/pending-write.ts';

/** The counter item of a list: next number, built filters, marks of periods, size of the largest record. */

/** Its sort key. It sorts after the items with bits. */
export const COUNTER = 'HEAD';

/** A list as its writers know it. */
export interface List {
  /** Partition of the records. */
  readonly partition: string;
  /** Filter fields: stored in the counter item when the first number is allocated (`docs/counted-lists.md`). */
  readonly filters: readonly string[];
  /** Days for which its records are kept, if they expire. */
  readonly retentionDays?: number | undefined;
  /** Numbers are in the order of what their records tell: none is allocated in advance, or kept for another run. */
  readonly ordered?: true | undefined;
}

/** The key of a list's counter item, by the partition of its records. */
export const counterKeyOf = (list: string): Key => ({ PK: storedSets.partitionOf(list), SK: COUNTER });

/** The counter item of a list; empty before the first number is allocated. */
export async function readCounterItem(table: Table, list: string, strongly: boolean): Promise<Item> {
  const { Item: counter = {} } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: { ...counterKeyOf(list) },
      ConsistentRead: strongly,
    }),
  );
  return counter;
}

/** The next number that a list allocates. */
export const nextIn = ({ NEXT: next }: Item): number => Number(next ?? 0);

/** The filters that are built: every record of the list is in their sets. */
export const builtFilters = ({ FILTERS: fields }: Item): readonly string[] => (Array.isArray(fields) ? fields : []);

/** Bytes of the largest record that was noted; 0 if none was. */
export const largestNoted = ({ LARGEST: bytes }: Item): number => Number(bytes ?? 0);

/** Changes a counter item. @throws ConditionalCheckFailedException */
async function change(table: Table, list: string, change: Omit<Parameters<typeof updateRequest>[1], 'key'>) {
  await table.client.send(new UpdateCommand(updateRequest(table.name, { key: counterKeyOf(list), ...change })));
}

/**
 * Notes the size of a record, if it is large: readers tell from it how many records a query returns. The note never
 * decreases, and is a hint: it may be missing.
 */
export async function noteLargest(table: Table, { partition }: List, bytes: number): Promise<void> {
  if (bytes < LARGE) return;
  const condition = { exists: true, atMost: { LARGEST: bytes - 1 } };
  await change(table, partition, { set: { LARGEST: bytes }, condition });
}

/**
 * Notes that indexes are not built any more: a record is about to be written that is not in them. Lists by them are
 * refused until the operator builds them again.
 */
export async function noteUnbuilt(table: Table, { partition }: List, indexes: readonly string[]): Promise<void> {
  for (;;) {
    const built = builtFilters(await readCounterItem(table, partition, true));
    const left = built.filter((index) => !indexes.includes(index));
    if (left.length === built.length) return;
    try {
      return await change(table, partition, { set: { FILTERS: left }, condition: { equals: { FILTERS: built } } });
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }
}

/** Removes superfluous marks from a counter item, unless another writer has changed the mark to extend. */
function compactorOf(table: Table, { partition }: List, counter: Item): (() => Promise<void>) | undefined {
  const { remove, extend } = compactionOf(counter);
  if (remove.length === 0) return undefined;
  const extension = extend && {
    set: { [extend.mark]: extend.to },
    condition: { equals: { [extend.mark]: extend.from } },
  };
  return () => change(table, partition, { remove, ...extension });
}

/**
 * Names the numbering of a list. It changes where numbers may be given again, or records change without events: in
 * another table, which a restored one always is, and by {@link raiseGeneration}.
 */
export async function generationOf({ client, name }: Table, { GENERATION: count = 0 }: Item): Promise<string> {
  const numbering = JSON.stringify([await client.config.region(), name, Number(count)]);
  return hash('sha256', numbering).slice(0, 12);
}

/** Raises a list's generation. */
export const raiseGeneration = (table: Table, { partition }: Pick<List, 'partition'>): Promise<void> =>
  change(table, partition, { add: { GENERATION: 1 } });

/**
 * The counter item allocates the numbers of a list. `NEXT` is the next one, `AT` the time of the last allocation, `BY`
 * its id. `IN_RANGES` counts the numbers that were not the first of their allocation: `NEXT` less these is the number
 * of allocations.
 */

/** A sequence number of a list, allocated for a new record. */
export interface AllocatedNumber {
  readonly list: List;
  readonly number: number;
  /** Expiry of the record in epoch seconds, where the list's records expire. */
  readonly expires: number | undefined;
  /** Filter fields in the counter item. Another version of the service may have declared some of them. */
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
      : await allocateDated(table, list, allocation, end, retentionDays);
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
async function allocateDated(table: Table, list: List, allocation: Allocation, end: number, retentionDays: number) {
  let update = inSequence(end, retentionDays);
  for (;;) {
    try {
      return await increment(table, list, allocation, update);
    } catch (error) {
      // Out of sequence, or another allocation has changed the marks or the note meanwhile.
      const counter = error instanceof ConditionalCheckFailedException ? itemOf(error.Item) : undefined;
      if (counter === undefined) throw error;
      update = outOfSequence(counter, end, retentionDays);
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
 *     they differ by more ────────────────────────────▶ mark the earlier one from the noted number on, note the later
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
