import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { itemOf, type Table } from '../connection/client.ts';
import { HEAD, setPartition } from '../keys.ts';
import { aheadOf, endAt, expiryOf, markBefore, markOf, newestEnd, type Upkeep, upkeepOf } from './periods.ts';

/** The head of a list allocates its numbers: `NEXT` is the next one, `AT` the time at which the last one was allocated, `BY` the allocation's id. */

/** A list as its writers know it. */
export interface List {
  /** Partition of the records. */
  readonly partition: string;
  /** Filter fields: stored in the head when the first number is allocated (`docs/counted-lists.md`). */
  readonly filters: readonly string[];
  /** Days for which its records are kept, if they expire. */
  readonly retentionDays?: number | undefined;
}

/** A sequence number of a list, allocated for a new record. */
export interface AllocatedNumber {
  readonly list: List;
  readonly number: number;
  /** Expiry of the record in epoch seconds, where the list's records expire. */
  readonly expires: number | undefined;
  /** Filter fields according to the head, which may include some that only another release declares. */
  readonly filters: readonly string[];
  /** Superfluous marks in the head, to be removed after the commit. */
  readonly upkeep: Upkeep | undefined;
  /** Bytes of the list's largest record, as far as it is noted. */
  readonly largest: number;
}

interface Allocation {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Id of the allocation, the same in every attempt at it. */
  readonly by: string;
}

type Head = Readonly<Record<string, unknown>>;

/**
 * Allocates the next number of a list: one `UpdateItem`, never in a transaction, so that concurrent callers do not conflict; two where a list with
 * expiring records was idle for more than a period.
 */
export async function allocateNumber(table: Table, list: List, allocation: Allocation): Promise<AllocatedNumber> {
  const { retentionDays } = list;
  if (retentionDays === undefined) {
    const head = await increment(table, list, allocation, PLAIN);
    return {
      list,
      number: Number(head.NEXT) - 1,
      expires: undefined,
      filters: builtIn(head),
      upkeep: undefined,
      largest: largestIn(head),
    };
  }
  const end = endAt(allocation.now, retentionDays);
  const head = await allocateDated(table, { ...list, retentionDays }, allocation, end);
  const number = Number(head.NEXT) - 1;
  return {
    list,
    number,
    expires: expiryOf(head, number),
    filters: builtIn(head),
    upkeep: head[markOf(end)] === number ? neededUpkeep(head) : undefined,
    largest: largestIn(head),
  };
}

const neededUpkeep = (head: Head): Upkeep | undefined => {
  const upkeep = upkeepOf(head);
  return upkeep.remove.length === 0 ? undefined : upkeep;
};

/** The filters that are built: every record of the list is in their sets. */
export const builtIn = ({ FILTERS: fields }: Head): readonly string[] => (Array.isArray(fields) ? fields : []);

/** Bytes of the largest record that was noted; 0 if none was. */
export const largestIn = ({ LARGEST: bytes }: Head): number => Number(bytes ?? 0);

/** Notes the size of a large record, from which readers tell how many a query returns. The note never decreases, and is a hint: it may be missing. */
export async function noteLargest(table: Table, { partition }: List, bytes: number): Promise<void> {
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { PK: setPartition(partition), SK: HEAD },
      UpdateExpression: 'SET LARGEST = :bytes',
      ConditionExpression: 'attribute_exists(#next) AND (attribute_not_exists(LARGEST) OR LARGEST < :bytes)',
      ExpressionAttributeNames: { '#next': 'NEXT' },
      ExpressionAttributeValues: { ':bytes': bytes },
    }),
  );
}

