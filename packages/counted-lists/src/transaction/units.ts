import { type Item, nameOf } from '../schema.ts';
import { Table } from '../table.ts';
import type { PendingWrite } from './pending-write.ts';

/**
 * The write units of a commit by the sizes of its items, for request budgets. DynamoDB reports them only for what succeeds, and engines on one
 * machine report too few (AWS, "DynamoDB read and write operations", "DynamoDB item sizes and formats").
 */

/** Bytes of a write unit; a transaction takes two. */
const UNIT = 1_024;

/** Items that writes change or replace, by key, as far as they are known. */
export type KnownItems = ReadonlyMap<string, Item>;

/** The units that these writes take, at least. */
export function unitsOf(writes: readonly PendingWrite[], known: KnownItems): number {
  const units = writes.map((write) =>
    Math.max(unitsOfItem(write.kind === 'put' ? write.item : {}), unitsOfItem(known.get(nameOf(write.key)) ?? {})),
  );
  return units.reduce((sum, each) => sum + each, 0) * (writes.length > 1 || writes[0]?.kind !== 'put' ? 2 : 1);
}

/** The units of an item that is written outside of a transaction. */
export const unitsOfItem = (item: Item): number => (isShort(item) ? 1 : Math.ceil(itemSizeOf(item) / UNIT));

/** Most bytes of a character, and of a number. */
const CHARACTER = 3;
const NUMBER = 21;

/** Whether an item takes one unit for certain. Most do, and measuring it exactly takes ten times as long. */
function isShort(item: Item): boolean {
  let most = 0;
  for (const name in item) most += CHARACTER * name.length + mostOf(item[name]);
  return most <= UNIT;
}

function mostOf(value: unknown): number {
  if (typeof value === 'string') return CHARACTER * value.length;
  if (typeof value !== 'object' || value === null) return NUMBER;
  return Array.isArray(value) ? value.reduce((sum: number, each) => sum + 1 + mostOf(each), CHARACTER) : UNIT;
}

/** Waits for a call that writes, and counts its units as far as the engine has not reported them: of a call that fails it reports none. */
export async function countingUnits({ observer }: Table, units: number, call: Promise<object>): Promise<void> {
  try {
    observer.countUnits(units - Table.unitsIn(await call));
  } catch (error) {
    observer.countUnits(units);
    throw error;
  }
}

/** Size of an item in bytes (AWS, "DynamoDB item sizes and formats"). */
export function itemSizeOf(item: Item): number {
  let size = 0;
  // Without `Object.entries`, which takes three times as long here.
  for (const name in item) size += Buffer.byteLength(name) + sizeOfValue(item[name]);
  return size;
}

function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number' || typeof value === 'bigint') return Math.ceil(String(value).length / 2) + 1;
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Array.isArray(value)
    ? value.reduce((sum: number, element) => sum + 1 + sizeOfValue(element), 3)
    : 3 + itemSizeOf(value as Item);
}
