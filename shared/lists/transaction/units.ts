import { countUnits } from '#telemetry';
import type { Item } from '../schema.ts';
import { Table } from '../table.ts';
import type { PendingWrite } from './pending-write.ts';

/**
 * The write units of a commit by the sizes of its items, for request budgets. DynamoDB reports them only for what succeeds, and engines on one
 * machine report too few (AWS, "DynamoDB read and write operations", "DynamoDB item sizes and formats").
 */

/** Bytes of a write unit; a transaction takes two. */
const UNIT = 1_024;

/** Sizes in bytes of items that writes change or replace, by key, as far as they are known. */
export type KnownSizes = ReadonlyMap<string, number>;

export const nameOf = ({ key: { PK, SK } }: Pick<PendingWrite, 'key'>): string => `${PK}\n${SK}`;

/** The units that these writes take, at least. */
export function unitsOf(writes: readonly PendingWrite[], known: KnownSizes): number {
  const units = writes.reduce((sum, write) => sum + unitsOfSize(bytesOf(write, known)), 0);
  return units * (writes.length > 1 || writes[0]?.kind !== 'put' ? 2 : 1);
}

/** The write units of an item outside of a transaction. */
export const unitsOfSize = (bytes: number): number => Math.max(1, Math.ceil(bytes / UNIT));

function bytesOf(write: PendingWrite, known: KnownSizes): number {
  const written = write.kind === 'put' ? itemSizeOf(write.item) : 0;
  return Math.max(written, known.get(nameOf(write)) ?? 0);
}

/** Size of an item in bytes. */
export const itemSizeOf = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOfValue(value), 0);

function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number' || typeof value === 'bigint') return Math.ceil(String(value).length / 2) + 1;
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Array.isArray(value)
    ? value.reduce((sum: number, element) => sum + 1 + sizeOfValue(element), 3)
    : 3 + itemSizeOf(value as Item);
}

/** Waits for a call that writes, and counts its units as far as the engine has not reported them: of a call that fails it reports none. */
export async function countingUnits(units: number, call: Promise<object>): Promise<void> {
  try {
    countUnits(units - Table.unitsIn(await call));
  } catch (error) {
    countUnits(units);
    throw error;
  }
}
