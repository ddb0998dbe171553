import { type Item, ids, indexes, readPartition, restorable, schema } from '@custodia/counted-lists';
import { floorOf, LEFT_TO_READERS, marksOf, settledUpTo } from '@custodia/counted-lists/maintenance';
import type { Entity } from '#table';
import { tenantPartition } from '#table';
import { DELETED, indexesOf, readValues } from '#table/storage';
import type { Verified, VerifyContext } from './difference.ts';
import { readCounter } from './reading.ts';

/** What a record has in an index: a bit in a set, or an item. */
export type Entry = ReturnType<indexes.Indexes['entriesIn']>[number];

/** A list, as its numbers are verified. */
export interface NumberList {
  readonly entity: Entity;
  readonly partition: string;
  readonly indexes: indexes.Indexes;
  readonly counter: Item;
  /** One after the last number. */
  readonly next: number;
  /**
   * Lower numbers without a record are to be closed: their writers' grace period is over, or they were left to readers
   * (`lists/grace-period.ts`).
   */
  readonly settled: number;
}

/**
 * One pass over all records of a kind: the expected content of their lists. Records may be created, changed and deleted
 * meanwhile.
 */
export interface RecordScan extends NumberList {
  /** The first number. */
  readonly floor: number;
  readonly count: number;
  /** Sums of gaps and entries. */
  readonly sums: Sums;
  /** The values of sets that records are in, or should be in, by field. */
  readonly values: Values;
  /** Those that callers have chosen, as noted. */
  readonly notedValues: Values;
  /** Whether all records are in all declared indexes. */
  readonly isComplete: boolean;
  /** Numbers with a tombstone, but for those that will expire by themselves. */
  readonly tombstones: readonly number[];
  /** The deleted records that are kept, by id: when they were deleted. */
  readonly trashed: ReadonlyMap<string, number>;
  /** Highest number of a record; -1 without any. */
  readonly last: number;
  /** Where records expire: each expiry that is later than those of all lower numbers, with its first number. */
  readonly ends: readonly { readonly end: number; readonly first: number }[];
}

type Values = ReadonlyMap<string, ReadonlySet<string>>;

/** Verifies something else of the records that are scanned. */
export interface Check {
  /** Is called with every record of all kinds. */
  visit(entity: Entity, record: Item, number: number): void;
  verify(): Promise<readonly Verified[]>;
}

/** Records that expire within this time are not verified: DynamoDB may delete them meanwhile. In milliseconds. */
const ABOUT_TO_EXPIRE = 600_000;

/** A list without its records. @param tenant whose records they are */
export async function readList(scope: VerifyContext, entity: Entity, tenant = scope.tenant): Promise<NumberList> {
  const partition = tenantPartition(tenant, entity.name);
  const counter = await readCounter(scope, partition);
  const next = Number(counter.NEXT ?? 0);
  return { entity, partition, indexes: indexesOf(entity, tenant, partition), counter, next, settled: -1 };
}

export async function scanRecords(scope: VerifyContext, entity: Entity, visit?: Check['visit']): Promise<RecordScan> {
  const list = await readList(scope, entity);
  const { partition, next } = list;
  const floor = floorIn(scope, list);
  const sums = new Sums();
  const values = new Map<string, Set<string>>();
  const tombstones: number[] = [];
  const trashed = new Map<string, number>();
  const ends: RecordScan['ends'][number][] = [];
  let [count, last, settled, isComplete] = [0, -1, -1, true];
  for (let number = floor; number < next; number++) sums.add(number, nameOf(), 1);
  const leftToReaders = scope.repair ? undefined : LEFT_TO_READERS;
  for await (const item of readPartition(scope, partition, ids.sortKeyOf(floor))) {
    const number = ids.numberIn(String(item.SK));
    if (!schema.isRecord(item)) {
      if (!expectTrash(item, number, { sums, trashed }) && isLasting(item, scope, entity)) tombstones.push(number);
      continue;
    }
    if (number < next) sums.add(number, nameOf(), -1);
    isComplete = expectEntries(item, number, list.indexes, { sums, values }) && isComplete;
    count++;
    last = number;
    settled = Math.max(settled, settledUpTo([[number, item]], entity.createdAt, scope.clock(), leftToReaders));
    const end = endOf(item);
    if (end > (ends.at(-1)?.end ?? 0)) ends.push({ end, first: number });
    visit?.(entity, item, number);
  }
  const notedValues = await readValues(scope, partition);
  return { ...list, floor, sums, values, notedValues, tombstones, trashed, ends, count, last, settled, isComplete };
}