/** Further parts of the update that allocates a number: expressions and a condition. */
interface HeadUpdate {
  readonly set?: string;
  readonly remove?: string;
  readonly condition?: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

const PLAIN: HeadUpdate = {};

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
async function allocateDated(table: Table, list: DatedList, allocation: Allocation, end: number): Promise<Head> {
  try {
    return await increment(table, list, allocation, inSequence(end, list.retentionDays));
  } catch (error) {
    const head = error instanceof ConditionalCheckFailedException ? itemOf(error.Item) : undefined;
    if (head === undefined) throw error;
    return allocateOutOfSequence(table, list, allocation, end, head);
  }
}

const markIfNew = (end: number): HeadUpdate => ({
  set: '#mark = if_not_exists(#mark, if_not_exists(#next, :zero))',
  names: { '#mark': markOf(end) },
  values: { ':zero': 0 },
});

function inSequence(end: number, retentionDays: number): HeadUpdate {
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
  head: Head,
): Promise<Head> {
  const newest = newestEnd(head);
  if (newest > end) return increment(table, list, allocation, PLAIN);
  if (end - newest <= list.retentionDays) return increment(table, list, allocation, markIfNew(end));
  try {
    return await increment(table, list, allocation, farAhead(head, end, list.retentionDays));
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
function farAhead(head: Head, end: number, retentionDays: number): HeadUpdate {
  const { AHEAD_FIRST: seen } = head;
  const asSeen: HeadUpdate =
    seen === undefined
      ? { condition: 'attribute_not_exists(AHEAD_FIRST)' }
      : { condition: 'AHEAD_FIRST = :seen', values: { ':seen': seen } };
  const note: HeadUpdate = { set: 'AHEAD_END = :end, AHEAD_FIRST = #next', values: { ':end': end } };
  const ahead = aheadOf(head);
  if (ahead === undefined) return combined(asSeen, note);
  if (Math.abs(end - ahead.end) <= retentionDays) {
    const settled: HeadUpdate = { ...markFrom(head, ahead.end, ahead.first), remove: 'AHEAD_END, AHEAD_FIRST' };
    return combined(asSeen, ahead.end === end ? settled : combined(settled, markIfNew(end)));
  }
  if (end < ahead.end) return combined(asSeen, markFrom(head, end, ahead.first));
  return combined(asSeen, combined(markFrom(head, ahead.end, ahead.first), note));
}

/** Marks a period from an earlier number on. */
const markFrom = (head: Head, end: number, first: number): HeadUpdate => ({
  set: '#from = :first',
  names: { '#from': markOf(end) },
  values: { ':first': Math.min(first, Number(head[markOf(end)] ?? first)) },
});

/** Both updates in one: at most one of them removes something. */
const combined = (one: HeadUpdate, other: HeadUpdate): HeadUpdate => ({
  ...one,
  ...other,
  ...joined('set', ', ', one.set, other.set),
  ...joined('condition', ' AND ', one.condition, other.condition),
  names: { ...one.names, ...other.names },
  values: { ...one.values, ...other.values },
});

const joined = (key: 'set' | 'condition', between: string, ...texts: (string | undefined)[]): HeadUpdate => {
  const given = texts.filter((text) => text !== undefined);
  return given.length === 0 ? {} : { [key]: given.join(between) };
};

/**
 * Increments the counter. The head stores the id of the last allocation, so that a retry after a lost reply finds its number and does not
 * allocate another one, unless there was another allocation in between.
 */
async function increment(table: Table, list: List, { now, by }: Allocation, update: HeadUpdate): Promise<Head> {
  const { set, remove, condition, names = {}, values = {} } = update;
  const command = new UpdateCommand({
    TableName: table.name,
    Key: { PK: setPartition(list.partition), SK: HEAD },
    UpdateExpression: [
      `SET #at = :at, #by = :by, #filters = if_not_exists(#filters, :filters)${set === undefined ? '' : `, ${set}`}`,
      ...(remove === undefined ? [] : [`REMOVE ${remove}`]),
      'ADD #next :one',
    ].join(' '),
    ConditionExpression: [
      ...(condition === undefined ? [] : [condition]),
      ...(list.filters.length === 0 ? [] : [NEW_OR_NOTED]),
      '(attribute_not_exists(#by) OR #by <> :by)',
    ].join(' AND '),
    ExpressionAttributeNames: { '#at': 'AT', '#next': 'NEXT', '#by': 'BY', '#filters': 'FILTERS', ...names },
    ExpressionAttributeValues: { ':at': now, ':one': 1, ':by': by, ':filters': list.filters, ...values },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    return (await table.client.send(command)).Attributes ?? {};
  } catch (error) {
    const found = error instanceof ConditionalCheckFailedException ? itemOf(error.Item) : undefined;
    if (found?.BY === by) return found;
    if (found === undefined || Array.isArray(found.FILTERS) || list.filters.length === 0) throw error;
    return increment(table, { ...list, filters: [] }, { now, by }, update);
  }
}

/** A new list has all of its filters built. For an existing list only the head knows. */
const NEW_OR_NOTED = '(attribute_not_exists(#next) OR attribute_exists(#filters))';

/** Removes superfluous marks from a head, unless another writer has changed the mark to extend. */
export async function keepHeadSmall(table: Table, { partition }: List, { remove, extend }: Upkeep): Promise<void> {
  const removal = `REMOVE ${remove.map((_, index) => `#a${index}`).join(', ')}`;
  const names = Object.fromEntries(remove.map((attribute, index) => [`#a${index}`, attribute]));
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { PK: setPartition(partition), SK: HEAD },
      ...(extend === undefined
        ? { UpdateExpression: removal, ExpressionAttributeNames: names }
        : {
            UpdateExpression: `SET #extended = :to ${removal}`,
            ConditionExpression: '#extended = :from',
            ExpressionAttributeNames: { ...names, '#extended': extend.mark },
            ExpressionAttributeValues: { ':from': extend.from, ':to': extend.to },
          }),
    }),
  );
}
