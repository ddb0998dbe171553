import { type Item, ids, indexes, readPartition, schema, storedSets } from '#lists';
import { gracePeriod, periods, readCounterItem } from '#lists/maintenance';
import type { Entity } from '#table';
import { recordsPartition } from '#table/keys';
import { indexesOf } from '#table/storage';
import { differing, ExpectedSet } from './bits.ts';
import type { VerifyContext } from './difference.ts';
import { EntrySums } from './entry-sums.ts';
import { readNumberSet, withRetries } from './reading.ts';

/** One pass over all records of a kind: the expected content of their lists. Records may be created, changed and deleted meanwhile. */
export interface RecordScan {
  readonly entity: Entity;
  readonly partition: string;
  readonly indexes: indexes.Indexes;
  readonly counter: Item;
  /** The first number, and one after the last. */
  readonly floor: number;
  readonly next: number;
  readonly live: ExpectedSet;
  readonly count: number;
  /** The values of sets that have members, by field. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
  readonly sums: EntrySums;
  /** Numbers of records that are not in all declared indexes. */
  readonly unnoted: readonly number[];
  /** Numbers of records with notes that do not follow from their fields. */
  readonly miswritten: readonly number[];
  /** The values of sets that the former are to enter, as far as callers choose them. */
  readonly unnotedValues: readonly { readonly field: string; readonly value: string }[];
  /** Numbers with a tombstone, but for those that will expire by themselves. */
  readonly tombstones: readonly number[];
  /** Highest number of a record; -1 without any. */
  readonly last: number;
  /** Lower numbers without a record are to be closed: their writers' grace period is over, or they were left to readers (`lists/grace-period.ts`). */
  readonly settled: number;
  /** Where records expire: each expiry that is later than those of all lower numbers, with its first number. */
  readonly ends: readonly periods.Mark[];
}

/** Called with every record of a scan. */
export type Visitor = (record: Item, number: number) => void;

/** Records that expire within this time are not verified: DynamoDB may delete them meanwhile. In milliseconds. */
const ABOUT_TO_EXPIRE = 600_000;

export async function scanRecords(
  scope: VerifyContext,
  entity: Entity,
  visit: Visitor = () => undefined,
): Promise<RecordScan> {
  const partition = recordsPartition(scope.tenant, entity.name);
  const counter = await readCounterWithRetries(scope, partition);
  const list = indexesOf(entity, scope.tenant, partition);
  const next = Number(counter.NEXT ?? 0);
  const floor = floorIn(scope, entity, counter);
  const live = new ExpectedSet();
  const values = new Map<string, Set<string>>();
  const sums = new EntrySums();
  const unnoted: number[] = [];
  const miswritten: number[] = [];
  const unnotedValues = new Map<string, { readonly field: string; readonly value: string }>();
  const tombstones: number[] = [];
  let count = 0;
  let last = -1;
  let settled = -1;
  const ends: periods.Mark[] = [];
  const expectEntries = (item: Item, number: number): void => {
    const right = list.noted(item, [], 'verification');
    for (const entry of list.entriesIn({ ...right, [indexes.SETS]: item[indexes.SETS] })) {
      sums.expect(number, entry);
      if ('field' in entry) values.set(entry.field, (values.get(entry.field) ?? new Set()).add(entry.value));
    }
    if (list.wrongNotesIn(item).size > 0) miswritten.push(number);
    if (right[indexes.SETS] === item[indexes.SETS]) return;
    unnoted.push(number);
    for (const one of list.openValues(list.entriesIn(right))) unnotedValues.set(`${one.field}=${one.value}`, one);
  };
  for await (const item of readPartition(scope, partition, ids.sortKeyOf(floor))) {
    const number = ids.numberIn(String(item.SK));
    if (!schema.isRecord(item)) {
      if (isLasting(item, scope, entity)) tombstones.push(number);
      continue;
    }
    live.add(number);
    count++;
    last = number;
    settled = Math.max(settled, settledUpTo(scope, entity, number, item));
    const end = endOf(item);
    if (end > (ends.at(-1)?.end ?? 0)) ends.push({ end, first: number });
    expectEntries(item, number);
    visit(item, number);
  }
  const found = {
    live,
    count,
    values,
    sums,
    unnoted,
    miswritten,
    unnotedValues: [...unnotedValues.values()],
    tombstones,
  };
  return { entity, partition, indexes: list, counter, floor, next, ...found, last, settled, ends };
}

const settledUpTo = ({ clock, repair }: VerifyContext, { createdAt }: Entity, number: number, item: Item): number =>
  gracePeriod.settledUpTo([[number, item]], createdAt, clock(), repair ? undefined : gracePeriod.LEFT_TO_READERS);

/** Numbers that are a gap but have a record, or are not a gap and have none. */
export async function doubtfulGaps(
  scope: VerifyContext,
  { partition, floor, next, live }: RecordScan,
): Promise<number[]> {
  const expected = new ExpectedSet();
  for (let number = floor; number < next; number++) if (!live.has(number)) expected.add(number);
  const stored = await readNumberSet(scope, storedSets.partitionOf(partition));
  return differing(expected, stored).filter((number) => number >= floor);
}

/** Whether a tombstone does not expire by itself. */
const isLasting = (tombstone: Item, { clock }: VerifyContext, { retentionDays }: Entity): boolean =>
  retentionDays === undefined && Number(tombstone[schema.TTL] ?? 0) * 1000 <= clock();

/** The counter item of a list, strongly consistent; empty before the first number is allocated. */
export const readCounterWithRetries = (scope: VerifyContext, partition: string): Promise<Item> =>
  withRetries(scope, () => readCounterItem(scope.table, partition, true));

function floorIn({ clock }: VerifyContext, { retentionDays }: Entity, counter: Item): number {
  // A counter item without marks was lost, and will be restored.
  if (retentionDays === undefined || periods.marksOf(counter).length === 0) return 0;
  return periods.floorOf(counter, Number(counter.NEXT ?? 0), clock() + ABOUT_TO_EXPIRE);
}

/** Day of the epoch on which a record expires; 0 if it does not. */
const endOf = ({ [schema.TTL]: expires }: Item): number => Number(expires ?? 0) / 86_400;
