import { TTL_ATTRIBUTE } from '../schema.ts';
import type { UnitOfWork } from '../transaction/unit-of-work.ts';
import { bitPlace } from './bits.ts';

/** Stages that a set holds a number from now on, or no more. Adding is exact, for a transaction is carried out once. */

interface Change {
  /** Partition of the set. */
  readonly set: string;
  readonly number: number;
  /** When the record is gone, in epoch seconds, where it expires: the set's item is of no use after that. */
  readonly expires?: number | undefined;
}

export const stageEntry = (work: UnitOfWork, change: Change): void => stage(work, change, 1n);

export const stageExit = (work: UnitOfWork, change: Change): void => stage(work, change, -1n);

function stage(work: UnitOfWork, { set, number, expires }: Change, sign: 1n | -1n): void {
  const { sortKey, word, bit } = bitPlace(number);
  work.update(
    { PK: set, SK: sortKey },
    { add: { [word]: sign * bit }, ...(expires === undefined ? {} : { set: { [TTL_ATTRIBUTE]: setExpiry(expires) } }) },
  );
}

/** Kept longer than the last record, for the writer of an earlier one may come last and set an earlier time. In seconds. */
const LONGER = 35 * 86_400;

/** When an item of a set whose latest record is gone at `expires` may go, both in epoch seconds. */
export const setExpiry = (expires: number): number => expires + LONGER;
