import { bitPlace } from './bits.ts';
import { TTL_ATTRIBUTE } from './schema.ts';
import type { UnitOfWork } from './transaction/unit-of-work.ts';

/** Stages that a number enters or leaves a set. `ADD` is safe here, for a transaction is applied exactly once. */

interface Change {
  /** Partition of the set. */
  readonly set: string;
  readonly number: number;
  /** Expiry of the record in epoch seconds, where it expires: its bit is not needed after that. */
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

/** Items are kept longer than their last record, because the last writer may be that of an earlier record. In seconds. */
const LONGER = 35 * 86_400;

/** Expiry of an item of a set whose latest record expires at `expires`, both in epoch seconds. */
export const setExpiry = (expires: number): number => expires + LONGER;