/** Adds that a number is one of the trash, where its tombstone keeps the record. @returns whether it does */
function expectTrash(item: Item, number: number, to: { readonly sums: Sums; readonly trashed: Map<string, number> }) {
  if (!restorable.isTrashed(item)) return false;
  to.trashed.set(String(item[DELETED]), Number(item[restorable.TRASHED]));
  to.sums.add(number, nameOf(), -1);
  to.sums.add(number, nameOf('trash'), 1);
  return true;
}

/**
 * Adds the entries that a record should have in the indexes in which it is, and the values of sets that it has or is to
 * enter.
 * @returns whether it is in all declared indexes
 */
function expectEntries(
  item: Item,
  number: number,
  list: indexes.Indexes,
  { sums, values }: { readonly sums: Sums; readonly values: Map<string, Set<string>> },
): boolean {
  const right = list.withNotes(item, [], 'verification');
  const isInAll = right[indexes.SETS] === item[indexes.SETS];
  const all = list.entriesIn(right);
  const own = isInAll ? all : list.entriesIn({ ...right, [indexes.SETS]: item[indexes.SETS] });
  for (const entry of own) sums.add(number, nameOf(entry), 1);
  for (const entry of all)
    if ('field' in entry) values.set(entry.field, (values.get(entry.field) ?? new Set()).add(entry.value));
  if (Object.entries(right).some(([attribute, value]) => value !== item[attribute])) sums.add(number, 'wrong note', 1);
  return isInAll;
}

/** What distinguishes entries. @param entry undefined: that a number is a gap; `trash`: one that can be restored */
export const nameOf = (entry?: Entry | 'trash'): string => {
  if (entry === undefined) return 'gap';
  if (entry === 'trash') return entry;
  const attributes = 'items' in entry ? Object.entries(entry.attributes ?? {}) : [];
  if (attributes.length === 0) return indexes.Indexes.nameOf(entry);
  return JSON.stringify([indexes.Indexes.nameOf(entry), attributes.sort(([one], [other]) => (one < other ? -1 : 1))]);
};

/** Whether a tombstone does not expire by itself. */
const isLasting = (tombstone: Item, { clock }: VerifyContext, { retentionDays }: Entity): boolean =>
  retentionDays === undefined && Number(tombstone[schema.TTL] ?? 0) * 1000 <= clock();

function floorIn({ clock }: VerifyContext, { entity: { retentionDays }, counter, next }: NumberList): number {
  // A counter item without marks was lost, and will be restored.
  if (retentionDays === undefined || marksOf(counter).length === 0) return 0;
  return floorOf(counter, next, clock() + ABOUT_TO_EXPIRE);
}

/** Day of the epoch on which a record expires; 0 if it does not. */
const endOf = ({ [schema.TTL]: expires }: Item): number => Number(expires ?? 0) / 86_400;

/** Values of sets by field, one by one. */
export const eachValue = (values: Values): { readonly field: string; readonly value: string }[] =>
  Array.from(values).flatMap(([field, ofField]) => Array.from(ofField, (value) => ({ field, value })));

/** Numbers of a chunk: few, as most lists are short. */
const CHUNK = 1_024;

/**
 * What the records of a list should have, less what they have, as two sums of hashes for each number. Eight bytes a
 * number, where the entries of ten million records would be gigabytes. What differs is only suspected, and looked at
 * again.
 */
export class Sums {
  readonly #chunks = new Map<number, Uint32Array>();

  /** Adds what a record should have, or, less than 0 times, what it has. @param times a whole number */
  add(number: number, name: string, times: number): void {
    const chunk = Math.floor(number / CHUNK);
    const sums = this.#chunks.get(chunk) ?? new Uint32Array(2 * CHUNK);
    this.#chunks.set(chunk, sums);
    const at = 2 * (number % CHUNK);
    // Sums wrap around.
    sums[at] = (sums[at] ?? 0) + Math.imul(hashOf(name, 0x01000193), times);
    sums[at + 1] = (sums[at + 1] ?? 0) + Math.imul(hashOf(name, 0x85ebca6b), times);
  }

  /** The numbers of which something differs. */
  differing(): number[] {
    const found: number[] = [];
    for (const [chunk, sums] of this.#chunks)
      for (let index = 0; index < CHUNK; index++)
        if (sums[2 * index] !== 0 || sums[2 * index + 1] !== 0) found.push(chunk * CHUNK + index);
    return found;
  }
}

/** FNV-1a, with a multiplier. */
function hashOf(text: string, multiplier: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), multiplier);
  return hash >>> 0;
}
