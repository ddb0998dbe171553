import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { itemOf, type Table } from '../connection/client.ts';
import { HEAD, setPartition } from '../keys.ts';
import { aheadOf, endAt, expiryOf, markBefore, markOf, newestEnd, type Upkeep, upkeepOf } from './periods.ts';

/** The head of a list gives out its numbers: `NEXT` is the one to give, `AT` the time at which the last was given, `BY` to whom. */

/** A list as its writers know it. */
export interface List {
  /** Partition of the records. */
  readonly partition: string;
  /** Fields that it can be filtered by: noted in the head when the first number is taken (`docs/counted-lists.md`). */
  readonly filters: readonly string[];
  /** How long its records are kept, if they expire. In days. */
  readonly retentionDays?: number | undefined;
}

/** A number taken in a list, for a record to be written under. */
export interface TakenNumber {
  readonly list: List;
  readonly number: number;
  /** Where the list's records expire: when this one does, in epoch seconds. */
  readonly expires: number | undefined;
  /** Fields that the list can be filtered by as far as its head knows: also those that only another release declares. */
  readonly filters: readonly string[];
  /** What keeps the head small, where the taker found something superfluous in it: to be done some time. */
  readonly upkeep: Upkeep | undefined;
}

interface Taker {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Names the taker, the same in every attempt to take this one number. */
  readonly by: string;
}

type Head = Readonly<Record<string, unknown>>;

/**
 * Takes the next number of a list: one `UpdateItem`, never in a transaction, so that any number of callers do not meet; two where a list with
 * expiring records was idle for more than a period.
 */
export async function takeNumber(table: Table, list: List, taker: Taker): Promise<TakenNumber> {
  const { retentionDays } = list;
  if (retentionDays === undefined) {
    const head = await give(table, list, taker, PLAIN);
    return { list, number: Number(head.NEXT) - 1, expires: undefined, filters: builtIn(head), upkeep: undefined };
  }
  const end = endAt(taker.now, retentionDays);
  const head = await giveDated(table, { ...list, retentionDays }, taker, end);
  const number = Number(head.NEXT) - 1;
  return {
    list,
    number,
    expires: expiryOf(head, number),
    filters: builtIn(head),
    upkeep: head[markOf(end)] === number ? neededUpkeep(head) : undefined,
  };
}

const neededUpkeep = (head: Head): Upkeep | undefined => {
  const upkeep = upkeepOf(head);
  return upkeep.remove.length === 0 ? undefined : upkeep;
};

/** The fields whose lists are built: every record of the list stands in them. */
export const builtIn = ({ FILTERS: fields }: Head): readonly string[] => (Array.isArray(fields) ? fields : []);

