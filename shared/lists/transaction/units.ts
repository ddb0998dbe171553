import { itemSizeOf } from '../schema.ts';
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
  const units = writes.map((write) => {
    const written = write.kind === 'put' ? itemSizeOf(write.item) : 0;
    return Math.max(1, Math.ceil(Math.max(written, known.get(nameOf(write)) ?? 0) / UNIT));
  });
  return units.reduce((sum, each) => sum + each, 0) * (writes.length > 1 || writes[0]?.kind !== 'put' ? 2 : 1);
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
