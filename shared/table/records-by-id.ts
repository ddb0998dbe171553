import { type Item, type Key, readItems, schema } from '@custodia/counted-lists';
import { readTogether } from './read-together.ts';
import { type Entity, toRecord } from './repository/entity.ts';
import { MAX_RECORD } from './repository/records.ts';
import type { Tenant } from './tenant.ts';

/** Reads records of several kinds by their ids, as far as one request may. */

/** A record that is to be read; undefined for none. */
type Wanted = WantedRecord | undefined;

interface WantedRecord {
  readonly entity: Entity;
  readonly id: string;
  /** Id of the record that it is below. */
  readonly parentId?: string | undefined;
  /** The version that its event names: it has this one or a later one. */
  readonly version?: number;
}

/** Most bytes of all records together. */
const MOST_BYTES = 4 * 1_048_576;
/** Largest item of a record, with its internal attributes. In bytes. */
const MAX_ITEM = MAX_RECORD + 10_000;
/** Most keys of a `BatchGetItem`, and the bytes of a unit (AWS, "Quotas", "DynamoDB read consistency"). */
const MOST_KEYS = 100;
const UNIT = 4_096;

/**
 * Yields the records in the order in which they are wanted, some at a time, each as it is now, or undefined where it or
 * the record above it does not exist. A record that is wanted twice is read once. Ends before more than 4 MB might be
 * read, however large the records are; the first 17 always fit, or eight where each is below another one. Strongly
 * consistent, and never older than the wanted version.
 * @throws TableUnavailable when time runs out
 */
export async function* recordsById(
  tenant: Tenant,
  wanted: readonly Wanted[],
): AsyncGenerator<readonly (object | undefined)[]> {
  const known: Known = new Map();
  for (let begin = 0, units = 0; begin < wanted.length; ) {
    const most = Math.min(MOST_KEYS, Math.floor((MOST_BYTES - units * UNIT) / MAX_ITEM));
    const { end, keys } = nextOf(tenant, wanted, begin, known, most);
    if (end === begin) return;
    // Estimates the rest by the records so far.
    tenant.session.expectUnits?.(keys.length * Math.max(1, units / (known.size || 1)));
    units += await read(tenant, keys, known);
    units += await readAgain(tenant, wanted.slice(begin, end), known);
    yield wanted.slice(begin, end).map((one) => recordOf(tenant, one, known));
    begin = end;
  }
}

/** What was read, by key; undefined where there is no item. */
type Known = Map<string, Item | undefined>;

/** The keys of the records from one on that are read next, and before which record they end. */
function nextOf(tenant: Tenant, wanted: readonly Wanted[], begin: number, known: Known, most: number) {
  const keys = new Map<string, Key>();
  for (const [index, one] of wanted.slice(begin).entries()) {
    const more = keysOf(tenant, one).filter((key) => !known.has(schema.nameOf(key)) && !keys.has(schema.nameOf(key)));
    if (keys.size + more.length > most) return { end: begin + index, keys: [...keys.values()] };
    for (const key of more) keys.set(schema.nameOf(key), key);
  }
  return { end: wanted.length, keys: [...keys.values()] };
}

/** The key of a record, and that of its parent. */
function keysOf(tenant: Tenant, wanted: Wanted): readonly Key[] {
  if (wanted === undefined) return [];
  const { entity, id, parentId } = wanted;
  const { parent } = entity;
  if (parent === undefined || parentId === undefined) return [tenant.records(entity).keyOf(id)];
  return [tenant.below(entity, parentId).keyOf(id), tenant.records(parent).keyOf(parentId)];
}

function recordOf(tenant: Tenant, wanted: Wanted, known: Known): object | undefined {
  const [item, parent] = keysOf(tenant, wanted).map((key) => known.get(schema.nameOf(key)));
  // Any id has a key; only the record's own is valid.
  if (wanted === undefined || !schema.isRecord(item) || item.id !== wanted.id) return undefined;
  const isBelowOne = wanted.parentId === undefined || (schema.isRecord(parent) && parent.id === wanted.parentId);
  return isBelowOne ? toRecord(wanted.entity, item) : undefined;
}

/** Reads these keys. @returns the units that it took */
async function read({ id, session }: Tenant, keys: readonly Key[], known: Known): Promise<number> {
  const { items, units } = await readItems(session.tables.of(id), keys, session);
  for (const key of keys) known.set(schema.nameOf(key), items.get(schema.nameOf(key)));
  return units;
}

/**
 * Reads again what is older than wanted. A transaction is not visible in all of its items at once, so its event may be
 * read before its record. Records that were restored stay older.
 * @returns the units that it took
 */
async function readAgain(tenant: Tenant, wanted: readonly Wanted[], known: Known): Promise<number> {
  const { id, session } = tenant;
  const keys = wanted.filter((one) => isTooOld(tenant, one, known)).flatMap((one) => keysOf(tenant, one).slice(0, 1));
  const unique = [...new Map(keys.map((key) => [schema.nameOf(key), key])).values()];
  if (unique.length === 0) return 0;
  const { items, units } = await readTogether(session.tables.of(id), unique, session);
  for (const [index, key] of unique.entries()) known.set(schema.nameOf(key), items[index]);
  return units;
}

/** Not where there is a tombstone, for a day after the deletion: it is the last version. */
function isTooOld(tenant: Tenant, wanted: Wanted, known: Known): boolean {
  const [key] = keysOf(tenant, wanted);
  const item = key && known.get(schema.nameOf(key));
  const found = item === undefined || schema.isRecord(item) ? Number(item?.[schema.VERSION] ?? 0) : undefined;
  return found !== undefined && found < (wanted?.version ?? 0);
}