/** How a number is given: what is set beside it, and under which condition. */
interface Giving {
  readonly set?: string;
  readonly remove?: string;
  readonly condition?: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

const PLAIN: Giving = {};

/** A list whose records expire. */
type DatedList = List & { readonly retentionDays: number };

/**
 * Gives a number and marks the period that begins with it:
 *
 *     the period or the one before it is marked, or the list is new ───▶ mark it, if it is not
 *     a later end is marked: slow clock, or records are kept less long ─▶ mark nothing
 *     the newest mark is younger than records live ────────────────────▶ mark it
 *     the newest mark is older: idle list or wrong clock ──────────────▶ note it, or settle it with what is noted
 *
 * Marks only ever make records stay longer: nobody's clock can hide what others have written.
 */
async function giveDated(table: Table, list: DatedList, taker: Taker, end: number): Promise<Head> {
  try {
    return await give(table, list, taker, inSequence(end, list.retentionDays));
  } catch (error) {
    const head = error instanceof ConditionalCheckFailedException ? itemOf(error.Item) : undefined;
    if (head === undefined) throw error;
    return giveOutOfSequence(table, list, taker, end, head);
  }
}

const markIfNew = (end: number): Giving => ({
  set: '#mark = if_not_exists(#mark, if_not_exists(#next, :zero))',
  names: { '#mark': markOf(end) },
  values: { ':zero': 0 },
});

function inSequence(end: number, retentionDays: number): Giving {
  const mark = markIfNew(end);
  return {
    ...mark,
    names: { ...mark.names, '#before': markBefore(end, retentionDays) },
    condition: '(attribute_not_exists(#next) OR attribute_exists(#mark) OR attribute_exists(#before))',
  };
}

async function giveOutOfSequence(table: Table, list: DatedList, taker: Taker, end: number, head: Head): Promise<Head> {
  const newest = newestEnd(head);
  if (newest > end) return give(table, list, taker, PLAIN);
  if (end - newest <= list.retentionDays) return give(table, list, taker, markIfNew(end));
  try {
    return await give(table, list, taker, beyond(head, end, list.retentionDays));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // Another taker has noted or settled something meanwhile.
    return giveDated(table, list, taker, end);
  }
}

/**
 * For a taker that sees a period far beyond the newest mark. Where none is noted, it notes its own. Else there are two witnesses that the newest
 * mark is over:
 *
 *     they agree to within the time that records live ──▶ mark both periods, what is noted from its number on
 *     they do not ─────────────────────────────────────▶ mark the earlier one from the noted number on; the later one is, or stays, noted
 */
function beyond(head: Head, end: number, retentionDays: number): Giving {
  const { AHEAD_FIRST: seen } = head;
  const asSeen: Giving =
    seen === undefined
      ? { condition: 'attribute_not_exists(AHEAD_FIRST)' }
      : { condition: 'AHEAD_FIRST = :seen', values: { ':seen': seen } };
  const note: Giving = { set: 'AHEAD_END = :end, AHEAD_FIRST = #next', values: { ':end': end } };
  const ahead = aheadOf(head);
  if (ahead === undefined) return both(asSeen, note);
  if (Math.abs(end - ahead.end) <= retentionDays) {
    const settled: Giving = { ...markFrom(head, ahead.end, ahead.first), remove: 'AHEAD_END, AHEAD_FIRST' };
    return both(asSeen, ahead.end === end ? settled : both(settled, markIfNew(end)));
  }
  if (end < ahead.end) return both(asSeen, markFrom(head, end, ahead.first));
  return both(asSeen, both(markFrom(head, ahead.end, ahead.first), note));
}

/** Marks a period from a number on that was given before. */
const markFrom = (head: Head, end: number, first: number): Giving => ({
  set: '#from = :first',
  names: { '#from': markOf(end) },
  values: { ':first': Math.min(first, Number(head[markOf(end)] ?? first)) },
});

/** The two together: at most one of them removes something. */
const both = (one: Giving, other: Giving): Giving => ({
  ...one,
  ...other,
  ...joined('set', ', ', one.set, other.set),
  ...joined('condition', ' AND ', one.condition, other.condition),
  names: { ...one.names, ...other.names },
  values: { ...one.values, ...other.values },
});

const joined = (key: 'set' | 'condition', between: string, ...texts: (string | undefined)[]): Giving => {
  const given = texts.filter((text) => text !== undefined);
  return given.length === 0 ? {} : { [key]: given.join(between) };
};

/**
 * Gives out a number. The head remembers whom it gave the last one, so that an attempt which repeats one whose reply was lost finds its number
 * instead of taking another, unless somebody else has come in between.
 */
async function give(table: Table, list: List, { now, by }: Taker, giving: Giving): Promise<Head> {
  const { set, remove, condition, names = {}, values = {} } = giving;
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
    return give(table, { ...list, filters: [] }, { now, by }, giving);
  }
}

/** All records of a new list stand in the lists of its filters. In which those stand that are there already, only a note can say. */
const NEW_OR_NOTED = '(attribute_not_exists(#next) OR attribute_exists(#filters))';

/** Does what a taker found needed to keep a head small. A mark that begins elsewhere by now is somebody else's to extend. */
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
